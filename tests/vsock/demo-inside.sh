# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# demo-inside.sh - ./demo sources it where LFP_GUEST names the folder of a running guest (lib-files.sh): the z/VSE side is in it
# shellcheck disable=SC2034,SC2154

# The path of each instance goes by AF_VSOCK, at a port of its own.
place_in_guest() {
	local nr
	vse=("$build/tests/vsock/remote" run "$LFP_GUEST/vs" 5050)
	operator=("${vse[@]}") statements=$root
	for nr in 1 2; do
		printf '%s\n' "UNIX_STREAM = $LFP_GUEST/vs" "UNIX_PORT = $((5022 + nr))" \
			>>"$root/etc/opt/ibm/vselfpd/confs-available/lfpd-LINR0$((nr + 1)).conf"
		{ cat "$here/lfp-0$nr.conf" && printf '%s\n' "Transport = vsock" "VsockPort = $((5022 + nr))"; } >"$root/lfp-0$nr.conf"
	done
	note "z/VSE side: a guest whose network devices are: $("${vse[@]}" ls /sys/class/net </dev/null | tr '\n' ' ')"
}
