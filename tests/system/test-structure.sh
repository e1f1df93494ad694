#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/structure, with trees that are right or have one fault.
. "$(dirname "$0")/lib.sh"

needs python3
tree=$work/tree
mkdir -p "$tree"/tests "$tree"/house/{low,high,side} "$tree"/flat
cat >"$tree/tests/structure.rooms" <<-'END'
	[.]
	flat
	house  # the upper floor
	[house]
	low side
	tools: high/tool high/tool-*
	high -> tools low
	[flat]
END

# file PATH INCLUDE...: writes one
file() {
	local path=$tree/$1 include
	shift
	for include; do echo "#include \"$include\""; done >"$path"
}

right() {
	rm -f "$tree"/house/*/* "$tree"/flat/*
	file house/low/a.h
	file house/low/a.c house/low/a.h stdio.h
	file house/side/s.h
	file house/high/tool-box.h house/low/a.h
	file house/high/b.c house/low/a.h house/high/tool-box.h flat/x.h
	file flat/x.h
	file flat/y.c x.h
}

# says CODE LINE...: the exit code and every line printed
says() {
	local code=$1 got rc
	shift
	got=$("$top/tests/structure" "$tree" 2>&1)
	rc=$?
	[ "$rc" = "$code" ] && [ "$got" = "$(printf '%s\n' "$@")" ] || { echo "$rc: $got"; return 1; }
}

right
check "a tree in order" says 0 ""
file house/low/a.c house/low/a.h house/high/tool-box.h
check "a rising include" says 1 "house/low/a.c:2: includes house/high/tool-box, but tools is above low" \
	"house/high/tool-box.h:1: circle of includes: house/high/tool-box -> house/low/a -> house/high/tool-box; also house/low/a.c:2"
right
file house/low/a.c ../side/s.h
check "a room beside, by a relative include" says 1 "house/low/a.c:1: includes house/side/s, but side is beside low"
right
file house/high/b.c house/side/s.h
check "a lower room that is not named" says 1 "house/high/b.c:1: includes house/side/s, but high sees only tools low"
right
file flat/x.c house/low/a.h
check "a rising include between folders" says 1 "flat/x.c:1: includes house/low/a, but house is above flat"
right
file flat/x.c flat/z.h
file flat/z.h flat/y.h
file flat/y.h
file flat/y.c flat/x.h
check "a circle through sources and headers" says 1 \
	"flat/x.c:1: circle of includes: flat/x -> flat/z -> flat/y -> flat/x; also flat/z.h:1, flat/y.c:1"
right
printf '/*\n#include "flat/x.h"\n*/\n  // #include "flat/x.h"\n' >"$tree/flat/x.c"
file flat/x.h
check "comments do not count" says 0 ""
right
file house/stray.c
check "a file in no room" says 1 "house/stray.c:1: in no room of [house]"
rm "$tree"/house/stray.c "$tree"/house/side/s.h
check "a room without files" says 2 "tests/structure.rooms: room side of [house] has no C files"
right
draws() { "$top/tests/structure" --draw "$tree" | grep -Fxq "$1"; }
check "a picture of the rooms" draws '| high | tools, low |'
check "an arrow of the picture" draws '    r0 --> r1'
check "no arrow that follows from two others" eval '! draws "    r0 --> r3"'
echo "[house]
low -> cellar" >"$tree/tests/structure.rooms"
check "an unknown room" says 2 "tests/structure.rooms:2: cellar is no room of a lower level"
finish
