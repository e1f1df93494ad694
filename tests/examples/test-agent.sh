#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/agent: three names and nothing else, in a sandbox of bubblewrap; the log; rules from a log
# Time limit: 200 s
. "$(dirname "$0")/../system/lib.sh"
needs curl bwrap
bwrap --unshare-all --ro-bind / / true 2>"$work/err" || skip "bubblewrap cannot make namespaces here: $(cat "$work/err")"
. "$here/outside.sh"
# evil.example.net has the address of api.example.com, as in a content delivery network.
outside_up api.example.com=203.0.113.5 packages.example.com=203.0.113.6 git.example.com=203.0.113.7 evil.example.net=203.0.113.5 other.example.net=203.0.113.8
echo "the answer" >"$work/www/data"

agent=$top/examples/agent/agent
mkdir -p "$work/project" "$work/home" && cd "$work/project" && cp "$ca" ca.pem || exit 1
echo secret >"$work/home/key"
export HOME=$work/home CURL_CA_BUNDLE=$work/project/ca.pem AGENT_LOG=$work/agent.json
agent() { timeout 60 "${on_host[@]}" "$agent" "$@"; }
# records WORDS: the number of the log's lines that have them all
records() {
	local word text
	text=$(cat "$AGENT_LOG")
	for word in "$@"; do text=$(grep -F "$word" <<<"$text"); done
	grep -c . <<<"$text"
}
fetch='curl -q -sS --noproxy * --max-time 20'

check_eq "$(agent --learn sh -c "for name in api packages git; do $fetch https://\$name.example.com/data; done; $fetch http://203.0.113.8/data" 2>"$work/err" |
	tr -s ' ')" "allow connect tcp 203.0.113.8:80 # curl
allow connect tcp api.example.com:443 sni # curl
allow connect tcp git.example.com:443 sni # curl
allow connect tcp packages.example.com:443 sni # curl
default deny" "rules from what a program did"
check_eq "$(grep -c "the answer" "$work/err")" 4 "while it learns, all is allowed"

for name in api packages git; do
	check_eq "$(agent $fetch https://$name.example.com/data)" "the answer" "$name.example.com"
done
check_exit 6 "another name" into "$work/err" agent $fetch https://evil.example.net/data
check "does not exist" grep -q "Could not resolve host: evil.example.net" "$work/err"
check_exit 7 "an address without its name" into "$work/err" agent $fetch --insecure https://203.0.113.5/data
check_exit 7 "another port" into "$work/err" agent sh -c "$fetch https://api.example.com/data && $fetch http://api.example.com/data"
seen=$(wc -l <"$work/outside.log")
check_exit 35 "another name at an allowed address" into "$work/err" \
	agent sh -c "$fetch https://api.example.com/data && $fetch --connect-to evil.example.net:443:api.example.com:443 https://evil.example.net/data"
check "is reset" grep -q "reset by peer" "$work/err"
check_eq "$(tail -n +$((seen + 1)) "$work/outside.log")" "443 api.example.com /data" "and its server has seen no request"
check_exit 7 "this host's own services" into "$work/err" agent $fetch http://127.0.0.1:80/
check_eq "$(agent sh -c 'cat "$HOME/key" 2>&1; grep -l dnsmasq /proc/[0-9]*/comm; touch /etc/new 2>&1; echo written >file')" \
	"cat: $HOME/key: No such file or directory
touch: cannot touch '/etc/new': Read-only file system" "no files and no processes of the user"
check_eq "$(cat file)" written "but the current directory"
check_eq "$(agent sh -c 'cd "$LFP_ROOT" && find . -type f | grep -v pid; ls run')" vselfp "the rules and the log are out of its reach"

check_eq "$(records '"event":"connect"' '"program":"curl"' '"name":"git.example.com"' '"rule":4' '"result":"OK"')" 1 "the log has a connection"
check_eq "$(records '"event":"lookup"' '"name":"evil.example.net"' '"refused_by":"rule"' '"rule":5')" 1 "and a refused name"
if command -v go >/dev/null; then
	export GOCACHE=$O/tests/apps/go-cache GOPATH=$work/gopath GOPROXY=off GO111MODULE=off GOENV=off CGO_ENABLED=0 GOFLAGS=
	check "a static program" env HOME="$work" go build -o net "$top/tests/apps/net.go"
	export SSL_CERT_FILE=$work/project/ca.pem
	check "reaches an allowed name" agent ./net fetch https://git.example.com/data "$(md5sum <"$work/www/data" | cut -d ' ' -f 1)"
	check_exit 1 "and no other" into "$work/err" agent ./net fetch https://evil.example.net/data x
	check "which does not exist" grep -q "no such host" "$work/err"
else
	skip_part "go is not installed"
fi
finish
