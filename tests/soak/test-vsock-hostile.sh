#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A hostile guest: nonsense, 10,000 connections, no reading. Its neighbours' bytes stay right, and memory is bounded; slowdown is told
# Time limit: 1800 s
#
# The neighbours are another guest with its own lfpd, and an LFP instance of this machine with a third lfpd. Where there are two
# processors the hostile guest, its device and its lfpd have one, the neighbours the other: a guest's processor time is its VMM's.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/vsock/lib-files.sh
. "$top/tests/vsock/lib-files.sh"
# shellcheck source=tests/vsock/lib-guest.sh
. "$top/tests/vsock/lib-guest.sh"
needs python3 taskset
PATH=/usr/bin:$PATH
connections=${HOSTILE_CONNECTIONS:-10000} rounds=${HOSTILE_ROUNDS:-3} ms=${HOSTILE_MS:-1000}
read -r first rest < <(taskset -cp $$ | sed 's/.*: //; s/[-,]/ /g')
last=${rest##* }
ours=(taskset -c "$first") theirs=(taskset -c "${last:-$first}")
[ -n "$last" ] || echo "one processor: the hostile guest takes its neighbours' time"

# The hostile guest: its user may do anything in it. An LFP instance is there, too.
"${ours[@]}" true || skip "no processor can be chosen"
files_guest_start "${theirs[@]}"
lfpd_conf LINR02 UNIX_STREAM="$guest/vs" UNIX_PORT=5023 PEER_IUCV_VMID= PEER_IUCV_APPNAME=
lfpd_start LINR02 "${theirs[@]}"
hostile=$lfpd
printf '%s\n' "ID = 01" "MTU = 8192" "IucvMsgLimit = 1024" "InitialBufferSpace = 512K" "MaxBufferSpace = 4M" "IucvSrcAppName = TESTV" \
	"IucvDestAppName = LINR02" "IucvDestVMId = LINLFP" "Transport = vsock" >"$guest/start-01"
# The neighbours
lfpd_conf LINR03 UNIX_STREAM="$work/vs" UNIX_PORT=5023 PEER_IUCV_VMID= PEER_IUCV_APPNAME=
lfpd_start LINR03 "${ours[@]}"
other=$lfpd
lfpd_conf LINR04 PEER_IUCV_VMID= PEER_IUCV_APPNAME=
lfpd_start LINR04 "${ours[@]}"
near=$lfpd
statements 04 IucvDestAppName=LINR04
instance_start 04 "${ours[@]}"
guest_start "${ours[@]}"
statements 01 Transport=vsock IucvDestAppName=LINR03
guest_file /etc/vselfp/lfp-01.conf <"$start_file"
check "the other guest is up" guest "LFP_VMID=VSER06 ijblfpop START 01"
background bench "${ours[@]}" "$O/bench/lfp-bench" server -b 10.0.0.1 -p 7000
mkdir "$work/www"
head -c 2000000 /dev/urandom >"$work/www/data"
background www "${ours[@]}" /usr/bin/python3 -m http.server --directory "$work/www" --bind 10.0.0.1 8000
wait_listen 7000 && wait_listen 8000 || die "the servers do not listen"
sum=$(sha256sum <"$work/www/data" | cut -d ' ' -f 1)

start_hostile() { inside env LFP_VMID=VSER05 "$bin/ijblfpop" START "$guest/start-01" >"$work/start-hostile.log" 2>&1; }
in_other() { guest "lfp-run -i 01 $*"; }
here_on_lfp() { "${ours[@]}" unshare --net -- "$bin/lfp-run" -i 04 "$@"; }
rate() { sed -n 's/.*"seconds": \([0-9.]*\), "ops": \([0-9]*\).*/\2 \1/p' | awk '{ printf "%d", $1 / $2 }'; }
best() { sort -n | tail -n 1; } # a busy machine only slows

# measure FILE: round trips a second of both neighbours, a line for each
measure() {
	in_other "lfp-bench client -b 10.0.0.1 -p 7000 -w rr -s 64 -t $ms" | rate >>"$1.guest"
	echo >>"$1.guest"
	here_on_lfp "$O/bench/lfp-bench" client -b 10.0.0.1 -p 7000 -w rr -s 64 -t "$ms" | rate >>"$1.here"
	echo >>"$1.here"
}
fetched() {
	check_eq "$(in_other "busybox wget -qO- http://10.0.0.1:8000/data | sha256sum" | cut -d ' ' -f 1)" "$sum" \
		"$1: the other guest's bytes are right"
	check_eq "$(here_on_lfp curl -sS --max-time 60 http://10.0.0.1:8000/data | sha256sum | cut -d ' ' -f 1)" "$sum" \
		"$1: this machine's instance, too"
}
high_water() { awk '/^VmHWM:/ { print $2 }' "/proc/$1/status"; }

# under TEXT COMMAND: the neighbours' round trips beside that attack, which is begun and ended for each round, and without it
under() {
	local text=$1 attack i quiet beside who
	shift
	rm -f "$work"/{quiet,beside}.*
	for ((i = 0; i < rounds; i++)); do
		measure "$work/quiet"
		"$@" start || { fail "$text does not begin"; return; }
		measure "$work/beside"
		[ $i -gt 0 ] || fetched "$text"
		"$@" end
	done
	for who in guest here; do
		quiet=$(best <"$work/quiet.$who") beside=$(best <"$work/beside.$who")
		echo "$text: $([ $who = guest ] && echo "the other guest" || echo "this machine's instance") makes $beside round trips a second at best, $quiet" \
			"without: $(awk -v a="$beside" -v b="$quiet" 'BEGIN { printf "%+.0f %%", b ? (a / b - 1) * 100 : 0 }')"
		check "$text: it goes on, $who" test "${beside:-0}" -gt 0
	done
	check "$text: lfpd answers" lfpd_answers LINR02
}

attack=''
noise() {
	case $1 in
	start) background noise "${inside[@]}" /usr/bin/python3 "$top/tests/vsock/hostile.py" noise 5023 3600 && attack=$! ;;
	end) stop_pid $attack ;;
	esac
}
frames() {
	case $1 in
	start) background frames "${inside[@]}" /usr/bin/python3 "$top/tests/system/malform.py" lfpd vsock:5023 3600 "${SEED:=$RANDOM}" && attack=$! ;;
	end) stop_pid $attack ;;
	esac
}
said_many() { grep -q 'connections made' "$work/many.log"; }
many() {
	case $1 in
	start)
		background many "${inside[@]}" sh -c "ulimit -n 20000; exec /usr/bin/python3 $top/tests/vsock/hostile.py many 5023 $connections"
		attack=$!
		wait_for 300 said_many || { cat "$work/many.log"; return 1; }
		tail -n 1 "$work/many.log"
		;;
	end) stop_pid $attack ;;
	esac
}
# The instance is stopped while data for many of its sockets comes.
deaf() {
	case $1 in
	start)
		start_hostile || { cat "$work/start-hostile.log"; return 1; }
		background deaf "${inside[@]}" "$bin/lfp-run" -i 01 sh -c 'for i in 1 2 3 4 5 6 7 8; do
			/usr/bin/curl -sS --no-buffer http://10.0.0.1:8001/ >/dev/null & done; wait'
		attack=$!
		wait_for 60 some_sockets || { cat "$work/deaf.log"; return 1; }
		inside pkill -STOP -x ijblfpop
		;;
	end)
		inside pkill -CONT -x ijblfpop
		stop_pid $attack
		inside "$bin/ijblfpop" STOP 01 IMMEDIATE >/dev/null
		wait_for 60 no_sockets
		;;
	esac
}
some_sockets() { [ "$(lfpd_sockets)" -ge 8 ]; }
background endless "${theirs[@]}" /usr/bin/python3 "$top/tests/vsock/endless.py" 10.0.0.1 8001
wait_listen 8001 || die "the endless server does not listen"

sleepless=$(high_water "$hostile") neighbours=$(($(high_water "$other") + $(high_water "$near")))
device_before=$(rss_kib "$files_device")
under "random bytes" noise
under "frames out of order, seed ${SEED:=$RANDOM}" frames
under "$connections connections" many
under "no reading" deaf
check_le $(($(high_water "$hostile") - sleepless)) 32768 "KiB that its lfpd has grown at most"
check_le $(($(high_water "$other") + $(high_water "$near") - neighbours)) 8192 "KiB that the neighbours' lfpds have grown at most"
echo "the device of its AF_VSOCK, which is the VMM's: $(rss_kib "$files_device") KiB, $device_before before"
check_eq "$(kill -0 "$hostile" && kill -0 "$other" && kill -0 "$near" && echo all)" all "each lfpd is the one of the beginning"
check "the guest that was hostile is served again" start_hostile || cat "$work/start-hostile.log"
check_eq "$(inside "$bin/lfp-run" -i 01 /usr/bin/curl -sS --max-time 60 http://10.0.0.1:8000/data | sha256sum | cut -d ' ' -f 1)" "$sum" "- and its bytes are right"
check "nothing is left" wait_for 30 no_sockets
guest_kill
finish
