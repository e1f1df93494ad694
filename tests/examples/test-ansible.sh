#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/ansible: the playbook in a private tree: lfpd starts, new rules count, wrong ones change nothing
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
PATH=$bin:/usr/bin:$PATH
needs ansible-playbook python3

cp -r "$top/examples/ansible" "$work/play" && cd "$work/play" || exit 1
mkdir -p "$LFP_ROOT/etc/opt/ibm/vselfpd"/confs-{available,enabled} "$LFP_ROOT/etc/vselfp" # as the package has them
export HOME=$work ANSIBLE_HOME=$work/ansible ANSIBLE_LOCAL_TEMP=$work/ansible/tmp ANSIBLE_REMOTE_TEMP=$work/ansible/remote ANSIBLE_NOCOLOR=1 ANSIBLE_PIPELINING=1 LC_ALL=C.UTF-8
check "the syntax" into "$work/out" ansible-playbook -i hosts.yml --syntax-check site.yml || cat "$work/out"
printf 'lfp:\n  hosts:\n    here: {ansible_connection: local, ansible_python_interpreter: /usr/bin/python3}\n' >here.yml
echo "{lfp_root: $LFP_ROOT, lfp_log: $work/connections}" >vars.yml
play() { timeout 100 ansible-playbook -i here.yml -e @vars.yml --skip-tags package site.yml "$@" >"$work/out" 2>&1; }
changed() { sed -n 's/^here .*changed=\([0-9]*\).*/\1/p' "$work/out"; }
pid() { cat "$LFP_ROOT/run/vselfpd/FLEET/pid"; }

background server python3 -m http.server -d "$work/play" --bind 10.0.0.1 7000
wait_listen 7000 || die "the server does not listen"
reach() { timeout 60 "$bin/lfp-run" -n -i 01 python3 -c '
import errno, socket
try:
    socket.create_connection(("10.0.0.1", 7000), 20)
    print("connected")
except OSError as e: print(errno.errorcode[e.errno])'; }

sed -i '2i allow connect tcp 10.0.0.1:7000' rules
check "the first run" play || cat "$work/out"
first=$(pid) || die "lfpd does not run"
check_eq "$(reach)" connected "the rules count"
background stays "$bin/lfp-run" -n -i 01 python3 -c '
import socket
s = socket.create_connection(("10.0.0.1", 7000))
print("connected", flush=True)
try: s.recv(1)
except OSError: pass
print("cut", flush=True)'
wait_for 60 grep -qx connected "$work/stays.log" || die "no connection"
check "the second run" play || cat "$work/out"
check_eq "$(changed)" 0 "changes nothing"

cp rules good
echo 'allow connect nonsense' >>rules
check_exit 2 "rules with an error" play
check "the error is named" grep -q 'fleet.rules.new:6: ' "$work/out" || cat "$work/out"
sed 's/:443 sni$/ sni/' good >rules
check_exit 2 "rules that allow more than they should" play
check "change nothing on the host" cmp "$LFP_ROOT/etc/opt/ibm/vselfpd/fleet.rules" good
check_eq "$(reach) $(cat "$work/stays.log")" "connected connected" "nor for programs"
printf 'allow connect tcp packages.example.com:443 sni\ndefault deny\n' >rules
check "rules that forbid an open connection" play || cat "$work/out"
check_eq "$(reach)" ECONNREFUSED "count"
check "end it" wait_for 30 grep -qx cut "$work/stays.log"
check_eq "$(pid)" "$first" "without a restart"
finish
