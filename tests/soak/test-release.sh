#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# "make release" of HEAD, by two users in two directories with another umask, time zone, language and host name, gives the
# same files bit for bit, with a signature beside them by a key of the test's own; a library for CycloneDX accepts the
# list of parts.
# Time limit: 7200 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
"$top/scripts/packages" install build rpm deb lint release || exit
work=$(mktemp -d "${TMPDIR:-/tmp}/vselfpd-release.XXXXXX") || exit 1
trap 'for home in "$work"/*/gnupg; do GNUPGHOME=$home gpgconf --kill all; done; rm -rf "$work"' EXIT
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
chmod 755 "$work"
git() { command git -c safe.directory='*' -c user.name=test -c user.email=test@example.org "$@"; }
key() { GNUPGHOME=$work/key/gnupg gpg --batch --quiet "$@" 2>>"$work/gpg"; }
mkdir -p "$work/key/gnupg" && chmod 700 "$work/key/gnupg"
key --passphrase '' --quick-generate-key 'A test <test@example.org>' ed25519 sign never &&
	key --export-secret-keys test@example.org >"$work/secret" && key --export test@example.org >"$work/public" &&
	chmod 644 "$work/secret" || { cat "$work/gpg"; exit 1; }

# The commit of a release differs from HEAD in the day of its version.
version=$(sed -n 's/^VERSION := *//p' "$top/Makefile")
git clone -q "$top" "$work/source" && sed -i "1,/^## /s/^## .*/## $version, 2026-01-02/" "$work/source/CHANGELOG.md" &&
	git -C "$work/source" commit -q --allow-empty -am released && chmod -R go+rX "$work/source" || exit 1

cat >"$work/make" <<'END'
set -e
umask "$2"
cd "$1"
# What a make around this one has set
unset MAKEFLAGS MAKELEVEL O SOURCE_DATE_EPOCH CC
export HOME=$PWD GNUPGHOME=$PWD/gnupg TZ=$3 LC_ALL=$4 LANG=tr_TR.UTF-8
mkdir -m 700 gnupg
gpg --batch --quiet --import ../secret
cp -r "$5" tree # git clones from no other user's repository
make -C tree --no-print-directory release RELEASE_KEY=test@example.org
END
made_in() { # DIR UMASK TIME-ZONE LOCALE COMMAND...
	local dir=$1 args=("$1" "$2" "$3" "$4")
	shift 4
	"$@" sh "$work/make" "${args[@]}" "$work/source" >"$work/log" 2>&1 </dev/null || { tail -n 20 "$work/log"; return 1; }
	mv "$dir/tree/build/release" "$dir/release" && rm -rf "$dir/tree"
}
mkdir -p "$work/one" "$work/another-place-with-a-longer-name"
elsewhere=(env)
if [ "$(id -u)" = 0 ]; then
	elsewhere=(unshare --uts sh -c 'hostname elsewhere && exec setpriv --reuid nobody --regid nogroup --clear-groups "$@"' sh)
	chown nobody:nogroup "$work/another-place-with-a-longer-name"
else
	skip_part "only root can be two users"
fi
one=$work/one/release another=$work/another-place-with-a-longer-name/release
check "once" made_in "$work/one" 022 UTC C env
check "and again, by another user elsewhere" made_in "$work/another-place-with-a-longer-name" 077 Asia/Tokyo C.UTF-8 "${elsewhere[@]}"
check "the same names and bytes, but for the signature" diff -r --exclude=SHA256SUMS.asc "$one" "$another"
ls -l "$one"
count() { find "$one" -type f -name "$1" | wc -l; }
check "source, .debs, RPMs, parts, sums, signature" test \
	"$(count '*.tar.gz') $(count '*.deb') $(count '*.rpm') $(count '*.cdx.json') $(count SHA256SUMS) $(count SHA256SUMS.asc) $(count '*')" = "1 8 6 1 1 1 18"
export GNUPGHOME=$work/reader/gnupg
mkdir -p "$GNUPGHOME" && chmod 700 "$GNUPGHOME" && gpg --batch --quiet --import "$work/public"
# As docs/versions.md has it
for dir in "$one" "$another"; do
	check "a reader with the public key verifies ${dir#"$work/"}" sh -c 'cd "$1" && gpg --batch --quiet --verify SHA256SUMS.asc SHA256SUMS && sha256sum --quiet -c SHA256SUMS' sh "$dir"
done
check "each file but the signature has its sum" test \
	"$(cut -c 67- "$one/SHA256SUMS" | sort)" = "$(cd "$one" && find . -type f ! -name 'SHA256SUMS*' -printf '%P\n' | sort)"

# Versions as they were when this was written.
python3 -m venv "$work/venv" && "$work/venv/bin/pip" -q install 'cyclonedx-python-lib[json-validation]==11.12.0' >"$work/pip" 2>&1 ||
	{ tail -n 5 "$work/pip"; fail "pip"; }
check "the list of parts is valid" "$work/venv/bin/python" - "$one"/*.cdx.json <<'END2'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(f"{error}" if error else 0)
END2
counts
