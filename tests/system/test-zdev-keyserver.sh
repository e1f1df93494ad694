#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev keyserver: a key server as a process, ends in two other processes, scenarios, hostile clients
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

umask 077
zdev() { "$daemons/zdev" "$@" >"$work/out" 2>"$work/err"; }
says() { grep -qF -- "$1" "$work/out"; }
complains() { grep -qF -- "$1" "$work/err"; }
log_says() { grep -qF -- "$1" "$work/$2.log"; }

# start_server ADDRESS [DESCRIPTORS]: $server is its id, $address where it listens
start_server() {
	background server bash -c "ulimit -n ${2:-1024}; exec \"\$@\"" - "$daemons/zdev" keyserver -v "$1" "$work/keys"
	server=$!
	wait_for 30 log_says VLFZ030I server || die "the key server has not started"
	address=$(sed -n 's/^VLFZ030I The key server listens on \(.*\), for .*/\1/p' "$work/server.log")
}

check_exit 0 "secrets are made" zdev keyserver --new CHP50 CU7800 KEEPER OTHER
check_eq "$(grep -cE '^end [A-Z0-9]+ [0-9a-f]{64}$' "$work/out")" 4 "of four ends"
check_eq "$(cut -d' ' -f3 "$work/out" | sort -u | wc -l)" 4 "four different ones"
cp "$work/out" "$work/keys"
check_exit 64 "an invalid name" zdev keyserver --new 'CHP 50'
check "with a message" complains "'CHP 50' is not a name"
check_exit 64 "without a file" zdev keyserver 127.0.0.1:0
check_exit 78 "nobody shares a key" zdev keyserver 127.0.0.1:0 "$work/keys"
check "with a message" complains "VLFZ016E"
printf 'share CHP50 CU7800\nshare KEEPER OTHER\n' >>"$work/keys"
check_exit 69 "there is no such file" zdev keyserver 127.0.0.1:0 "$work/none"
check "with a message" complains "VLFZ017E $work/none: No such file"
chmod 644 "$work/keys"
check_exit 78 "others may read it" zdev keyserver 127.0.0.1:0 "$work/keys"
check "with a message" complains "users other than its owner"
chmod 600 "$work/keys"
check_exit 64 "an invalid address" zdev keyserver here "$work/keys"
check_exit 69 "an address that is not ours" zdev keyserver 192.0.2.1:5696 "$work/keys"
check "with a message" complains "VLFZ039E The key server cannot listen on 192.0.2.1:5696"

scenario() { # CHANNEL CONTROL-UNIT: their fces=
	cat >"$work/ends.zdev" <<-END
		zhpf yes
		time 5ms
		key-server k address=$address keys=keys
		channel 50 fces=$1
		control-unit 7800 fces=$2
		path 50 7800
		device 7800 cu=7800
		load a devices=7800 streams=2
	END
}
# shows WHAT NAME: both displays
shows() {
	zdev display 'D M=DEV(7800)' "$work/ends.zdev"
	check "$2: D M=DEV shows $1" says "CONNECTION SECURITY   $1"
	zdev display 'D M=CHP(50),PATHINFO' "$work/ends.zdev"
	check "$2: D M=CHP shows $1" says "Y            $1"
}
start_server 127.0.0.1:0
scenario yes yes
shows Encr "both ends and a server"
check_exit 0 "a run" zdev run -q "$work/ends.zdev"
check "is encrypted" says "path 50 7800: encrypted"
hash=$(grep '^event log' "$work/out")
check_exit 0 "and again" zdev run -q "$work/ends.zdev"
check_eq "$(grep '^event log' "$work/out")" "$hash" "with the same events"
check "the server logs each client's key" log_says "CHP50 got the key that it shares with CU7800" server
scenario yes no
shows None "a control unit that is not capable"
scenario yes yes
sed -i '/^end CU7800/s/[0-9a-f]\{64\}/'"$(printf '%064d' 7)"/ "$work/keys"
shows None "a wrong secret"
check "with the reason" complains "VLFZ014W $work/ends.zdev:6: path 50 7800 is not encrypted: CU7800 has no key: the key server has a different secret for it."
sed -i '/^end CU7800/d; /^share/d' "$work/keys"
shows None "no secret"
stop_pid "$server"
check "it has ended by itself" log_says "VLFZ036I" server
shows None "no server"
check "with the reason" complains "CHP50 has no key: Connection refused"
scenario yes required
check_exit 0 "encryption is required" zdev run -q "$work/ends.zdev"
check "the path is not used" complains "VLFZ015W $work/ends.zdev:6: path 50 7800 is not used"
check "nothing has gone over it" says "load a: 0.0 I/Os a second"
scenario yes yes
rm "$work/keys"
check_exit 78 "the file with the secrets is gone" zdev run -q "$work/ends.zdev"
check "with the reason" complains "VLFZ003E $work/ends.zdev:3: key-server k: $work/keys: No such file"

"$daemons/zdev" keyserver --new KEEPER OTHER >"$work/keys"
cp "$work/keys" "$work/ends" # the ends' file: no shares
echo 'share KEEPER OTHER' >>"$work/keys"
start_server "$work/server"
# two_ends KEEPER-FILE OTHER-FILE MODE: exit code of the reader
two_ends() {
	local rc
	rm -f "$work/fctc"
	background writer "$programs/fctc-end" writer "$work/fctc" KEEPER OTHER "$work/server" "$1" "$3" 40
	writer=$!
	wait_for 30 log_says ready writer || return 99
	"$programs/fctc-end" reader "$work/fctc" OTHER KEEPER "$work/server" "$2" "$3" 40 >"$work/out" 2>&1
	rc=$?
	wait "$writer" || rc=1
	return $rc
}
check_exit 0 "two processes send 40 blocks" two_ends "$work/ends" "$work/ends" required
check "encrypted, and nothing is dropped" grep -qE '^encrypted, 40 blocks, [0-9]+ frames sealed, [0-9]+ opened, 0 dropped' "$work/out"
check "with keys that have changed" test "$(sed -n 's/.* keys //p' "$work/out")" -gt 3
sed '/^end OTHER/s/[0-9a-f]\{64\}/'"$(printf '%064d' 7)"/ "$work/ends" >"$work/wrong"
check_exit 0 "one has a wrong secret" two_ends "$work/ends" "$work/wrong" yes
check "in the clear" grep -q '^clear, 40 blocks, 0 frames sealed' "$work/out"
check_exit 1 "and may not send in the clear" two_ends "$work/ends" "$work/wrong" required
kill -HUP "$server"
check "SIGHUP makes new keys" wait_for 30 log_says VLFZ037I server
check_exit 0 "after SIGHUP there is another key" two_ends "$work/ends" "$work/ends" required

cat >"$work/hostile.py" <<-'END'
	import signal, socket, sys
	held = []
	def client(data):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(sys.argv[1])
	    try: s.sendall(data)
	    except OSError: pass
	    held.append(s)
	for i in range(100):
	    client(b"")                                    # says nothing
	    client(bytes([22, 3, 1, 0, 200, 1, 0, 0]))     # half a handshake
	    client(bytes((i * 7 + n * 13) % 256 for n in range(999))) # garbage
	print("held", flush=True)
	signal.pause()
END
stop_pid "$server"
start_server "$work/server" 40
background hostile python3 "$work/hostile.py" "$work/server"
hostile=$!
wait_for 30 log_says held hostile || die "the hostile clients are not there"
check_exit 0 "ends are served among 300 hostile clients, with 40 descriptors" two_ends "$work/ends" "$work/ends" required
check "encrypted" grep -q '^encrypted, 40 blocks' "$work/out"
stop_pid "$hostile"
check "the server lives" kill -0 "$server"
check_exit 0 "a second server for its socket is refused" test "$("$daemons/zdev" keyserver "$work/server" "$work/keys" >/dev/null 2>&1; echo $?)" = 69
stop_pid "$server"
check "its socket is gone with it" test ! -e "$work/server"
start_server "$work/server"
first=$server
rm "$work/server"
start_server "$work/server"
stop_pid "$first"
check "a socket of another server is not removed" test -S "$work/server"
stop_pid "$server"
check "but by that one" test ! -e "$work/server"

secret=$(printf '%064d' 5)
printf 'end %s A\n' "$secret" >"$work/swapped"
check_exit 78 "name and secret are the wrong way round" zdev keyserver 127.0.0.1:0 "$work/swapped"
check "with a message" complains "VLFZ017E $work/swapped:1: word 2 is not a name"
check "without the secret" eval "! complains $secret && ! says $secret"
finish
