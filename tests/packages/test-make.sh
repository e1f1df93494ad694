#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make rpm, deb and packages, with programs of the test's own in the place of the makers: what is missing is told in one line
# before anything is done, and neither kind of packages removes the other's
# Time limit: 100 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/vselfpd-make.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"

mkdir "$work/bin" "$work/vselfpd-0"
: >"$work/vselfpd-0/Makefile"
version=$(sed -n 's/^VERSION := //p' "$top/Makefile")
mv "$work/vselfpd-0" "$work/vselfpd-$version"
tar -C "$work" -czf "$work/source.tar.gz" "vselfpd-$version"
cat >"$work/bin/dpkg-query" <<-'END'
	#!/bin/sh
	for name; do :; done
	case " $MISSING " in *" $name "*) exit 1 ;; esac
	printf installed
END
cat >"$work/bin/rpmbuild" <<-'END'
	#!/bin/sh
	for word; do case $word in "_rpmdir "*) mkdir -p "${word#* }/noarch" && : >"${word#* }/noarch/some.rpm" ;; esac; done
END
cat >"$work/bin/dpkg-buildpackage" <<-'END'
	#!/bin/sh
	: >../some.deb && : >../some.changes
END
chmod +x "$work"/bin/*
# The makers run without the variables of make, so names that are missing are part of the program.
makes() { # MISSING GOAL...
	sed -i "2s/^.*/MISSING='$1'; for name; do :; done/" "$work/bin/dpkg-query"
	# shellcheck disable=SC2086 # words
	env -u MAKEFLAGS -u MAKELEVEL PATH="$work/bin:$PATH" make -C "$top" --no-print-directory O="$work/build" TARBALL="$work/source.tar.gz" $2 >"$work/said" 2>&1
}
results() { (cd "$work/build/package" && find . -name '*.rpm' -o -name '*.deb' -o -name '*.changes') | sort | tr '\n' ' '; }

for goal in rpm deb packages; do
	makes "build-essential rpm" $goal
	check "$goal: fails where something is missing" test $? != 0
	case $goal in
	rpm) want=rpm ;;
	deb) want=build-essential ;;
	*) want="build-essential rpm" ;;
	esac
	check "$goal: one line has it" grep -qx "make $goal: missing here: apt-get update && apt-get install --no-install-recommends $want" "$work/said"
	check "$goal: and nothing was begun" test ! -e "$work/build"
done
makes "" "packages CROSS=riscv64"
check "for another machine: fails without its compiler" test $? != 0
check "one line has it" test "$(grep -c 'dpkg --add-architecture riscv64 .* crossbuild-essential-riscv64 .*libuv1-dev:riscv64 .*pkg-config:riscv64$' "$work/said") $(wc -l <"$work/said")" = "1 2"
check "and nothing was begun" test ! -e "$work/build"
for tool in gcc pkg-config; do printf '#!/bin/sh\n' >"$work/bin/riscv64-linux-gnu-$tool"; done
chmod +x "$work"/bin/riscv64-*
for maker in rpmbuild dpkg-buildpackage; do sed -i "1a echo \"\$@\" >$work/words-$maker" "$work/bin/$maker"; done
check "with it, both are made" makes "" "packages CROSS=riscv64"
check "rpmbuild makes it for that machine" grep -q -- '--target riscv64-linux --define vselfpd_cross riscv64-linux-gnu' "$work/words-rpmbuild"
check "dpkg-buildpackage, too" grep -q -- '-a riscv64' "$work/words-dpkg-buildpackage"
rm -rf "$work/build"
check "rpm is made" makes "" rpm
check "for this machine" sh -c '! grep -q target "$1"' sh "$work/words-rpmbuild"
check "deb is made" makes "" deb
check "and both are there" test "$(results)" = "./noarch/some.rpm ./some.changes ./some.deb "
: >"$work/build/package/old.deb" >"$work/build/package/IJBLFPLX.W"
check "rpm is made again" makes "" rpm
check "and leaves the others" test "$(results)" = "./noarch/some.rpm ./old.deb ./some.changes ./some.deb "
check "deb is made again" makes "" deb
check "and removes its old ones only" test "$(results)" = "./noarch/some.rpm ./some.changes ./some.deb "
check "and no other file" test -e "$work/build/package/IJBLFPLX.W"
check "both are made" makes "" packages
check "and are there" test "$(results)" = "./noarch/some.rpm ./some.changes ./some.deb "
[ "$failed" = 0 ] || cat "$work/said"
counts
