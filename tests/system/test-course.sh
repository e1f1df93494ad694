#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/operator-course.md: each exercise prints, on both sides, the text on its page
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3

course=$top/skeletons/course pages=$top/docs/operator-course.md
etc=$LFP_ROOT/etc confs=$LFP_ROOT/etc/opt/ibm/vselfpd
export PATH=$bin:$PATH
export LFP_VMID=VSER05

# Replaces text that varies: the root, process ids, and the start of a line in lfpd's log.
plain() {
	sed -E -e "s|$LFP_ROOT||g" -e 's/(process|pid|of user) [0-9]+/\1 <n>/g' \
		-e 's/^[0-9T:.-]+Z [a-z]+\[[0-9]+\]: //' "$@"
}

# page_says EXERCISE SIDE: the block of that name on the exercise's page
page_says() {
	awk -v at="<!-- $1 -->" -v begin="\`\`\`$2" '
		/^<!-- / { here = $0 == at }
		here && $0 == "```" { take = 0 }
		take { print }
		here && $0 == begin { take = 1 }' "$pages"
}

# same PAGE OUTPUT: "<n>" on the page is any number, "<...>" any lines
same() {
	python3 - "$@" <<-'END'
		import re, sys
		page, out = (open(name).read() for name in sys.argv[1:])
		want = re.escape(page).replace(re.escape("<...>\n"), "(?:.*\n)*?").replace("<n>", "(?:[0-9,]+|<n>)")
		sys.exit(not re.fullmatch(want, out))
	END
}

check_page() { # EXERCISE SIDE OUTPUT
	page_says "$1" "$2" >"$work/page"
	check "$1: the page says what $2 prints" same "$work/page" "$3" || diff "$work/page" "$3"
}

# A host that takes connections on port 7000, and reads.
background sink python3 -c '
import socket, threading
def take(sock):
    try:
        while sock.recv(65536): pass
    except OSError: pass
lis = socket.create_server(("10.0.0.1", 7000))
while True: threading.Thread(target=take, args=lis.accept()[:1], daemon=True).start()'
wait_listen 7000 30

exercise() { # NAME: with the course's files, but for those of the exercise
	local dir=$course/$1 log=$LFP_ROOT/run/vselfpd/LINR02/log console=$LFP_ROOT/run/vselfp/console
	mkdir -p "$confs/confs-available" "$confs/confs-enabled" "$etc/vselfp"
	cp "$top/etc/vselfp/vm-directory.sample" "$etc/vselfp/vm-directory"
	cp "$top/tests/data/lfpd-LINR02.conf" "$confs/confs-available/"
	ln -sf ../confs-available/lfpd-LINR02.conf "$confs/confs-enabled/"
	[ ! -e "$dir/vm-directory" ] || cp "$dir/vm-directory" "$etc/vselfp/"
	[ ! -e "$dir/lfpd-LINR02.conf" ] || cp "$dir/lfpd-LINR02.conf" "$confs/confs-available/"
	rm -f "$log" "$console"
	LFP_VMID=LINLFP lfpd-ctl start LINR02 >"$work/ctl" 2>&1 </dev/null
	"$bin/vsejob" "$dir/job" >"$work/job" 2>&1 </dev/null
	lfpd-ctl stop LINR02 >"$work/stop" 2>&1
	# Output of a failed lfpd-ctl, then the warnings and errors in lfpd's log.
	{ grep -v ' is started, ' "$work/ctl"; cat "$log" 2>/dev/null; } | plain >"$work/linux"
	plain "$work/job" >"$work/vse"
	check_page "$1" vse "$work/vse"
	check_page "$1" linux "$work/linux"
	plain "$console" >"$work/console"
	[ -z "$(page_says "$1" console)" ] || check_page "$1" console "$work/console"
	check_eq "$("$bin/ijblfpop" LIST | head -n 1)" "LFPB025I ACTIVE LFP INSTANCES: 0" "$1: leaves no instance"
	if [ -n "${COURSE_OUT:-}" ]; then # for authors of pages
		mkdir -p "$COURSE_OUT"
		cp "$work/vse" "$COURSE_OUT/$1.vse"
		cp "$work/linux" "$COURSE_OUT/$1.linux"
		cp "$work/console" "$COURSE_OUT/$1.console"
	fi
}

nr=0
for dir in "$course"/*/; do
	exercise "$(basename "$dir")"
	nr=$((nr + 1))
done
check_eq $nr 12 "the exercises"
check_eq "$(grep -c '^<!-- [0-9]' "$pages")" 12 "a page for each"
finish
