#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# telnet on LFP, to a server of lines; and that server on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs telnet

# A server says that it is there, and ends after "bye". Telnet reads until the server ends.
# shellcheck disable=SC2016
server=(bash -c 'echo ready; while read -r line; do line=${line%$'"'\r'"'}; echo "<$line>"; [ "$line" != bye ] || break; done; seq 20000')

# session TEXT PORT HOST PREFIX...
session() {
	local text=$1 port=$2 host=$3 out=$work/telnet
	shift 3
	rm -f "$out" "$work/said"
	# Telnet ends as soon as its input does, so that is held open until it has seen the server's end. Its output is
	# a file, because at its end it does not wait for the reader of a pipe.
	timeout 120 "$@" telnet "$host" "$port" \
		< <(printf 'one\ntwo words\nbye\n'; wait_for 100 grep -q '^Connection closed' "$work/said") >"$out" 2>"$work/said"
	check_eq "$(tr -d '\r' <"$out" | sed -n '/^ready/,$p' | md5sum)" \
		"$( (echo ready; echo '<one>'; echo '<two words>'; echo '<bye>'; seq 20000) | md5sum)" "$text"
	check_eq "$(grep -c "^Connection closed by foreign host" "$work/said")" 1 "$text: its end"
}

lfp_up
background_on_lfp inetd-lfp "$O/tests/apps/inetd" 2301 "${server[@]}"
background inetd-native "$O/tests/apps/inetd" 2302 "${server[@]}"
wait_listen 2301 && wait_listen 2302 || die "inetd does not listen"
session "server on LFP" 2301 127.0.0.1
session "telnet on LFP" 2302 127.0.0.1 "${lfp_prefix[@]}"
[ -n "${NATIVE:-}" ] || session "both on LFP" 2301 127.0.0.1 "${lfp_prefix[@]}"
check_exit 1 "a refused port" into "$work/refused" timeout 120 "${lfp_prefix[@]}" telnet 127.0.0.1 1
check "and reports it" grep -q 'Connection refused' "$work/refused"
finish
