#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/kubernetes: lfpd that follows the rules of a ConfigMap; the manifests, decoded strictly by the types of k8s.io/api
# Time limit: 200 s
# The modules, before the test has no way out
[ -n "${LFP_TEST_NET:-}" ] || (cd "$(dirname "$0")/kubernetes" && GOTOOLCHAIN=local timeout 120 go mod download)
. "$(dirname "$0")/../system/lib.sh"
needs curl python3 patchelf
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
. "$here/outside.sh"
outside_up api.example.com=203.0.113.5 evil.example.net=203.0.113.6
echo "the answer" >"$work/www/data"
export CURL_CA_BUNDLE=$ca

dir=$work/node rules=$work/rules
/usr/bin/python3 -c '
import sys, yaml
print(next(d for d in yaml.safe_load_all(open(sys.argv[1])) if d["kind"] == "ConfigMap")["data"]["rules"], end="")' \
	"$top/examples/kubernetes/lfpd.yaml" >"$rules"
background serve "${on_host[@]}" "$top/examples/kubernetes/serve" "$dir" "$rules"
serve=$!
answers() { LFP_ROOT=$dir lfpd-admin -i LINUX -s >/dev/null; }
wait_for 60 answers || die "lfpd does not run"
job() { LFP_ROOT=$dir timeout 60 lfp-run -n -i 01 curl -q -sS --noproxy '*' --max-time 20 "https://$1/data"; }
check_eq "$(job api.example.com)" "the answer" "a name that the ConfigMap allows"
check_exit 6 "another name" into "$work/err" job evil.example.net
logged() { grep -q '"name":"evil.example.net".*"refused_by":"rule"' "$work/serve.log"; }
check "the log is the container's" wait_for 30 logged
echo 'allow connect evil.example.net:443 nonsense' >"$rules"
said() { grep -q 'the new rules have an error' "$work/serve.log"; }
check "rules with an error" wait_for 30 said
check_eq "$(job api.example.com)" "the answer" "change nothing"
printf 'allow connect tcp evil.example.net:443 sni\ndefault deny\n' >"$rules"
now() { [ "$(job evil.example.net)" = "the answer" ]; }
check "new rules count" wait_for 30 now
check_exit 6 "and only they" into "$work/err" job api.example.com
kill -TERM $serve
wait $serve
check_eq $? 0 "it ends in order"
check_exit 69 "and lfpd with it" into "$work/err" answers

go=$(command -v go) || { skip_part "go is not installed"; finish; }
cp "$here/kubernetes"/* "$work/" && cd "$work" || exit 1
manifests=("$top/examples/kubernetes"/*.yaml "$top/examples/podman/services.yaml")
export GOFLAGS=-mod=readonly GOCACHE=$O/tests/apps/go-cache GO111MODULE=on GOTOOLCHAIN=local
unset GOPROXY GOENV
if ! GOPROXY=off "$go" build -o decode . 2>"$work/err"; then
	skip_part "the modules of k8s.io/api are not there: $(tail -n 1 "$work/err")"
	finish
fi
check "the manifests" into "$work/out" ./decode "${manifests[@]}" || cat "$work/out"
check_eq "$(paste -sd ' ' "$work/out")" "Namespace ConfigMap DaemonSet NetworkPolicy Pod Pod" "of these kinds"
sed 's/mountPath/mountpoint/' "${manifests[0]}" >wrong.yaml
check_exit 1 "a wrong field" into "$work/out" ./decode wrong.yaml
finish
