#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/packages tells its progress while a slow apt-get works, and ends with it
. "$(dirname "$0")/lib.sh"

# No package is installed. apt-get has one step done, and then waits for the file "go".
mkdir "$work/fake"
cat >"$work/fake/dpkg-query" <<'END'
#!/bin/sh
exit 1
END
cat >"$work/fake/id" <<'END'
#!/bin/sh
echo 0
END
cat >"$work/fake/apt-get" <<'END'
#!/bin/sh
case "$*" in
*' -s '*) printf 'Inst %s\n' one two three ;;
*install*)
	echo "Unpacking one"
	until [ -e "${0%/*}/go" ]; do sleep 0.05; done
	[ ! -e "${0%/*}/fail" ] || { echo "E: no such server"; exit 100; }
	;;
esac
END
chmod 755 "$work/fake"/*

install() { PATH=$work/fake:$PATH PROGRESS_SECONDS=0.2 "$top/scripts/packages" install demo; }
install >"$work/out" 2>&1 &
installer=$!
pids+=($installer)
check "a line tells what is done while apt-get works" wait_for 30 grep -q 'installing, steps: 1 of 6 after' "$work/out"
touch "$work/fake/go"
wait $installer
check_eq $? 0 "it ends well"
check_eq "$(grep -c 'Installing: ' "$work/out")" 1 "the names of the packages come first"
lines=$(wc -l <"$work/out")
read -r -t 0.6 -u "$never" _
check_eq "$(wc -l <"$work/out")" "$lines" "no line comes after its end"

# The demo and the checks stop by a signal to them: the lines stop, too.
rm "$work/fake/go"
install >"$work/out" 2>&1 &
installer=$!
pids+=($installer)
wait_for 30 grep -q 'installing, steps' "$work/out"
stop_pid $installer KILL
touch "$work/fake/go"
lines=$(wc -l <"$work/out")
read -r -t 0.8 -u "$never" _
check_le "$(wc -l <"$work/out")" $((lines + 1)) "no more lines after a kill"
finish
