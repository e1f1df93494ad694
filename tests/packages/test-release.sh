#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/release: the files of a release, their checksums and parts, and a signature by a key of the test's own;
# what is not ready is refused. tests/soak/test-release.sh makes the real files twice.
# Time limit: 100 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/vselfpd-release.XXXXXX") || exit 1
export GNUPGHOME=$work/gnupg SOURCE_DATE_EPOCH=1700000000
trap 'gpgconf --kill all; rm -rf "$work"' EXIT
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
refuses() { # TEXT COMMAND...
	local text=$1
	shift
	if "$@" >"$work/out" 2>&1; then cat "$work/out" && return 1; fi
	grep -qF -- "$text" "$work/out" || { cat "$work/out"; return 1; }
}
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key 'A test <test@example.org>' ed25519 sign never 2>"$work/gpg" || { cat "$work/gpg"; exit 1; }
gpg --batch --export test@example.org >"$work/key"

# A clone of its own, whose CHANGELOG.md can be edited.
git clone -q "$top" "$work/tree" || exit 1
cp "$top"/scripts/* "$work/tree/scripts/"
git -C "$work/tree" config user.email test@example.org && git -C "$work/tree" config user.name test
release=$work/tree/scripts/release
sed -i '1,/^## /s/^## .*/## 9.9.9, not released/' "$work/tree/CHANGELOG.md"
commit() { git -C "$work/tree" commit -qam "$1"; }
git -C "$work/tree" add -A && commit "not released"
check "no key is refused" refuses "no key is given" "$release" ready 9.9.9 ''
check "an unknown key is refused" refuses "no secret key other@example.org" "$release" ready 9.9.9 other@example.org
check "a version that is not released is refused" refuses "begins with '9.9.9, not released'" "$release" ready 9.9.9 test@example.org
sed -i 's/^## 9.9.9, .*/## 9.9.9, 2026-01-02/' "$work/tree/CHANGELOG.md"
check "so are changes that are not committed" refuses "not committed" "$release" ready 9.9.9 test@example.org
commit "released"
check "another version is refused" refuses "begins with '9.9.9, 2026-01-02', not with '9.9.8, '" "$release" ready 9.9.8 test@example.org
check "then it is ready" "$release" ready 9.9.9 test@example.org

echo source >"$work/vselfpd-9.9.9.tar.gz"
echo one >"$work/one.deb"
echo two >"$work/two.rpm"
make_files() { "$release" files 9.9.9 "$1" "$work/vselfpd-9.9.9.tar.gz" "$work/one.deb" "$work/two.rpm"; }
check "files" make_files "$work/a"
check "again" make_files "$work/b"
check "gives the same" diff -r "$work/a" "$work/b"
check "they are all there" test "$(ls "$work/a" | tr '\n' ' ')" = "SHA256SUMS one.deb two.rpm vselfpd-9.9.9.cdx.json vselfpd-9.9.9.tar.gz "
check "with their sums" sh -c 'cd "$1" && sha256sum --quiet -c SHA256SUMS' sh "$work/a"
check "the list of parts has each file's sum, and the libraries" python3 - "$work/a" "$("$top/scripts/packages" list build | grep -c '^lib.*-dev$')" <<'END2'
import hashlib, json, os, sys
where, nr = sys.argv[1:]
bom = json.load(open(os.path.join(where, "vselfpd-9.9.9.cdx.json")))
assert (bom["bomFormat"], bom["metadata"]["timestamp"]) == ("CycloneDX", "2023-11-14T22:13:20Z"), bom
files = {c["name"]: c["hashes"][0]["content"] for c in bom["components"] if c["type"] == "file"}
assert sorted(files) == ["one.deb", "two.rpm", "vselfpd-9.9.9.tar.gz"], files
for name, content in files.items():
    assert hashlib.sha256(open(os.path.join(where, name), "rb").read()).hexdigest() == content, name
libraries = [c for c in bom["components"] if c["type"] == "library"]
assert len(libraries) == int(nr) and all(c["version"] for c in libraries), libraries
refs = {c["bom-ref"] for c in bom["components"]} | {"vselfpd"}
assert all(d["ref"] in refs and set(d["dependsOn"]) <= refs for d in bom["dependencies"])
END2
check "it is signed" "$release" sign "$work/a" test@example.org
gpg --batch --quiet --passphrase '' --quick-generate-key 'Another test <test@example.com>' ed25519 sign never 2>"$work/gpg" || cat "$work/gpg"
mkdir "$work/fake"
printf '#!/bin/sh\n[ "$4" != --detach-sign ] || exec %s --batch --yes --armor --detach-sign --local-user test@example.com --output "$8" "$9"\nexec %s "$@"\n' \
	"$(command -v gpg)" "$(command -v gpg)" >"$work/fake/gpg" && chmod +x "$work/fake/gpg"
check "a signature by another key is refused" refuses "is not by the key test@example.org" env PATH="$work/fake:$PATH" "$release" sign "$work/b" test@example.org
check "a name of two keys is, too" refuses "more than one secret key test@example" "$release" ready 9.9.9 test@example
export GNUPGHOME=$work/other
mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --import "$work/key" 2>/dev/null
check "somebody with the public key alone can verify it" gpg --batch --quiet --verify "$work/a/SHA256SUMS.asc" "$work/a/SHA256SUMS"
echo more >>"$work/a/SHA256SUMS"
check "and sees a change" refuses "BAD signature" env LC_ALL=C gpg --batch --verify "$work/a/SHA256SUMS.asc" "$work/a/SHA256SUMS"
counts
