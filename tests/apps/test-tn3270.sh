#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tn3270: c3270 on LFP at the console of Hercules, where a program of System/370 sends back what it reads; as native, and often
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
needs c3270 hercules
python=/usr/bin/python3 # Debian's has pyte
$python -c 'import pyte' 2>/dev/null || skip "python3-pyte is not installed"
tool=$here/tn3270.py

$python "$tool" core "$work/core" || die "no main storage"
printf '%s\n' 'ARCHMODE S/370' 'MAINSIZE 2' 'NUMCPU 1' 'CNSLPORT 10.0.0.1:3270' '0009 3270' >"$work/hercules.conf"
printf '%s\n' "loadcore $work/core 0" restart >"$work/hercules.rc"
background hercules env HERCULES_RC="$work/hercules.rc" hercules -d -f "$work/hercules.conf"
wait_listen 3270 || die "Hercules has no console: $(tail -n 3 "$work/hercules.log")"
check "the program runs in Hercules" wait_for 60 grep -q 'EOF reached on SCRIPT file' "$work/hercules.log"

lfp_up CONNECTION_LOG="$work/connections.log"
words=('hello from lfp' 'a second line' '1234567890123456789012345678901234567890')
# session NAME PREFIX...: the program has one terminal, so the one before has to be gone
session() { timeout 100 $python "$tool" session 10.0.0.1:3270 "${words[@]}" -- "${@:2}" >"$work/$1" 2>&1; }
gone() { [ "$(grep -c 'connection closed' "$work/hercules.log")" -ge "$1" ]; }
check "a native terminal" session native
check "the terminal is gone" wait_for 60 gone 1
check "a terminal on LFP" session lfp "${lfp_prefix[@]}" || cat "$work/lfp"
check_eq "$(cat "$work/lfp")" "$(cat "$work/native")" "shows the same"
check "the terminal is gone, too" wait_for 60 gone 2
if [ -z "${NATIVE:-}" ]; then
	wait_for 30 no_sockets
	check "the log has the connection, with bytes in both directions" wait_for 30 \
		grep -qE '"event":"end".*"program":"c3270".*"port":3270.*"bytes_out":[1-9].*"bytes_in":[1-9]' "$work/connections.log"
fi
for ((i = 1; i <= 10; i++)); do
	session again "${lfp_prefix[@]}" || break
	wait_for 60 gone $((2 + i)) || break
done
check_eq $i 11 "ten more terminals, one after the other"
[ -n "${NATIVE:-}" ] || check "leave no socket" wait_for 30 no_sockets
finish
