#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The device emulation for a long time, under AddressSanitizer and UndefinedBehaviorSanitizer: random
# channel programs, 24 hours of I/Os to a volume; and a billion events with constant memory
# Time limit: 3600 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
O=$(cd "$top" && cd "${O:-build}" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
programs=${PROGRAMS:-8640000} # 100 a second for 24 hours
seconds=${SECONDS_SIMULATED:-300}
sanitized=$O/soak-devices

# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"

built() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top" -j2 O="$sanitized" SAN=address,undefined \
		"$sanitized/tests/devemu/test-channel-stress" "$sanitized/bin/zdev" >"$work/make" 2>&1 ||
		{ tail -n 20 "$work/make" && false; }
}
check "a build with sanitizers" built

random_programs() { # the program sees that each ends as it should, and that nothing else has changed
	CHANNEL_STRESS=$programs CHANNEL_STRESS_SEED=$1 "$sanitized/tests/devemu/test-channel-stress" \
		>"$work/stress" 2>&1 || { tail -n 30 "$work/stress" && false; }
}
check "$programs random channel programs" random_programs 24

# The same number of I/Os, at their times, through a fabric and on a volume
cat >"$work/day.zdev" <<END
zhpf yes
time $((programs / 100))s
channel 50
channel 51
control-unit 7800
path 50 7800
path 51 7800
zhyperlink 7800
device 7800 cu=7800 file=scratch cylinders=20 hit=90%
load small devices=7800 rate=40 read=70
load ficon devices=7800 rate=20 read=50 bytes=8K program=ccw
load sync devices=7800 rate=30 read=50 sync=yes
load large devices=7800 rate=10 read=50 bytes=48K
END
for ((hour = 1; hour < 24; hour += 2)); do
	echo "fail $((programs * hour / 2400))s channel=51"
	echo "restore $((programs * (2 * hour + 1) / 4800))s channel=51"
done >>"$work/day.zdev"
a_day() {
	"$sanitized/bin/zdev" run -q "$work/day.zdev" >"$work/day" 2>&1 || { cat "$work/day" && false; }
}
check "24 hours of I/Os to a volume" a_day
check "of which each ended well" grep -q '^volume of device 7800: .* 0 errors$' "$work/day"
[ "$failed" = 0 ] || cat "$work/day"

sed "s/^time .*/time ${seconds}s/" "$top/tests/soak/devices.zdev" >"$work/long.zdev"
"$O/bin/zdev" run "$work/long.zdev" >"$work/long" 2>"$work/speed" &
pid=$!
first='' most=0 samples=0
while kill -0 $pid 2>/dev/null; do
	sleep 0.5
	now=$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status 2>/dev/null)
	[ -n "$now" ] || continue
	samples=$((samples + 1))
	# What is under way at once has been seen by then: all that is later is more of the same.
	[ $samples != 8 ] || first=$now
	[ "$now" -le "$most" ] || most=$now
done
check "the long run ends" wait $pid
cat "$work/speed"
events=$(sed -n 's/.* \([0-9]*\) events in .*/\1/p' "$work/speed")
least=$((seconds >= 300 ? 1000000000 : seconds * 3300000))
check "it has had ${events:-no} events" test "${events:-0}" -ge $least
check "memory was looked at often enough ($samples times)" test $samples -ge 16
check_le "$most" $((${first:-0} + 256)) "and stays as it is: ${first:-?} KB at first, most KB later"

counts
