#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The pages of the packages that "make packages" made: each picture and each page that they name by a link is in the same package
# Time limit: 120 s
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) packages=${O:?}/package
[ -d "$packages" ] || { echo "no packages were made (make packages)"; exit 77; }
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT

# Prints each link of a page and the file that it names, if that is missing; the page's own name on a link that leads nowhere.
cat >"$work/links.py" <<'END'
import gzip, os, re, sys
found = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if not name.endswith((".md", ".md.gz")):
            continue
        path = os.path.join(folder, name)
        with (gzip.open if name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            text = re.sub(r"```.*?```|`[^`\n]*`", "", file.read(), flags=re.S)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            found += 1
            if not os.path.exists(os.path.join(folder, target)):
                sys.exit(f"{path} names {target}")
print(found)
END
pages() { # PACKAGE LINKS
	local name=${1##*/} said
	said=$(python3 "$work/links.py" "$work/$name" 2>&1)
	check "$name: its pages name $2 files, and has each" test "$said" = "$2"
	[ "$said" = "$2" ] || echo "$said"
}
links_of() { # PACKAGE: as many as its pages have in the tree
	case ${1##*/} in
	lfp-workload*) echo 3 ;;
	lfpd[_-][0-9]* | zdev[_-][0-9]*) echo 1 ;;
	*) echo 0 ;;
	esac
}
for package in "$packages"/*.deb; do
	dpkg-deb -x "$package" "$work/${package##*/}" || exit 1
	pages "$package" "$(links_of "$package")"
done
for package in "$packages"/*/*.rpm; do
	mkdir "$work/${package##*/}" && (cd "$work/${package##*/}" && rpm2cpio "$package" | cpio -idm --quiet) || exit 1
	pages "$package" "$(links_of "$package")"
done
mkdir -p "$work/bad" && echo '![x](none.svg)' >"$work/bad/page.md"
check "a missing picture is found" eval '! python3 "$work/links.py" "$work/bad" >/dev/null 2>&1'
counts
