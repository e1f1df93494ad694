#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/ijblfplx: a ZIP with the RPM, the same bytes each time; another file is refused
# Time limit: 60 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
refuses() { ! "$top/scripts/ijblfplx" "$@" 2>"$work/err" && [ ! -e "$1" ]; }
cd "$work" || exit 1
printf '\xed\xab\xee\xdb and more' >lfpd-1.rpm
check "an RPM is packed" "$top/scripts/ijblfplx" IJBLFPLX.W lfpd-1.rpm
check "in a ZIP that Python reads" sh -c "python3 -m zipfile -e IJBLFPLX.W out && cmp -s lfpd-1.rpm out/lfpd-1.rpm"
check "which holds nothing else" test "$(ls out)" = lfpd-1.rpm
touch -d 2001-01-01 lfpd-1.rpm
check "again" "$top/scripts/ijblfplx" again.W lfpd-1.rpm
check "gives the same bytes" cmp -s IJBLFPLX.W again.W
echo text >lfpd-2.rpm
check "another file is refused" refuses none.W lfpd-2.rpm
check "by its name" grep -qx 'ijblfplx: lfpd-2.rpm is no RPM' err
check "and so is no file" refuses none.W
counts
