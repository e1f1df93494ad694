#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# rpm/lfpd.spec as Fedora and SUSE read it: with their macros, which this rpm lacks. Nothing is built there, because their
# packages are not at hand.
# Time limit: 60 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
command -v rpmspec >/dev/null || { echo "rpmspec is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
not() { ! "$@"; }
has() { grep -qE -- "$1" "$spec" || { cat "$work/err"; return 1; }; }

common=(--define 'vselfpd_version 1.2.3' --define 'vselfpd_revision 4' --define '_libdir /usr/lib64' --define '_isa (x86-64)'
	--define '_unitdir /usr/lib/systemd/system' --define '_sysusersdir /usr/lib/sysusers.d' --define '_tmpfilesdir /usr/lib/tmpfiles.d'
	--define '_sbindir /usr/sbin')
for vendor in redhat suse; do
	spec=$work/$vendor
	# Fedora has /usr/sbin as a link to /usr/bin since 42, and then this value.
	own=()
	[ $vendor = suse ] || own=(--define '_sbindir /usr/bin')
	SOURCE_DATE_EPOCH=1700000000 rpmspec -P --define "_vendor $vendor" "${common[@]}" "${own[@]}" "$top/rpm/lfpd.spec" >"$spec" 2>"$work/err"
	check "$vendor: it is read" test $? = 0
	check "$vendor: without a remark" not grep -vE '^$' "$work/err"
	check "$vendor: the version" has '^Version: +1\.2\.3$'
	check "$vendor: the revision" has '^Release: +4$'
	check "$vendor: no macro is left" not grep -nE '%\{[a-z_]|%[(]' "$spec"
	check "$vendor: what it is built with" has '^BuildRequires: .*pkgconfig\(libseccomp\)'
	check "$vendor: and for lfpd-admin" has '^BuildRequires: .*pkgconfig\(jansson\) pkgconfig\(ncursesw\)'
	case $vendor in
	redhat) check "$vendor: the name of iniparser" has '^BuildRequires: +iniparser-devel$' ;;
	suse) check "$vendor: the name of iniparser" has '^BuildRequires: +libiniparser-devel$' ;;
	esac
	check "$vendor: the library's directory" has '^/usr/lib64/libvsesock\.so\.1$'
	check "$vendor: the package of the library is of the same machine" has '^Requires: +libvsesock\(x86-64\) = 1\.2\.3-4$'
	check "$vendor: the day of the build" has '^\* Tue Nov 14 2023 '
	check "$vendor: nothing of Debian's" not has 'x86_64-linux-gnu|debug_package'
done
check "programs of the administrator are where Fedora has them" grep -q '^/usr/bin/lfpd-ctl$' "$work/redhat"
check "and where SUSE has them" grep -q '^/usr/sbin/lfpd-ctl$' "$work/suse"
# Packages that an %if hides from Debian's rpm are read, too.
check "both have the same packages" diff <(grep '^%package' "$work/redhat") <(grep '^%package' "$work/suse")
counts
