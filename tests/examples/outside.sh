# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# outside.sh - a stand-in for the outside, for tests of recipes; sourced after tests/system/lib.sh
#
# outside_up NAME=ADDRESS... makes the addresses on the test's host, a name server for the names, and on each address an HTTPS server
# (port 443) and an HTTP server (port 80) for the files in $work/www. Commands after "${on_host[@]}" ask this name server and no other.
# $ca is the file with the certificate of all names. $work/outside.log has a line a request: PORT NAME-OF-TLS PATH.

needs python3 openssl dnsmasq
unset SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE # no other certificates
PATH=$bin:/usr/bin:$PATH:/usr/sbin:/sbin # the programs of this build, and Debian's before others
ca=$work/ca.pem

outside_up() {
	local pair names=() records=() addresses=() hosts=()
	for pair in "$@"; do
		hosts+=("${pair%%=*}") addresses+=("${pair#*=}")
		names+=("DNS:${pair%%=*}") records+=("--host-record=${pair%%=*},${pair#*=}")
		ip addr add "${pair#*=}/32" dev lo 2>/dev/null
	done
	ip addr add 203.0.113.53/32 dev lo || skip "no address for a name server"
	openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key.pem" -out "$ca" -days 2 -subj "/CN=outside" \
		-addext "subjectAltName=$(IFS=,; echo "${names[*]}")" >"$work/openssl.log" 2>&1 || die "no certificate: $(cat "$work/openssl.log")"
	mkdir -p "$work/www"
	background names dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv --no-hosts --pid-file --user="$(id -un)" \
		--group="$(id -gn)" --log-facility=- --listen-address=203.0.113.53 --bind-interfaces --local=// "${records[@]}"
	background outside python3 "$(dirname "${BASH_SOURCE[0]}")/outside.py" "$ca" "$work/key.pem" "$work/www" "${addresses[@]}"
	wait_bound 53 && wait_for 60 grep -qx ready "$work/outside.log" || die "the outside does not serve"
	echo "127.0.0.1 localhost" >"$work/hosts"
	echo "nameserver 203.0.113.53" >"$work/resolv.conf"
	hosts_file
}
