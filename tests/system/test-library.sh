#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# libvsesock.so.1 has the symbols of libvsesock/exports.map, with their versions, and no other
. "$(dirname "$0")/lib.sh"

listed() { # NAME@@VERSION, one a line
	sed -n 's/^\(VSESOCK_[0-9.]*\) {$/version \1/p; s/^\t\t\([A-Za-z_0-9]*\);$/\1/p' "$top/libvsesock/exports.map" |
		awk '$1 == "version" { version = $2; next } { print $1 "@@" version }' | sort
}
exported() { # FILE
	nm -D --defined-only --with-symbol-versions "$1" | awk '$2 != "A" { print $3 }' | sort
}
check "there are some" test "$(listed | wc -l)" -gt 50
check_eq "$(exported "$O/lib/libvsesock.so.1")" "$(listed)" "the library exports what is listed"
check_eq "$(listed | sort -u | wc -l)" "$(listed | wc -l)" "nothing is listed twice"

# A program is bound to the versions.
cat >"$work/bound.c" <<'EOF'
#include <ezasmi.h>
extern int lec_socket(int, int, int);
int main(void) { return lec_socket(0, 0, 0) == 12345; }
EOF
gcc -I"$top/include" -o "$work/bound" "$work/bound.c" "$O/lib/libvsesock.so.1" >"$work/gcc" 2>&1 || cat "$work/gcc"
check_eq "$(nm -D --with-symbol-versions "$work/bound" | sed -n 's/.* U \(lec_.*\)/\1/p')" lec_socket@VSESOCK_1.0 \
	"a program asks for the version"
readelf -d "$O/lib/libvsesock.so.1" >"$work/dynamic"
check "its soname" grep -q 'SONAME.*\[libvsesock.so.1\]' "$work/dynamic"
finish
