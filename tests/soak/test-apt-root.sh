#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# apt-get update in a root that mmdebstrap has made, by one line: the root has neither LFP nor a network
# Time limit: 900 s
# lib.sh runs the test again, without a network. The root comes from this machine's package sources before.
root=${O:?}/apt-root
if [ -z "${LFP_TEST_NET:-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "skipped: only root makes a root" && exit 77; }
	command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed" && exit 77; }
	for pause in 5 30 no; do
		rm -rf --one-file-system "$root"
		mmdebstrap --quiet --variant=apt --aptopt='Acquire::Retries "3"' bookworm "$root" && break
		[ $pause != no ] || exit 1
		sleep $pause
	done
fi
. "$(dirname "$0")/../system/lib.sh"
. "$top/tests/examples/outside.sh"
outside_up packages.example.com=203.0.113.7 other.example.com=203.0.113.8

mkdir "$work/www/debian"
printf 'Package: brief\nVersion: 1.0\nArchitecture: all\nMaintainer: x\nFilename: brief.deb\nSize: 1\nDescription: x\n' >"$work/www/debian/Packages"
cp "$ca" "$root/etc/ca.pem"
cp "$work/resolv.conf" "$work/hosts" "$root/etc/"
rm -f "$root"/etc/apt/sources.list.d/*
printf 'deb [trusted=yes] https://packages.example.com/debian ./\n' >"$root/etc/apt/sources.list"
printf 'Acquire::https::CAInfo "/etc/ca.pem";\nAcquire::Retries "0";\n' >"$root/etc/apt/apt.conf.d/test"

# update RULE: the line. apt-get ends with 0 if it reaches nothing, so the list counts.
update() {
	rm -rf "$root"/var/lib/apt/lists/*
	timeout 120 "${on_host[@]}" "$bin/lfp-run" --private --mode=seccomp --allow "$1" chroot "$root" apt-get update >"$work/said" 2>&1
	grep -q '^Package: brief' "$root"/var/lib/apt/lists/*_Packages 2>/dev/null
}
check "the root has no LFP" [ -z "$(find "$root" -name '*vsesock*' -print -quit)" ]
not() { ! "$@"; }
check "with a rule for another name it fails" not update other.example.com:443
check "and apt names what it could not look up" grep -q 'packages.example.com' "$work/said"
check "one line: apt-get update" update packages.example.com:443 || cat "$work/said"
check "by HTTPS at the name" grep -q '^443 packages.example.com /debian/' "$work/outside.log"
rm -rf --one-file-system "$root"
finish
