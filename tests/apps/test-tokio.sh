#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A Rust program with tokio on LFP: TCP and UDP, server and client
# Time limit: 600 s
. "$(dirname "$0")/../system/lib.sh"
PATH=/usr/bin:$PATH # Debian's Rust, whatever else there is
needs cargo rustc python3
[ -d /usr/share/cargo/registry ] || skip "Debian's crates are not installed"

# From Debian's crates alone. Files that cargo writes beside the manifest go with $work; compiled files
# are kept with the tree's build.
cp -r "$here/tokio" "$work/tokio"
build() {
	CARGO_HOME=$work/cargo RUSTC=/usr/bin/rustc cargo build --offline --quiet --manifest-path "$work/tokio/Cargo.toml" \
		--target-dir "$O/tests/apps/tokio" --config 'source.crates-io.replace-with="debian"' \
		--config 'source.debian.directory="/usr/share/cargo/registry"'
}
check "builds from Debian's crates" build || exit 1
# Another test with this build may be about to replace it.
check "and is there" wait_for 60 cp "$O/tests/apps/tokio/debug/tokio-test" "$work/tokio-test" || exit 1
tokio=$work/tokio-test

background echo "$tokio" echo 127.0.0.1:7001
background echo6 "$tokio" echo '[::1]:7002'
lfp_up
background_on_lfp echo-lfp "$tokio" echo 127.0.0.1:7003
server=$!
background_on_lfp echo6-lfp "$tokio" echo '[::1]:7004'
for port in 7001 7002 7003 7004; do wait_listen $port && wait_bound $port || die "no listener on port $port"; done

on() { timeout 120 "${lfp_prefix[@]}" "$tokio" "$@"; }
check "server on LFP" timeout 120 python3 "$here/echo-client.py" 127.0.0.1 7003 40 300000
check "server on LFP, IPv6" timeout 120 "$tokio" streams '[::1]:7004' 40 300000
check "client on LFP" on streams 127.0.0.1:7001 40 300000
check "client on LFP, IPv6" on streams '[::1]:7002' 40 300000
check "both on LFP" on streams 127.0.0.1:7003 40 300000
check "datagrams, server on LFP" timeout 120 "$tokio" datagrams 127.0.0.1:7003 300
check "datagrams, server on LFP, IPv6" timeout 120 "$tokio" datagrams '[::1]:7004' 300
check "datagrams, client on LFP" on datagrams 127.0.0.1:7001 300
check "datagrams, both on LFP, IPv6" on datagrams '[::1]:7004' 300
check "server ends when it is told" stop_pid $server
finish
