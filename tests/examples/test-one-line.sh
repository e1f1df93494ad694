#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs/linux.md, "One line each": the lines of the page, as an ordinary user; each fails with a rule for another name
# Time limit: 200 s
. "$(dirname "$0")/../apps/users.sh"
. "$(dirname "$0")/../system/lib.sh"
for dir in /usr/lib/postgresql/*/bin; do PATH=$dir:$PATH; done
needs curl go git pip apt-get initdb postgres psql ssh ssh-keygen setpriv
go=$(command -v go)
own_users lfpuser secret
. "$here/outside.sh"
sshd=$(command -v sshd) || skip "sshd is not installed"
outside_up www.example.com=203.0.113.5 git.example.com=203.0.113.6 packages.example.com=203.0.113.7 db.example.com=203.0.113.8 \
	shell.example.com=203.0.113.9

uid=64101 home=$work/home/lfpuser
chmod 755 "$work"
as_user=(setpriv --reuid $uid --regid $uid --clear-groups --inh-caps=-all -- env -i PATH="$PATH" HOME="$home" LC_ALL=C.UTF-8)
as_user() { (cd "$home" && timeout 60 "${on_host[@]}" "${as_user[@]}" CURL_CA_BUNDLE="$ca" SSL_CERT_FILE="$ca" GIT_SSL_CAINFO="$ca" PIP_CERT="$ca" \
	npm_config_cafile="$ca" APT_CONFIG="$work/apt.conf" PGUSER=lfpuser PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=0 npm_config_fetch_retries=0 npm_config_update_notifier=false "$@"); }
as_user "$bin/lfp-run" --private true || skip "an ordinary user has no namespaces here"

# What the servers have: a file, a repository, a package for pip, one for npm, a list for apt
echo "the answer" >"$work/www/data"
git -c init.defaultBranch=main init -q "$work/project" && cp "$work/www/data" "$work/project/" && git -C "$work/project" add data &&
	git -C "$work/project" -c user.name=x -c user.email=x@example.com commit -qm x &&
	git clone -q --bare "$work/project" "$work/www/project.git" && git -C "$work/www/project.git" update-server-info || die "no repository"
mkdir -p "$work/www/simple/brief" "$work/www/npm" "$work/brief-1.0" "$work/www/debian" "$work/apt"/{lists/partial,cache/archives/partial,sources,etc}
printf 'Metadata-Version: 2.1\nName: brief\nVersion: 1.0\n' >"$work/brief-1.0/PKG-INFO"
printf '[build-system]\nrequires = []\nbackend-path = ["."]\nbuild-backend = "backend"\n' >"$work/brief-1.0/pyproject.toml"
cat >"$work/brief-1.0/backend.py" <<'END_OF_BACKEND'
import os
def prepare_metadata_for_build_wheel(directory, _=None):
    os.mkdir(directory + "/brief-1.0.dist-info")
    with open(directory + "/brief-1.0.dist-info/METADATA", "w") as f: f.write("Metadata-Version: 2.1\nName: brief\nVersion: 1.0\n")
    return "brief-1.0.dist-info"
def build_wheel(*_): raise SystemExit(1)
END_OF_BACKEND
tar -C "$work" -czf "$work/www/simple/brief/brief-1.0.tar.gz" brief-1.0
echo '{"name": "brief", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "brief", "version": "1.0.0", "dist": {"tarball": "https://packages.example.com/npm/brief.tgz"}}}}' \
	>"$work/www/npm/brief"
printf 'Package: brief\nVersion: 1.0\nArchitecture: all\nMaintainer: x\nFilename: brief.deb\nSize: 1\nDescription: x\n' >"$work/www/debian/Packages"
echo 'deb [trusted=yes] https://packages.example.com/debian ./' >"$work/apt/sources.list"
cat >"$work/apt.conf" <<-END_OF_CONF
	Dir::Etc "$work/apt/etc";
	Dir::Etc::sourcelist "$work/apt/sources.list";
	Dir::Etc::sourceparts "$work/apt/sources";
	Dir::State "$work/apt";
	Dir::Cache "$work/apt/cache";
	Acquire::https::CAInfo "$ca";
	Acquire::Retries "0";
END_OF_CONF
(cd "$work" && GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS='' HOME=$work \
	"$go" build -o "$home/fetch" "$here/fetch.go") || die "no static program"
mkdir "$home/.ssh" "$work/ssh" && ssh-keygen -q -t ed25519 -N '' -f "$work/ssh/host" && ssh-keygen -q -t ed25519 -N '' -f "$home/.ssh/id_ed25519" || die "no keys"
cp "$home/.ssh/id_ed25519.pub" "$work/ssh/authorized"
echo "shell.example.com $(cut -d ' ' -f 1,2 "$work/ssh/host.pub")" >"$home/.ssh/known_hosts"
chown -R $uid:$uid "$home" "$work/apt"
mkdir -p /run/sshd # it stays, as for other tests
background sshd "$sshd" -D -e -f /dev/null -o ListenAddress=203.0.113.9 -o HostKey="$work/ssh/host" -o PidFile=none -o StrictModes=no -o UsePAM=no \
	-o AuthorizedKeysFile="$work/ssh/authorized"
"${as_user[@]}" "$(command -v initdb)" -D "$home/db" -A trust -N >"$work/initdb.log" 2>&1 || die "initdb: $(tail -n 2 "$work/initdb.log")"
echo 'host all all 0.0.0.0/0 trust' >>"$home/db/pg_hba.conf"
background postgres "${as_user[@]}" "$(command -v postgres)" -D "$home/db" -k "$home" -h 203.0.113.8 -F
answers() { psql -h 203.0.113.8 -U lfpuser -d postgres -c 'select 1' >/dev/null 2>&1; }
wait_for 60 answers && wait_listen 22 || die "the servers do not start"

mapfile -t lines < <(sed -n '/^## One line each/,/^`/s/^    //p' "$top/docs/linux.md")
wanted() { # LINE: what its program has to print or to leave
	case $1 in
	*curl* | *fetch*) [ "$(cat "$work/said")" = "the answer" ] ;;
	*clone*) cmp "$home/project/data" "$work/www/data" ;;
	*pip*) cmp "$home/brief-1.0.tar.gz" "$work/www/simple/brief/brief-1.0.tar.gz" ;;
	*npm*) [ "$(cat "$work/said")" = 1.0.0 ] ;;
	*apt-get*) grep -q '^Package: brief' "$work/apt/lists"/*_Packages ;;
	*psql*) grep -q 'PostgreSQL [1-9]' "$work/said" ;;
	*ssh*) [ "$(cat "$work/said")" = lfpuser ] ;;
	*) false ;;
	esac
}
run() { as_user sh -c "$1" >"$work/said" 2>"$work/err"; }
# apt-get ends with 0 if it reaches nothing.
fails() { run "${1/--allow /--allow other.}"; ! wanted "$1" 2>/dev/null; }
check_eq "${#lines[@]}" 8 "the page has the lines"
for line in "${lines[@]}"; do
	program=${line#* --allow * } program=${program%% *}
	if [ "$program" = npm ] && ! command -v npm >/dev/null; then
		skip_part "npm is not installed"
		continue
	fi
	rm -rf "$home/project" "$work/apt/lists"/*_Packages
	check "$program: with a rule for another name it fails" fails "$line"
	check "$program: the page's line" run "$line" || cat "$work/err"
	check "$program: has what it asked for" wanted "$line" || cat "$work/said" "$work/err"
done
finish
