#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lfp-run never starts a program without the requested network, and passes on all else
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

# refused RC ID COMMAND...: lfp-run ends with RC and says message ID
refused() {
	local want=$1 id=$2 rc
	shift 2
	"$bin/lfp-run" "$@" >"$work/said" 2>&1
	rc=$?
	check "$id: exit $want" [ "$rc" = "$want" ]
	check "$id: $(cat "$work/said")" grep -q "^$id " "$work/said"
	check_eq "$(wc -l <"$work/said")" 1 "$id: one line"
}

refused 69 VLFB702E -i 01 true
refused 69 VLFB702E -i 1 true
refused 64 VLFB700E -i 111 true
LFP_ID=nonsense refused 64 VLFB700E true
refused 127 VLFB710E -i 01 no-such-program
refused 126 VLFB711E -i 01 /etc/passwd
check_exit 64 "no program" "$bin/lfp-run" -i 01 2>/dev/null
check_exit 64 "wrong option" "$bin/lfp-run" -x true 2>/dev/null
check_exit 0 "help" "$bin/lfp-run" -h >/dev/null

lfp_up

if [ "$(id -u)" = 0 ]; then
	cp "$(type -P true)" "$work/setuid"
	chown 1 "$work/setuid" && chmod 4755 "$work/setuid"
	refused 69 VLFB713E --mode=preload -i 01 "$work/setuid"
	if type -P setpriv >/dev/null && type -P setcap >/dev/null; then
		cp "$(type -P true)" "$work/capable"
		setcap cap_net_raw+ep "$work/capable"
		setpriv --reuid 1000 "$bin/lfp-run" --mode=preload -i 01 "$work/capable" 2>&1 | grep -q VLFB714E
		check_eq "${PIPESTATUS[1]}" 0 "file capabilities"
		setpriv --reuid 1000 "$bin/lfp-run" -i 01 "$work/capable" 2>&1 | grep -Eq 'VLFB71[48]E'
		check_eq "${PIPESTATUS[1]}" 0 "which the seccomp tier takes away"
	else
		skip_part "setpriv and setcap are not both installed"
	fi
else
	skip_part "set-user-id programs: not root"
fi
if echo 'int main(void) { return 0; }' | ${CC:-cc} -static -xc -o "$work/static" - 2>/dev/null; then
	refused 69 VLFB712E --mode=preload -i 01 "$work/static"
	printf '#!%s\n' "$work/static" >"$work/script"
	chmod 755 "$work/script"
	refused 69 VLFB712E --mode=preload -i 01 "$work/script"
else
	skip_part "no static program can be linked here"
fi

check_exit 0 "a program" "$bin/lfp-run" -i 01 true
check_exit 3 "its exit code" "$bin/lfp-run" -i 01 -- sh -c 'exit 3'
check_eq "$("$bin/lfp-run" -i 01 echo -i 02 -v)" "-i 02 -v" "its options are its own"
printf '#!/bin/sh\necho script\n' >"$work/fine"
chmod 755 "$work/fine"
check_eq "$("$bin/lfp-run" -i 01 "$work/fine")" script "a script"
# shellcheck disable=SC2016
check_eq "$(env 'LFP$ID=01' "$bin/lfp-run" sh -c 'echo $LFP_ID')" 01 'LFP$ID'
# shellcheck disable=SC2016
check_eq "$("$bin/lfp-run" -i 01 sh -c 'echo $LFP_ROOT')" "$LFP_ROOT" "LFP_ROOT stays"
# shellcheck disable=SC2016
check_eq "$(cd "$LFP_ROOT" && LFP_ROOT=. "$bin/lfp-run" -i 01 sh -c 'case $LFP_ROOT in /*) echo absolute ;; esac')" \
	absolute "LFP_ROOT becomes absolute"
# shellcheck disable=SC2016
check_eq "$(LD_PRELOAD=libdl.so.2 "$bin/lfp-run" -i 01 "$bin/lfp-run" -i 01 sh -c 'echo $LD_PRELOAD')" \
	"$(realpath "$O/lib/libvsesock-preload.so"):libdl.so.2" "what is preloaded already stays, and ours comes once"
check "-v prints the started program" grep -q VLFB709I <("$bin/lfp-run" -v -i 01 true 2>&1)

background echo "$programs/echo" 127.0.0.1 7000
wait_listen 7000
cat >"$work/client.py" <<-'END'
	import os, socket, subprocess, sys
	if len(sys.argv) == 1:
	    if os.getuid() == 0:
	        os.setgid(1000)
	        os.setuid(1000)
	    sys.exit(subprocess.call([sys.executable, sys.argv[0], "child"],
	        env={k: v for k, v in os.environ.items() if k[:3] in ("LD_", "LFP")}, cwd="/"))
	with socket.create_connection(("127.0.0.1", 7000)) as s:
	    s.sendall(b"hello")
	    print(s.recv(5).decode())
END
chmod 644 "$work/client.py"
if [ -x /usr/bin/python3 ]; then
	check_eq "$(on_lfp /usr/bin/python3 "$work/client.py" 2>&1)" hello "a child of another user, with another directory"
else
	skip_part "python3 is not installed"
fi

# an address sanitizer in a shared library, which wants to be loaded first

if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -g -fsanitize=address -shared-libasan -I"$top" -o "$work/sane" "$here/supervised.c" \
	>"$work/cc.log" 2>&1 || ${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -g -fsanitize=address -I"$top" -o "$work/sane" \
	"$here/supervised.c" >"$work/cc.log" 2>&1; then
	for mode in '' preload seccomp both; do
		# shellcheck disable=SC2086
		check "a program with a sanitizer, mode ${mode:-default}" into "$work/sane.out" timeout 60 "${empty_net[@]}" \
			"$bin/lfp-run" ${mode:+--mode=$mode} -i 01 "$work/sane" get 127.0.0.1 7000
		check_eq "$(grep -c hello "$work/sane.out")" 1 "and it has its data"
	done
else
	skip_part "no program with a sanitizer can be linked here"
fi

stop_pid "$lfpd"
down() { ! "$bin/lfp-run" -i 01 true; }
wait_for 30 down
refused 69 VLFB704E -i 01 true
finish
