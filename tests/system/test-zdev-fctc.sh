#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# zdev fctc: two processes and a channel-to-channel connection between them, by both modes, in the
# clear and encrypted
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"

umask 077
socket=$work/ctc
log_says() { grep -qF -- "$1" "$work/$2.log"; }
there() { [ -S "$socket" ]; }

# pair INPUT LISTENER-OPTIONS... -- OPTIONS...: exit codes in $listened and $connected, what was
# received in $work/copy; the words send and receive are among the options
pair() {
	local input=$1 first=() second=()
	shift
	while [ "$1" != -- ]; do
		first+=("$1")
		shift
	done
	shift
	second=("$@")
	: >"$work/copy"
	background listener sh -c 'in=$1; out=$2; shift 2; exec "$@" <"$in" >>"$out"' - \
		"$input" "$work/copy" timeout 60 "$daemons/zdev" fctc -l "${first[@]}" "$socket"
	listener=$!
	wait_for 30 there || return 99
	connected=0
	listened=0
	timeout 60 "$daemons/zdev" fctc "${second[@]}" "$socket" <"$input" >>"$work/copy" 2>"$work/err" || connected=$?
	wait "$listener" || listened=$?
	[ "$connected$listened" = 00 ]
}

{
	printf 'one\ntwo\n\n'
	head -c 200000 /dev/zero | tr '\0' x # a line of several blocks
	printf '\nlast, without an end'
} >"$work/lines"
head -c 1000003 "$daemons/zdev" >"$work/bytes"
: >"$work/empty"

for mode in "" -x; do
	for input in lines empty; do
		check_exit 0 "mode '$mode': $input, the receiver listens" pair "$work/$input" $mode receive -- $mode -v send
		check "all has come" cmp -s "$work/$input" "$work/copy"
		check_exit 0 "mode '$mode': $input, the sender listens" pair "$work/$input" $mode -v send -- $mode receive
		check "all has come" cmp -s "$work/$input" "$work/copy"
	done
	check_exit 0 "mode '$mode': blocks of 5000 bytes" pair "$work/bytes" $mode receive -- $mode -v -b 5000 send
	check "all has come" cmp -s "$work/bytes" "$work/copy"
	check "in so many blocks" grep -qF 'VLFZ047I 201 blocks, 1000003 bytes have been sent, in the clear.' "$work/err"
	check "the socket has gone" test ! -e "$socket"
done

mkfifo "$work/slow"
gone() { # MODE...: the sender is killed after a line
	background receiver sh -c 'out=$1; shift; exec "$@" >"$out"' - \
		"$work/copy" timeout 60 "$daemons/zdev" fctc -l "$@" receive "$socket"
	receiver=$!
	wait_for 30 there || return 99
	background sender sh -c 'in=$1; shift; exec "$@" <"$in"' - "$work/slow" "$daemons/zdev" fctc "$@" send "$socket"
	sender=$!
	exec 7<>"$work/slow" # both ways: that is no signal if the sender has failed
	echo line >&7
	wait_for 30 grep -q line "$work/copy" || return 99
	kill -KILL "$sender"
	wait "$sender" 2>/dev/null
	exec 7>&-
	wait "$receiver"
}
check_exit 1 "a sender that goes before its end of file" gone -x
check "with a message" log_says "VLFZ041E The other side ended before the end of its file." receiver
check_exit 0 "in basic mode that is the end" gone
check_eq "$(cat "$work/copy")" line "with the received lines"
check_exit 69 "nobody listens" "$daemons/zdev" fctc send "$socket"
for wrong in "" "send" "copy $socket" "-b 0 send $socket" "-b 65536 send $socket" "--required send $socket" \
	"--keys=x send $socket" "--key-server=/x --keys=x --name=a/b --peer=c send $socket"; do
	# shellcheck disable=SC2086 # words
	check_exit 64 "zdev fctc $wrong" "$daemons/zdev" fctc $wrong
done

"$daemons/zdev" keyserver --new ONE TWO >"$work/ends"
{ cat "$work/ends" && echo 'share ONE TWO'; } >"$work/keys"
background server "$daemons/zdev" keyserver "$work/server" "$work/keys"
wait_for 30 log_says VLFZ030I server || die "the key server has not started"
one=(--key-server="$work/server" --keys="$work/ends" --name=ONE --peer=TWO)
two=(--key-server="$work/server" --keys="$work/ends" --name=TWO --peer=ONE)
check_exit 0 "both have the key" pair "$work/bytes" -x "${one[@]}" --required receive -- -x -v -b 5000 "${two[@]}" --required send
check "all has come" cmp -s "$work/bytes" "$work/copy"
check "encrypted" grep -qF 'VLFZ047I 201 blocks, 1000003 bytes have been sent, encrypted.' "$work/err"
check_exit 0 "one is not capable" pair "$work/lines" -x "${one[@]}" receive -- -x -v send
check "all has come" cmp -s "$work/lines" "$work/copy"
check "in the clear" grep -qF 'in the clear.' "$work/err"
pair "$work/lines" -x "${one[@]}" --required receive -- -x send
check_eq "$connected$listened" 11 "one is not capable, and the other requires it: both fail"
check "nothing has come" test ! -s "$work/copy"
sed '/^end TWO/s/[0-9a-f]\{64\}/'"$(printf '%064d' 7)"/ "$work/ends" >"$work/wrong"
two[1]=--keys=$work/wrong
pair "$work/lines" -x "${one[@]}" --required receive -- -x "${two[@]}" send
check_eq "$connected$listened" 11 "a wrong secret"
check "with a message" grep -qF 'VLFZ044W TWO has no key: ' "$work/err"
check_exit 78 "an end without a secret" "$daemons/zdev" fctc --key-server="$work/server" --keys="$work/ends" --name=NOBODY --peer=ONE send "$socket"
check_exit 69 "no such file" "$daemons/zdev" fctc --key-server="$work/server" --keys="$work/none" --name=ONE --peer=TWO send "$socket"
finish
