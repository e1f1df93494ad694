#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# vselfp-class: three students' trees, the teacher's overview, marks and resets. tests/soak/test-class.sh has twenty
# Time limit: 300 s
if [ "$(id -u)" = 0 ] && [ -z "${CLASS_ETC-}" ]; then # users are made in a copy of /etc, and others' ids can be the same
	export CLASS_ETC=1
	exec unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
. "$here/class.sh"
needs python3

export PATH=$bin:$PATH
unset LFP_VMID
class() { timeout 200 "$top/course/vselfp-class" -d "$work/class" "$@" >"$work/out" 2>&1 </dev/null; }
says() { grep -q -- "$1" "$work/out" || { cat "$work/out"; return 1; }; }
# row STUDENT: what the overview says of exercises
row() { class list; awk -v who="$1" '$1 == who { sub(/^[^ ]+ +[^ ]+ +/, ""); print }' "$work/out"; }
none='.. .. .. .. .. .. .. .. .. .. .. ..   0'

check_exit 64 "a class of nobody" class 0
check_exit 64 "a class of too many" class 100
check_exit 64 "an unknown command" class jump
check_exit 1 "an overview without a class" class list
check "three students" class -1 3
check_exit 1 "a second class in one place" class -1 3
check_eq "$(ls "$work/class")" "$(printf 'vse%s\n' 01 02 03)" "each has a tree"
check_eq "$(row vse02)" "-                    $none" "nobody runs or has passed anything"
check_eq "$(grep -rlE 'VSER05|LINLFP|VSES0[^2]' "$work/class/vse02")" "" "each has user ids of its own"
check_eq "$(cat "$work/class/vse02/vmid") $(find "$work/class" -name mended | wc -l)" "VSES02 0" "and not the answers"

in_tree() { (cd "$work/class/$1" && class run "$2"); }
check "a student runs an exercise" in_tree vse02 8
check "with these ids" says 'LFP08'
check_exit 64 "an exercise that there is not" in_tree vse02 13
check_exit 1 "outside of a tree" class run 8
# What another user could have laid there is not run.
tree=$work/class/vse02
chmod g+w "$tree"
check_exit 1 "in a tree where others can write" in_tree vse02 8
check "with the reason" says "others can write to $tree"
chmod g-w "$tree"
mv "$tree/vmid" "$work/vmid" && ln -s "$work/vmid" "$tree/vmid"
check_exit 1 "where vmid is a link" in_tree vse02 8
check "with the reason" says "vmid is no file"
mv -T "$work/vmid" "$tree/vmid"
echo kept >"$work/kept"
ln -sf "$work/kept" "$tree/.running"
check_exit 1 "or .running is" in_tree vse02 8
check_eq "$(cat "$work/kept")" kept "nothing is written through it"
rm "$tree/.running"
# One that lasts until it may end.
mkfifo "$work/go"
sed -i "s|^// EXEC IJBLFPOP,PARM='INFO 01'|// SETPARM LFP\$ID=01\n// EXEC BASH\nread -r line <$work/go\n/*\n&|" "$work/class/vse03/08-mtu-differs/job"
in_tree vse03 8 &
student=$!
runs() { row vse03 | grep -q '^08-mtu-differs '; }
check "the overview shows it while it runs" wait_for 60 runs
check_exit 1 "it is not reset meanwhile" class reset vse03
check "which is told" says 'vse03 runs 08-mtu-differs and was not reset'
check_exit 1 "and no second one runs" in_tree vse03 1
echo go >"$work/go"
wait $student
check_eq "$(row vse03)" "-                    $none" "it has ended"

sed -i 's/^read -r line.*/true/' "$work/class/vse03/08-mtu-differs/job" # nobody lets it go on
mend "$work/class/vse01" 05 08
class mark
check_eq "$(row vse01 | cut -c 22-)" ".. .. .. .. 05 .. .. 08 .. .. .. ..   2" "what is mended is passed"
check_eq "$(row vse03)" "-                    $none" "what is edited and not mended is not"
sed -i 's/LINR02/LINR20/' "$work/class/vse01/05-wrong-destappname/job"
class mark vse01
check_eq "$(row vse01 | cut -c 22-)" ".. .. .. .. .. .. .. 08 .. .. .. ..   1" "nor what is broken again"
class reset vse01
check_eq "$(row vse01) $(grep -c LINR20 "$work/class/vse01/05-wrong-destappname/job")" "-                    $none 1" "a reset student begins anew"
check_exit 64 "a student that there is not" class reset vse04
check_exit 64 "a path" class reset ../class
check "all are reset" class reset all
check "the class is removed" class remove
check "with all of it" test ! -e "$work/class"

if [ "$(id -u)" != 0 ]; then
	skip_part "students as users: only root makes users"
	finish
fi
mkdir "$work/etc" && cp -a /etc/. "$work/etc/" && mount --bind "$work/etc" /etc || die "no copy of /etc"
chmod 711 "$work"
check "two students as users" class 2
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}" 2>/dev/null; }
mode() { stat -c '%U %a' "$work/class/$1"; }
check_eq "$(mode vse01) $(mode vse02) $(mode .)" "vse01 700 vse02 700 root 755" "each owns the own tree"
check "a student edits it" as vse01 touch "$work/class/vse01/01-guest-not-there/job"
check "and not that of another" eval '! as vse01 ls "$work/class/vse02" && ! as vse01 touch "$work/class/vse02/x" && ! as vse01 mv "$work/class/vse02" "$work/class/x"'
check "nor the marks" eval '! as vse01 touch "$work/class/.marks/vse01"'
# What is in a tree is run and read by nobody else.
sed -i "s|^// EXEC IJBLFPOP,PARM='INFO 01'|// SETPARM LFP\$ID=01\n// EXEC BASH\nid -u >$work/class/vse01/who\n/*\n&|" "$work/class/vse01/08-mtu-differs/job"
sed -i 's/^MTU_SIZE.*/MTU_SIZE = 8192/' "$work/class/vse01/08-mtu-differs/lfpd-LINR02.conf"
echo secret >"$work/secret" && chmod 600 "$work/secret"
as vse02 mkfifo "$work/class/vse02/.running"
as vse02 ln -sf "$work/secret" "$work/class/vse02/05-wrong-destappname/job"
# Root's terminal, descriptors and processes are out of its reach, and it leaves none.
cat >"$work/does" <<-END
	{ (: </dev/tty) && echo terminal; (: <&7) && echo descriptor; pwd; env | grep SECRET; } >$work/class/vse01/reach 2>/dev/null
	setsid sleep 1000 >/dev/null 2>&1 &
END
sed -i "/^id -u/r $work/does" "$work/class/vse01/08-mtu-differs/job"
cat >"$work/teacher.py" <<-'END'
	import os, pty, sys
	sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
END
at_terminal() {
	SECRET=x timeout 200 python3 "$work/teacher.py" bash -c 'exec "$@" 7</dev/null' _ "$top/course/vselfp-class" -d "$work/class" "$@" >"$work/out" 2>&1 </dev/null
}
processes() { # STUDENT
	local id
	id=$(id -u "$1") && cat /proc/[0-9]*/status 2>/dev/null | awk -v id="$id" '$1 == "Uid:" && $2 == id' | wc -l
}
check "a teacher at a terminal marks" at_terminal mark
check_eq "$(row vse01 | cut -c 22-)" ".. .. .. .. .. .. .. 08 .. .. .. ..   1" "an exercise of a user is marked"
check_eq "$(cat "$work/class/vse01/who")" "$(id -u vse01)" "as that user"
check_eq "$(cat "$work/class/vse01/reach")" / "without the terminal, descriptors, directory and environment of root"
check_eq "$(processes vse01)" 0 "none of its processes is left"
check_eq "$(row vse02)" "-                    $none" "a pipe stops nobody, and a link shows nothing"

# A minute is two seconds here.
mkdir "$work/fake"
fake() { # PROGRAM TEXT: has this text in front
	printf '#!/bin/bash\n%s\nexec %s "$@"\n' "$2" "$(command -v "$1")" >"$work/fake/$1" && chmod 755 "$work/fake/$1"
}
fake timeout '[ "$3" != 60 ] || set -- "$1" "$2" 2 "${@:4}"'
as vse01 sed -i -e '/^setsid/d' -e "s|^{ (: .*|echo \$LFP_ROOT >$work/class/vse01/where; for dir in /proc/[0-9]*; do [ \$dir = /proc/\$\$ ] \|\| kill -STOP \${dir#/proc/}; done|" "$work/class/vse01/08-mtu-differs/job"
marks_quickly() { PATH=$work/fake:$PATH timeout 60 "$top/course/vselfp-class" -d "$work/class" mark vse01 >"$work/out" 2>&1; }
check "a job that stops its parents does not stop the teacher" marks_quickly
check "it is not passed" says "vse01 has passed 0 of 12"
check_eq "$(processes vse01)" 0 "and has ended"
where=$(cat "$work/class/vse01/where")
check "with its files" eval '[[ $where = /tmp/*/root && ! -e $where ]]'

fake rm '[ "$1" != -rf ] || exit 1'
faking() { PATH=$work/fake:$PATH class "$@"; }
check_exit 1 "a tree that cannot be deleted is told" faking reset vse02
check "with its place" says "the one before is still in $work/class/.new"
rm "$work/fake/rm"
background left setpriv --reuid vse01 --regid vse01 --clear-groups sleep 1000
fake userdel '[ "$1" != vse02 ] || exit 10'
check_exit 1 "a user who cannot be deleted is told" faking remove
check_eq "$(getent passwd vse01 vse02 | cut -d : -f 1)" vse02 "the other is, with a running process"
check_exit 1 "there is no new class yet" class 2
check "later all is removed" class remove
check_eq "$(getent passwd | grep -c '^vse0') $(ls "$work/class" 2>&1 | grep -c vse0)" "0 0" "the users, too"
finish
