#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# TIME_SERVER: the clock of a machine that begins years ago is set by chronyd, which begins to serve after the boot
# Time limit: 600 s
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/../system/lib.sh"
PATH=$PATH:/usr/sbin
needs chronyd
# shellcheck source=tests/via/lib-via.sh
. "$top/tests/via/lib-via.sh"

as=(-U -u "$(id -un)")
mkdir "$work/chrony"
[ "$(id -u)" != 0 ] || { as=(-u _chrony) && chown _chrony: "$work/chrony"; }
cat >"$work/chrony.conf" <<END
local stratum 3
allow 10.0.5.0/24
bindaddress 10.0.5.254
bindcmdaddress /
cmdport 0
pidfile $work/chrony/pid
END
answers() { # TEXT COMMAND...
	local text=$1
	shift
	via "$@" >"$work/answer" 2>&1 && grep -qE "$text" "$work/answer" || { cat "$work/answer"; return 1; }
}
# stamped TEXT: the time of the last message of the console with this text, in seconds
stamped() { date -d "$(grep -aE "$1" "$work/console.log" | tail -n 1 | grep -aoE '[0-9]{4}-[0-9-]*T[0-9:]*Z')" +%s; }

machine=(-rtc base=2021-03-04T05:06:07)
via_conf "CONTROLLER = vsock 2" "TIME_SERVER = 10.0.5.254"
write_disk || die "no disk"
appliance_start
appliance_up
check_eq "$(date -u -d "@$(stamped VLFD550I)" +%Y-%m)" 2021-03 "the machine begins in 2021"
check "without an answer it stays there" answers . query
check_eq "$(date -u -d "@$(stamped ': QUERY$|: QUERY[^A-Z]')" +%Y-%m)" 2021-03 "- as the time of a message says"

background chronyd chronyd "${as[@]}" -x -d -f "$work/chrony.conf"
wait_bound 123 || die "chronyd does not serve: $(cat "$work/chronyd.log")"
from=$(date +%s)
check "chronyd serves: the clock is set" wait_for 120 console_says 'VLFD556I The clock is set by 10\.0\.5\.254; it was off by [0-9]{12} ms'
check "a command after that" answers . list
to=$(date +%s) at=$(stamped ': LIST')
check "- has the time of now" [ "$at" -ge "$((from - 2))" ] && [ "$at" -le "$((to + 2))" ] || echo "$from $at $to"
check "the time of a message is later than that of the one before" [ "$at" -gt "$(stamped VLFD550I)" ]

# Another server, which does not answer, changes nothing.
via_conf "CONTROLLER = vsock 2" "TIME_SERVER = 10.0.5.253"
write_disk || die "no disk"
check "RELOAD with a server that does not answer" answers "Generation 2" reload
check "- is no harm" answers . status
via_conf "CONTROLLER = vsock 2" "TIME_SERVER = time.example"
check_exit 78 "a name in its place is an error" write_disk
check "- with its line" grep -q 'via.conf:[0-9]*: TIME_SERVER: ' "$work/written.log"
finish
