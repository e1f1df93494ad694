# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# The shell of a page: the network that it sees, the words of "pages", and the running of a block.

ip link set lo up
ip addr add 203.0.113.80/32 dev lo # all names of example.com
hostname walk
ldconfig
export CURL_CA_BUNDLE=/etc/walk/cert.pem
python3 /etc/walk/servers.py 203.0.113.80 >/dev/null 2>&1 &
until : </dev/tcp/203.0.113.80/443; do sleep 0.05; done 2>/dev/null

# run_block NUMBER HOW WITH: run it in this shell; each command that fails leaves a line. HOW is
#   fails    one command has to end with the exit code WITH, if that is not 0
#   serves   it goes on in the background, and the command WITH has to succeed while it does
#   user     the user WITH types it
#   file     it is a file: the command WITH reads it in the place of {}
run_block() {
	local came='' bad=/walk/bad-$1 out=/walk/block-out-$1
	: >"$bad"
	case $2 in
	file)
		eval "${3//\{\}//walk/block-$1}" >"$out" 2>&1 </dev/null || echo "exit $?: $3" >"$bad"
		return
		;;
	user)
		runuser -l "$3" -c ". /walk/block-$1" >"$out" 2>&1 </dev/null || echo "exit $? of user $3" >"$bad"
		return
		;;
	serves)
		# shellcheck disable=SC1090 # the block
		(. "/walk/block-$1") >"$out" 2>&1 </dev/null &
		try 20 "$3" >>"$out" 2>&1 || echo "no success: $3" >"$bad"
		return
		;;
	esac
	set -E
	# shellcheck disable=SC2064 # the number of this block
	trap "note_failure $1 $3 \$? \"\$BASH_COMMAND\"" ERR
	# shellcheck disable=SC1090 # the block
	. "/walk/block-$1" >"$out" 2>&1 </dev/null
	trap - ERR
	[ "$3" = 0 ] || [ -n "$came" ] || echo "no exit $3" >>"$bad"
}

# try SECONDS COMMAND: until it succeeds
try() {
	local end=$((SECONDS + $1))
	until eval "$2"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# note_failure NUMBER CODE CAME COMMAND
note_failure() {
	if [ "$2" = "$3" ]; then
		came=yes
	elif [[ $4 != '. "/walk/block-'* ]]; then # that is told already
		echo "exit $3: $4" >>"/walk/bad-$1"
	fi
}

finish_page() { exit 0; }

# The system's own lfpd LINR02 and LFP instance 01, as the samples describe them
linr02() {
	ip addr add 10.0.0.1/32 dev lo
	lfpd-ctl enable LINR02
	lfpd-ctl start LINR02
}
instance01() { ijblfpop --vmid VSER05 START 01; }
both() { linr02 && instance01; }

# in_background COMMAND...: until the page ends
in_background() { "$@" >/dev/null 2>&1 </dev/null & }
wait_listen() { until grep -q "$(printf ':%04X [0-9A-F]*:0000 0A' "$1")" /proc/net/tcp; do sleep 0.05; done; }
echo_server() { in_background python3 /etc/walk/echo.py 10.0.0.1 7 echo; wait_listen 7; }
sink() { in_background python3 /etc/walk/echo.py 10.0.0.1 "$1" sink; wait_listen "$1"; }
# A program on LFP that listens on port 80, and stays
on_lfp_80() {
	in_background lfp-run -i 01 python3 -m http.server --bind 10.0.0.1 80
	until lfpd-admin -i LINR02 sockets | grep -q ':80 '; do sleep 0.05; done
}
# The source, which a page may change as it likes: only its own layer changes
in_tree() {
	. /walk/tree
	cd "$TREE" || return
	git config --global --add safe.directory '*'
}
# talk PORT TEXT ANSWER: send lines to a server on LFP; its answer has that in it
talk() {
	local said=''
	exec {peer}<>"/dev/tcp/10.0.0.1/$1" || return 1
	printf '%b\n' "$2" >&$peer
	read -r -t 2 -u $peer said
	exec {peer}<&-
	[[ $said = *"$3"* ]]
}
# as FILE LINE...: make a small file
as() { local file=$1; shift; printf '%s\n' "$@" >"$file"; }
