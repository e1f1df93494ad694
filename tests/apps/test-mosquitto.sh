#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# mosquitto, mosquitto_pub and mosquitto_sub on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs mosquitto mosquitto_pub mosquitto_sub

head -c 1000000 /dev/urandom >"$work/file"
conf() { # PORT
	cat <<-END
		allow_anonymous true
		persistence false
		log_dest stderr
		log_type all
		listener $1 127.0.0.1
		listener $1 ::1
	END
}
conf 1883 >"$work/conf-lfp"
conf 1884 >"$work/conf-native"

# logged NAME TEXT: the broker has logged the text
logged() { grep -q "$2" "$work/$1.log"; }

# nothing_comes COMMAND...: mosquitto_sub waits no longer than it is told. If the broker has not greeted it by then, it
# ends with 255, and the test gives it more time.
nothing_comes() {
	local seconds rc
	for seconds in 1 10 60; do
		timeout 120 "$@" -W $seconds
		rc=$?
		[ $rc = 255 ] || break
	done
	return $rc
}

number=0
# deliver TEXT BROKER PORT HOST PREFIX...: 500 messages of quality 2, a large one, a kept one
deliver() {
	local text=$1 broker=$2 port=$3 host=$4 sub at=(-h "$4" -p "$3")
	shift 4
	number=$((number + 1))
	timeout 120 "$@" mosquitto_sub "${at[@]}" -i "sub$number" -t lines -q 2 -C 500 >"$work/lines" 2>&1 </dev/null &
	sub=$!
	wait_for 60 logged "$broker" "SUBACK to sub$number" || { fail "$text: no subscription"; return; }
	seq 500 | timeout 120 "$@" mosquitto_pub "${at[@]}" -t lines -q 2 -l
	check_eq $? 0 "$text: publish"
	wait $sub
	check_eq "$(md5sum <"$work/lines")" "$(seq 500 | md5sum)" "$text: 500 messages, in order"

	check "$text: a large message, kept" timeout 120 "$@" mosquitto_pub "${at[@]}" -t file -q 1 -r -f "$work/file"
	check_eq "$(timeout 120 "$@" mosquitto_sub "${at[@]}" -t file -C 1 -N </dev/null | md5sum)" "$(md5sum <"$work/file")" "$text: got"
	check_exit 27 "$text: nothing comes" nothing_comes "$@" mosquitto_sub "${at[@]}" -t nothing
}

lfp_up
background_on_lfp mosquitto-lfp mosquitto -c "$work/conf-lfp"
server=$!
background mosquitto-native mosquitto -c "$work/conf-native"
wait_listen_both 1883 && wait_listen_both 1884 || die "mosquitto does not listen"
deliver "mosquitto on LFP" mosquitto-lfp 1883 127.0.0.1
deliver "clients on LFP, IPv6" mosquitto-native 1884 ::1 "${lfp_prefix[@]}"
deliver "all on LFP" mosquitto-lfp 1883 localhost "${lfp_prefix[@]}"
check_exit 1 "a refused port" into "$work/refused" timeout 120 "${lfp_prefix[@]}" mosquitto_pub -h 127.0.0.1 -p 1 -t x -m y
check "mosquitto ends when it is told" stop_pid $server
finish
