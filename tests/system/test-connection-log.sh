#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# CONNECTION_LOG: a record of each call of a program, in a file, for lfpd-admin, on a full disk
# Time limit: 200 s
. "$(dirname "$0")/lib.sh"
needs python3

log=$work/connections.log
conf=$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf
printf 'deny connect 10.0.0.1:7009\ndefault allow\n' >"$work/rules"
lfpd_conf LINR02 CONNECTION_LOG="$log"
ln -s "$work/elsewhere" "$log"
check_exit 69 "a symbolic link is refused" into "$work/said" "$daemons/lfpd" -d -f "$conf"
check "and the reason given" grep -q "VLFD018E .*it is a symbolic link" "$work/said"
check_eq "$(ls "$work/elsewhere" 2>/dev/null)" "" "its target is not made"
rm "$log"
lfp_up CONNECTION_LOG="$log" POLICY_FILE="$work/rules" MAX_SOCKETS=40

cat >"$work/acts.py" <<'END'
import socket
s = socket.create_server(("10.0.0.1", 7000))
c = socket.create_connection(("10.0.0.1", 7000))
a = s.accept()[0]
c.sendall(b"x" * 100000)
n = 0
while n < 100000:
    n += len(a.recv(65536))
a.sendall(b"abc")
c.recv(3)
c.close(), a.close(), s.close()
for port in 7008, 7009:
    try:
        socket.create_connection(("10.0.0.1", port))
    except OSError:
        pass
for name in "localhost", "no.such.name.invalid":
    try:
        socket.getaddrinfo(name, 80)
    except OSError:
        pass
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.0.0.1", 0))
for port in 7005, 7005, 7006:
    u.sendto(b"hello", ("10.0.0.1", port))
u.close()
many = []
try:
    for i in range(60):
        many.append(socket.socket())
        many[-1].bind(("10.0.0.1", 0))
except OSError:
    pass
END
check "a program runs" on_lfp timeout 60 python3 "$work/acts.py"

# seen FILE FIELD=VALUE...: how many records have all these fields
cat >"$work/seen.py" <<'END'
import json, sys
wanted = dict(w.split("=", 1) for w in sys.argv[2:])
print(sum(all(str(r.get(k, "")) == v for k, v in wanted.items()) for r in map(json.loads, open(sys.argv[1]))))
END
seen() { python3 "$work/seen.py" "$@"; }
settled() { [ "$(seen "$log" event=end protocol=udp)" = 1 ] && [ "$(seen "$log" event=socket)" -ge 1 ]; }
check "all records come to the file" wait_for 30 settled
of_all=(program=python3 uid="$(id -u)" instance=LINR02)
check_eq "$(seen "$log" event=bind local_address=10.0.0.1 local_port=7000 rule=2 result=OK "${of_all[@]}")" 1 "bind"
check_eq "$(seen "$log" event=listen local_address=10.0.0.1 local_port=7000 result=OK "${of_all[@]}")" 1 "listen"
check_eq "$(seen "$log" event=connect address=10.0.0.1 port=7000 rule=2 result=OK protocol=tcp "${of_all[@]}")" 1 "connect, with the rule's line"
check_eq "$(seen "$log" event=accept local_port=7000 result=OK "${of_all[@]}")" 1 "accept"
check_eq "$(seen "$log" event=end port=7000 bytes_out=100000 bytes_in=3 result=OK "${of_all[@]}")" 1 "the end of the client's connection, with its bytes"
check_eq "$(seen "$log" event=end local_port=7000 bytes_out=3 bytes_in=100000 result=OK "${of_all[@]}")" 1 "the end of the server's"
check_eq "$(seen "$log" event=connect port=7008 result=ECONNREFUSED refused_by= rule=2)" 1 "what the peer refuses"
check_eq "$(seen "$log" event=connect port=7009 result=ECONNREFUSED refused_by=rule rule=1)" 1 "what a rule refuses"
# A machine without /etc/hosts has no such name.
found=()
! getent ahosts localhost >/dev/null || found=(result=OK)
check_eq "$(seen "$log" event=lookup name=localhost refused_by= "${found[@]}")" 1 "a look-up"
check_eq "$(seen "$log" event=lookup name=no.such.name.invalid refused_by=)" 1 "a look-up that fails"
check_eq "$(seen "$log" event=send port=7005 protocol=udp)$(seen "$log" event=send port=7006)" 11 "datagrams: one record for each address"
check_eq "$(seen "$log" event=end protocol=udp bytes_out=15 bytes_in=0)" 1 "and their sum"
check "what a limit refuses" eval '[ "$(seen "$log" event=socket result=ENFILE refused_by=limit "${of_all[@]}")" -ge 1 ]'
# An lfpd that hosts the instance may have another user than the program.
if [ "$transport" != local ]; then
	python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))')
	check_eq "$(seen "$log" event=connect port=7000 executable="$python")$(seen "$log" event=lookup name=localhost executable="$python")" 11 \
		"the path of the program"
	check_eq "$(seen <("$bin/lfpd-admin" --json log LINR02) event=connect port=7000 executable="$python")" 1 "also by lfpd-admin"
fi
check_eq "$("$bin/lfpd-admin" --json log LINR02 | wc -l)" "$(wc -l <"$log")" "lfpd-admin --json log has the same records"
check_eq "$("$bin/lfpd-admin" -i LINR02 log | grep -c '^TIME ')" 1 "lfpd-admin log has a title"
check_exit 69 "of an instance that does not run" into "$work/said" "$bin/lfpd-admin" log LINR03
check_eq "$(wc -l <"$work/said")" 1 "it says that alone"
check "lfpd-admin log prints them" eval '"$bin/lfpd-admin" -i LINR02 log | grep -q "connect .*python3 .*tcp 10.0.0.1:7009 .*ECONNREFUSED, by line 1 of POLICY_FILE"'
"$bin/lfpd-admin" -i LINR02 --filter :7009 log >"$work/some"
check_eq "$(tail -n +2 "$work/some" | grep -c 10.0.0.1:7009) $(wc -l <"$work/some")" "1 2" "log --filter prints those of one peer"
check_eq "$("$bin/lfpd-admin" -i LINR02 --json --filter econnrefused log | grep -c '"result":"ECONNREFUSED"')" 2 "of one result, as JSON"
check_exit 64 "log has no columns to sort by" into "$work/said" "$bin/lfpd-admin" -i LINR02 --sort time log
check_exit 64 "--follow needs log" into "$work/said" "$bin/lfpd-admin" -i LINR02 -f tasks

# RESTRICT_TO_HOSTID, rotation, and a flood by one user, with lfpd-admin log -f beside it
printf 'default allow\n' >"$work/rules"
group=$(id -gn ${LFP_USER:-})
[ "$group" != root ] || group=daemon
lfpd_conf LINR02 CONNECTION_LOG="$log" POLICY_FILE="$work/rules" MAX_SOCKETS=4096 CONNECTION_LOG_RATE=1 RESTRICT_TO_HOSTID=yes ADMIN_GROUP="$group"
background follow "$bin/lfpd-admin" -i LINR02 --json -f log
mv "$log" "$log.1"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check "opens the file anew" wait_for 30 test -e "$log"
of_group() { [ "$(stat -c %G "$log")" = "$group" ]; }
check "for the new ADMIN_GROUP" wait_for 30 of_group
cat >"$work/flood.py" <<'END'
import socket
for i in range(300):
    with socket.socket() as s:
        try:
            s.connect(("127.0.0.2", 7000))
        except OSError:
            pass
END
check "a program floods the log" on_lfp timeout 60 python3 "$work/flood.py"
all() { # the records, and those that are left out, are all calls
	python3 -c 'import json, sys
r = [json.loads(l) for l in open(sys.argv[1])]
sys.exit(sum(x["event"] == "connect" for x in r) + sum(x.get("count", 0) for x in r) != 300)' "$log"
}
check "none is missing without a count" wait_for 30 all
check "some are left out" eval '[ "$(seen "$log" event=left_out uid="$(id -u)")" -ge 1 ]'
check "RESTRICT_TO_HOSTID is named" eval '[ "$(seen "$log" event=connect address=127.0.0.2 result=ENETUNREACH refused_by=hostid)" -ge 1 ]'
check "lfpd-admin log -f prints the records as they come" wait_for 30 grep -q '"event":"left_out"' "$work/follow.log"
check "the statistics count both" eval '"$bin/lfpd-admin" -i LINR02 --interval 0 statistics | grep -Eq "^log_left_out +[1-9]"'
stop_pid $! TERM

# A full disk: one message, no call waits, and what was kept comes when there is room.
full=$work/small/connections.log
mkdir "$work/small"
if mount -t tmpfs -o size=16k tmpfs "$work/small" 2>/dev/null; then
	chown "$(stat -c %u:%g "$work")" "$work/small"
	head -c 12288 /dev/zero >"$work/small/other"
	lfpd_conf FULL CONNECTION_LOG="$full" TRANSPORT=local LOCAL_INSTANCE=07 CONNECTION_LOG_RATE=100000
	statements 07 IucvDestAppName=FULL Transport=local
	mkdir -p "$LFP_ROOT/etc/vselfp"
	cp "$start_file" "$LFP_ROOT/etc/vselfp/lfp-07.conf"
	background full env LFP_VMID=LINLFP "$daemons/lfpd" -d -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-FULL.conf"
	full_pid=$!
	check "an instance with a small disk" wait_for 30 lfpd_answers FULL
	check "a program goes on when the disk is full" timeout 60 "$bin/lfp-run" -i 07 python3 "$work/flood.py"
	check "a message says so" wait_for 30 grep -q "VLFD180W .*No space left on device" "$work/full.log"
	rm "$work/small/other"
	mount -o remount,size=4m "$work/small"
	check "when there is room again, too" wait_for 30 grep -q VLFD181I "$work/full.log"
	whole() { [ "$(seen "$full" event=connect address=127.0.0.2)" = 300 ]; }
	check "no record is lost" wait_for 30 whole
	check_eq "$(grep -c VLFD180W "$work/full.log")" 1 "the message came once"
	stop_pid $full_pid TERM
	umount "$work/small"
else
	skip_part "no file system can be mounted here"
fi
finish
