#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfpd-ctl check --would: what the rules would decide; PRIVILEGED_PORTS = root refuses them to other users
# Time limit: 60 s
. "$(dirname "$0")/lib.sh"
needs python3 setpriv

printf '%s\n' 'deny connect 10.0.0.2' 'allow connect 10.0.0.0/8:80' 'default deny' >"$work/rules"
would() { "$bin/lfpd-ctl" check "$@" >"$work/said" 2>&1; }
check "a file of rules alone" would --rules "$work/rules" --would connect tcp 10.0.0.1:80
check_eq "$(cat "$work/said")" "allowed  connect tcp 10.0.0.1:80: line 2" "names the line"
check_exit 1 "a refused call" would --rules "$work/rules" --would connect tcp 10.0.0.2:80
check_eq "$(cat "$work/said")" "denied   connect tcp 10.0.0.2:80: line 1" "names the line, too"
check_exit 2 "a wrong call" would --rules "$work/rules" --would connect 10.0.0.1
check "is explained" grep -q '^VLFD049E ' "$work/said"
for wrong in "--rules" "--rules $work/rules" "--rules $work/rules --would" "LINR02 --would" "no.name --would connect 10.0.0.1:80"; do
	# shellcheck disable=SC2086 # words
	check_exit 2 "wrong: check $wrong" would $wrong
done
check_exit 6 "no rules" would --rules "$work/none" --would connect 10.0.0.1:80
lfpd_conf LINR02 POLICY_FILE="$work/rules"
check "an instance that does not run" would LINR02 --would connect 10.0.0.1:80
check_eq "$(cat "$work/said")" "allowed  connect tcp 10.0.0.1:80: line 2" "has the same answer"
check_exit 1 "and refuses the same" would LINR02 --would connect 10.0.0.1:81
lfpd_conf LINR02
lfpd_conf LINR02 POLICY_FILE="$work/rules" RESTRICT_TO_HOSTID=yes VSE_HOSTID=10.0.0.1
check "RESTRICT_TO_HOSTID" would LINR02 --would connect 10.0.0.1:80
check_exit 1 "and not this host" would LINR02 --would connect 127.0.0.1:80
check_eq "$(cat "$work/said")" "denied   connect tcp 127.0.0.1:80: RESTRICT_TO_HOSTID = yes, ALLOW_LOOPBACK = no" "names the keys"
lfpd_conf LINR02
check_exit 0 "without rules all is allowed" would LINR02 --would connect 10.0.0.1:81

start=$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)
ports() { "$bin/lfpd-ctl" check LINR02 2>&1 | grep 'privileged ports'; }
if [ "$start" -le 80 ]; then
	skip_part "port 80 is anybody's here"
	finish
fi
lfpd_conf LINR02 PRIVILEGED_PORTS=root
check "check: PRIVILEGED_PORTS" grep -q '^ok .*PRIVILEGED_PORTS = root' <(ports)
check_exit 1 "port 80 is root's" would LINR02 --would listen 127.0.0.1:80 user 1000
check "and root has it" would LINR02 --would listen 127.0.0.1:80 user 0
lfpd_conf LINR02 POLICY_FILE="$work/rules"
check "check: POLICY_FILE" grep -q '^ok .*POLICY_FILE' <(ports)
lfpd_conf LINR02
if [ "$(id -u)" != 0 ]; then
	skip_part "only root binds port 80 here"
	finish
fi
check "check warns of an instance where any user may bind port 80" grep -q '^warning .*PRIVILEGED_PORTS = root' <(ports)
bind() { # UID: a child of that user binds port 80; prints the result
	cat <<-END
		import os, socket
		if os.fork(): os.wait(); os._exit(0)
		os.setresuid($1, $1, $1)
		try: socket.socket().bind(("127.0.0.1", 80)); print("bound", flush=True)
		except PermissionError: print("EACCES", flush=True)
	END
}
chmod 755 "$work"
lfp_up PRIVILEGED_PORTS=
check_eq "$(on_lfp timeout 30 python3 -c "$(bind 1234)")" bound "without the key any user binds port 80"
sed -i '$aPRIVILEGED_PORTS = root' "$conf"
check "reload" into "$work/said" "$bin/lfpd-ctl" reload LINR02
check_eq "$(on_lfp timeout 30 python3 -c "$(bind 1234)")" EACCES "PRIVILEGED_PORTS = root refuses it"
check_eq "$(on_lfp timeout 30 python3 -c "$(bind 0)")" bound "and not to root"
if ! setpriv --reuid 1234 test -x "$bin/lfp-run" || [ ! -x /usr/bin/python3 ]; then
	skip_part "user 1234 cannot run lfp-run and python3 here"
	finish
fi
# lfpd of this private instance has the capability, and its program has not.
private() {
	timeout 30 setpriv --reuid 1234 --regid 1234 --clear-groups --inh-caps +net_bind_service --ambient-caps +net_bind_service \
		env -u XDG_RUNTIME_DIR -u LFP_ROOT "$bin/lfp-run" --private "$@" /usr/bin/python3 -c "$(bind 1234)" 2>&1
}
check_eq "$(private)" EACCES "a private instance without rules refuses it"
check_eq "$(private --allow 'listen :80')" bound "and a rule allows it"
finish
