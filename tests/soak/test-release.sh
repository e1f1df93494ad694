#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The files of a release, made twice of HEAD in two directories, are the same bit for bit; a library for
# CycloneDX accepts the list of parts.
# Time limit: 7200 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/scripts/packages" install build rpm deb lint release || exit
work=$(mktemp -d "${TMPDIR:-/tmp}/vselfpd-release.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() { # TEXT COMMAND...
	local text=$1
	shift
	if "$@"; then
		passed=$((passed + 1)) && echo "ok: $text"
	else
		failed=$((failed + 1)) && echo "FAILED: $text: $*"
	fi
}
made_in() { # DIR UMASK TIME-ZONE
	mkdir -p "$1" && git -c safe.directory='*' clone -q "$top" "$1/tree" || return 1
	(umask "$2" && env -u MAKEFLAGS -u MAKELEVEL -u O -u SOURCE_DATE_EPOCH TZ="$3" make -C "$1/tree" --no-print-directory release-files) >"$1/log" 2>&1 || { tail -n 20 "$1/log"; return 1; }
	rm -rf "$1/release" && mv "$1/tree/build/release" "$1/release" && rm -rf "$1/tree"
}
check "once" made_in "$work/one" 022 UTC
check "and again, elsewhere" made_in "$work/another/and-longer" 077 Asia/Tokyo
check "the same names and bytes" diff -r "$work/one/release" "$work/another/and-longer/release"
ls -l "$work/one/release"
count() { find "$work/one/release" -name "$1" | wc -l; }
check "source, .debs, RPMs, parts, sums" test "$(count '*.tar.gz') $(count '*.deb') $(count '*.rpm') $(count '*.cdx.json') $(count SHA256SUMS)" = "1 8 6 1 1"
check "the sums are right" sh -c 'cd "$1" && sha256sum --quiet -c SHA256SUMS' sh "$work/one/release"

# Versions as they were when this was written.
python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install 'cyclonedx-python-lib[json-validation]==11.12.0' >"$work/pip" 2>&1 ||
	{ tail -n 5 "$work/pip"; echo "FAILED: pip"; failed=$((failed + 1)); }
check "the list of parts is valid" "$work/venv/bin/python" - "$work"/one/release/*.cdx.json <<'END2'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(f"{error}" if error else 0)
END2
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
