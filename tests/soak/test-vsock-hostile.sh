#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A hostile guest: nonsense, 10,000 connections, no reading. Its neighbours' bytes stay right, memory and slowdown are bounded
# Time limit: 3600 s
#
# The neighbours are another guest with its own lfpd, and an LFP instance of this machine with a third lfpd. Where there are two
# processors the hostile guest, its device and its lfpd have one, the neighbours the other: a guest's processor time is its VMM's.
#
# Other programs of the machine slow the neighbours, too. So quiet measurements and those beside an attack take turns, the best of each
# counts, and rounds go on up to HOSTILE_MOST until they agree within a tenth. The processor time of a round trip is compared, too:
# it does not include the time that others take. HOSTILE_ROUNDS: the least number of rounds; HOSTILE_MS: how long one measurement takes.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
# shellcheck source=tests/vsock/lib-files.sh
. "$top/tests/vsock/lib-files.sh"
# shellcheck source=tests/vsock/lib-guest.sh
. "$top/tests/vsock/lib-guest.sh"
needs python3 taskset
PATH=/usr/bin:$PATH
connections=${HOSTILE_CONNECTIONS:-10000} rounds=${HOSTILE_ROUNDS:-3} most=${HOSTILE_MOST:-10} ms=${HOSTILE_MS:-1000}
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
# trips FILE LFPD "PID..." COMMAND...: its round trips a second, the processor time of each in us, and that of lfpd alone, a line into FILE
trips() {
	local file=$1 daemon=$2 pids all alone
	read -r -a pids <<<"$3"
	shift 3
	all=$(ran_us "$daemon" "${pids[@]}") alone=$(ran_us "$daemon")
	"$@" "-b 10.0.0.1 -p 7000 -w rr -s 64 -t $ms" >"$work/trips"
	all=$(($(ran_us "$daemon" "${pids[@]}") - all)) alone=$(($(ran_us "$daemon") - alone))
	sed -n 's/.*"seconds": \([0-9.]*\), "ops": \([0-9]*\).*/\1 \2/p' "$work/trips" |
		awk -v all=$all -v alone=$alone '$2 { printf "%d %.2f %.2f\n", $2 / $1, all / $2, alone / $2 }' >>"$file"
}
guest_trips() { in_other "lfp-bench client $1"; }
here_trips() { local words; read -r -a words <<<"$1"; here_on_lfp "$O/bench/lfp-bench" client "${words[@]}"; }

# measure FILE: both neighbours, a line for each
measure() {
	trips "$1.guest" "$other" "$device $qemu" guest_trips
	trips "$1.here" "$near" "$instance" here_trips
}
# best FIELD FILE: the most round trips a second, or the least time of one
best() { sort -g -k "$1,$1" "$2" | awk -v field="$1" '{ v[NR] = $field } END { print v[field == 1 ? NR : 1] + 0 }'; }
# within FIELD WHO: beside the attack, that is at most a tenth worse
within() {
	awk -v field="$1" -v quiet="$(best "$1" "$work/quiet.$2")" -v beside="$(best "$1" "$work/beside.$2")" \
		'BEGIN { exit !(quiet && beside && (field == 1 ? beside >= quiet * 0.9 : beside <= quiet * 1.1)) }'
}
all_within() {
	local who field
	for who in guest here; do
		for field in 1 2 3; do within $field $who || return; done
	done
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
	local text=$1 attack i who its
	shift
	rm -f "$work"/{quiet,beside}.*
	for ((i = 0; i < most; i++)); do
		[ $i -lt "$rounds" ] || ! all_within || break
		measure "$work/quiet"
		"$@" start || { fail "$text does not begin"; return; }
		measure "$work/beside"
		[ $i -gt 0 ] || fetched "$text"
		"$@" end
	done
	for who in guest here; do
		[ $who = guest ] && its="the other guest" || its="this machine's instance"
		echo "$text, $i rounds, $its, at best: $(best 1 "$work/beside.$who") round trips a second, $(best 1 "$work/quiet.$who") without;" \
			"one takes $(best 2 "$work/beside.$who") us of processors, $(best 2 "$work/quiet.$who") without;" \
			"of lfpd $(best 3 "$work/beside.$who") us, $(best 3 "$work/quiet.$who") without"
		check "$text: round trips a second are at most a tenth less, $its" within 1 $who
		check "- one takes at most a tenth more of the processors" within 2 $who
		check "- and of its lfpd" within 3 $who
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
# Nobody reads the path: the instance is stopped, and then data for 64 of its sockets comes, of each as much as a window has. That is
# far more than the stream holds.
said_take() { grep -q 'answers begun' "$work/deaf.log"; }
settled() {
	local ran
	ran=$(ran_us "$hostile")
	read -r -t 0.3 -u "$never" _
	[ "$(ran_us "$hostile")" = "$ran" ]
}
deaf() {
	case $1 in
	start)
		rm -f "$work/begin"
		start_hostile || { cat "$work/start-hostile.log"; return 1; }
		background deaf "${inside[@]}" "$bin/lfp-run" -i 01 /usr/bin/python3 "$top/tests/vsock/hostile.py" take 8001 64 10.0.0.1
		attack=$!
		wait_for 60 said_take || { cat "$work/deaf.log"; return 1; }
		inside pkill -STOP -x ijblfpop
		touch "$work/begin"
		wait_for 60 stream_full || { ss -xmn | grep "$guest/vs_5023"; return 1; }
		;;
	end)
		inside pkill -CONT -x ijblfpop
		stop_pid $attack
		inside "$bin/ijblfpop" STOP 01 IMMEDIATE >/dev/null
		wait_for 60 no_sockets
		;;
	esac
}
# lfpd's end of it holds bytes that its device does not take
stream_full() { ss -xn | awk -v place="$guest/vs_5023" '$5 == place && $4 > 0 { full = 1 } END { exit !full }'; }
background endless "${theirs[@]}" /usr/bin/python3 "$top/tests/vsock/endless.py" 10.0.0.1 8001 "$work/begin"
wait_listen 8001 || die "the endless server does not listen"

sleepless=$(high_water "$hostile") neighbours=$(($(high_water "$other") + $(high_water "$near")))
device_before=$(rss_kib "$files_device")
under "random bytes" noise
under "frames out of order, seed ${SEED:=$RANDOM}" frames
under "$connections connections" many
under "no reading" deaf
# While nobody reads, nothing is to do.
check "no reading begins again" deaf start
check "- lfpd comes to rest" wait_for 30 settled
ran=$(ran_us "$hostile") since=$(now_ms)
measure "$work/last"
check_le $(($(ran_us "$hostile") - ran)) $((($(now_ms) - since) * 10)) "us that its lfpd ran, a hundredth of the time"
deaf end
check_le $(($(high_water "$hostile") - sleepless)) 32768 "KiB that its lfpd has grown at most"
check_le $(($(high_water "$other") + $(high_water "$near") - neighbours)) 8192 "KiB that the neighbours' lfpds have grown at most"
echo "the device of its AF_VSOCK, which is the VMM's: $(rss_kib "$files_device") KiB, $device_before before"
check_eq "$(kill -0 "$hostile" && kill -0 "$other" && kill -0 "$near" && echo all)" all "each lfpd is the one of the beginning"
check "the guest that was hostile is served again" start_hostile || cat "$work/start-hostile.log"
check_eq "$(inside "$bin/lfp-run" -i 01 /usr/bin/curl -sS --max-time 60 http://10.0.0.1:8000/data | sha256sum | cut -d ' ' -f 1)" "$sum" "- and its bytes are right"
check "nothing is left" wait_for 30 no_sockets
guest_kill
finish
