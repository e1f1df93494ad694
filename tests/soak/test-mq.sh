#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole table mq over each route that this machine has: with the queue managers of this package, each cell three times, and with two
# mosquitto. Then 1 GB over HiperSockets as a network device while its receivers are held at random: no byte is wrong
# Time limit: 3600 s
#
# MQ_ROUTES: of the table, by default hsi, osa, hipersockets, unix, shm, local and native; MQ_REPEAT: runs of a cell. MQ_MB: of the second part.
. "$(dirname "$0")/../system/lib.sh"
needs python3 tc
routes=()
for route in ${MQ_ROUTES-hsi osa hipersockets unix shm local native}; do routes+=(--route "$route"); done

whole() { # NAME OPTION...
	local name=$1
	shift
	timeout 1500 "$bin/lfp-workload" mq "${routes[@]}" --json "$@" >"$work/$name.json" 2>"$work/progress"
	check_eq $? 0 "the whole table, $name" || cat "$work/progress"
	check "all of its cells are measured, and all counters agree" python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not r["complete"] or not all("rate" in cell for cells in r["cells"].values() for cell in cells.values()))' "$work/$name.json"
	cp "$work/$name.json" "$O/test-logs/mq-$name.json"
}
whole own --repeat "${MQ_REPEAT:-3}"
if PATH=$PATH:/usr/sbin command -v mosquitto >/dev/null; then whole mosquitto --managers mosquitto; else skip_part "no mosquitto"; fi

if [ "$(id -u)" = 0 ] && [ -c /dev/net/tun ]; then
	cd "$top/zdev/examples" || exit 1
	mkfifo "$work/commands"
	"$daemons/zdev" hsi --linux-net=/proc/self/ns/net mq-profile.tcpip ifcfg-hsi0 mq-linux.commands <"$work/commands" >"$work/answers" 2>"$work/zdev.log" &
	zdev=$!
	exec 6>"$work/commands"
	wait_for 30 grep -q VLFZ065I "$work/zdev.log" || die "zdev hsi does not start: $(cat "$work/zdev.log")"
	namespace=$(grep -o '/proc/[0-9]*/task/[0-9]*/ns/net' "$work/zdev.log" | head -n 1)
	nsenter --net="$namespace" python3 "$top/tests/system/flood.py" serve 10.1.2.1 2424 &
	server=$!
	serves() { grep -q ":0978 .* 0A " "/proc/$server/net/tcp"; }
	wait_for 30 serves
	mkfifo "$work/go"
	timeout 1200 python3 "$top/tests/system/flood.py" send 10.1.2.1 2424 16 $((${MQ_MB:-1000} << 16)) <"$work/go" >"$work/flood" 2>&1 &
	flooder=$!
	exec 7>"$work/go"
	wait_for 30 grep -q ready "$work/flood"
	echo >&7
	held=0
	while kill -0 "$flooder" 2>/dev/null; do
		end=$((RANDOM % 2 ? 1 : 0))
		[ $end = 0 ] && end=ZOS || end=LINUX
		echo "HOLD $end" >&6
		sleep 0.0$((RANDOM % 9 + 1)) # the hold itself
		echo "RELEASE $end" >&6
		held=$((held + 1))
		sleep 0.5
	done
	exec 7>&-
	wait "$flooder"
	check_eq "$(tail -n 1 "$work/flood")" "16 right" "${MQ_MB:-1000} MB arrive, with $held holds"
	echo COUNTERS >&6
	wait_for 30 grep -q '^{' "$work/answers"
	check "and packets were lost meanwhile" grep -qE '"discarded_out": [1-9]' "$work/answers"
	echo STOP >&6
	wait "$zdev"
	check_eq $? 0 "zdev hsi ends"
	kill "$server"
else
	skip_part "no root, or no /dev/net/tun"
fi
finish
