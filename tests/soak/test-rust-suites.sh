#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The tests that tokio, mio and socket2 ship, in each tier: those that pass on the kernel's sockets pass here too, or are
# listed in rust-suites.txt
# Time limit: 3600 s
#
# tokio's come from Debian's crates. The crates of mio and socket2 have no tests: MIO_SOURCE and SOCKET2_SOURCE name a
# checkout of theirs with its dependencies fetched (cargo fetch); without one, that suite is skipped.
. "$(dirname "$0")/../system/lib.sh"
needs cargo rustc python3

# built DIR CARGO-ARGUMENT...: builds the tests of a package and prints the paths of their programs
built() {
	local dir=$1
	shift
	(cd "$dir" && cargo test --offline --no-run --message-format=json "$@") 2>"$work/cargo.log" >"$work/cargo.json" || return
	python3 -c '
import json, sys
for line in sys.stdin:
    said = json.loads(line)
    if said.get("executable") and said["profile"]["test"] and "test" in said["target"]["kind"]:
        print(said["target"]["name"], said["executable"])' <"$work/cargo.json"
}

# suite RESULTS DIR PROGRAMS PREFIX...: writes "PROGRAM::TEST ok|FAILED|ignored" lines
suite() {
	local results=$1 dir=$2 programs=$3 name program
	shift 3
	: >"$results.log"
	while read -r name program; do
		# Each test has a process of its own: one that hangs or ends the process costs no other.
		for test in $("$program" --list --format terse 2>/dev/null | sed -n 's/: test$//p'); do
			out=$(cd "$dir" && exec "$@" timeout 60 "$program" --exact "$test" --test-threads 1 2>&1 </dev/null)
			printf '=== %s::%s\n%s\n' "$name" "$test" "$out" >>"$results.log"
			word=$(sed -n "s/^test $test\( - should panic\)\? \.\.\. \([a-zA-Z]*\).*/\2/p" <<<"$out")
			echo "$name::$test ${word:-ended}"
		done
	done <<<"$programs" | sort >"$results"
}
passed() { awk '$2 == "ok" { print $1 }' "$1"; }
outcomes() { awk '{ n[$2]++ } END { for (word in n) printf "%d %s, ", n[word], word }' "$1"; }

# lost CRATE TIER: tests that pass natively and not on LFP, and are not listed
lost() {
	comm -23 <(passed "$work/native-$1" | sort) <({
		passed "$work/$2-$1"
		awk -v crate="$1" -v tier="$2" '!/^#/ && $1 == crate { n = split($2, name, "@"); if (n < 2 || name[2] == tier) print name[1] }' \
			"$here/rust-suites.txt"
	} | sort)
}

# tokio_package DIR: a package with tokio's tests of sockets, and the crates that these use
tokio_package() {
	local tests
	tests=$(echo /usr/share/cargo/registry/tokio-1.*/tests) && [ -d "$tests" ] || return
	mkdir -p "$1/src" "$1/tests" && : >"$1/src/lib.rs" && cp -r "$tests"/{support,tcp_*.rs,udp.rs,net_lookup_host.rs,io_copy_bidirectional.rs} "$1/tests/" || return
	cat >"$1/Cargo.toml" <<-END
		[package]
		name = "tokio-tests"
		version = "0.0.0"
		edition = "2018"
		[dev-dependencies]
		tokio = { version = "1", features = ["full", "test-util"] }
		tokio-test = "0.4"
		tokio-stream = "0.1"
		futures = "0.3"
		libc = "0.2"
		[features]
		default = ["full"]
		full = []
	END
}

lfp_up
tried=0
for crate in tokio mio socket2; do
	case $crate in
	tokio)
		dir=$work/tokio
		tokio_package "$dir" || { skip_part "tokio: Debian's crates with its tests are not installed"; continue; }
		programs=$(export CARGO_HOME=$work/cargo PATH=/usr/bin:$PATH && built "$dir" --target-dir "$O/tests/soak/tokio" \
			--config 'source.crates-io.replace-with="debian"' --config 'source.debian.directory="/usr/share/cargo/registry"')
		;;
	*)
		source=${crate^^}_SOURCE
		dir=${!source:-}
		[ -n "$dir" ] || { skip_part "$crate: $source names no checkout"; continue; }
		programs=$(built "$dir" --all-features --target-dir "$O/tests/soak/$crate")
		;;
	esac
	[ -n "$programs" ] || die "$crate: $(tail -n 5 "$work/cargo.log")"
	tried=$((tried + 1))
	suite "$work/native-$crate" "$dir" "$programs" "${empty_net[@]}" sh -c 'ip link set lo up && exec "$@"' sh
	echo "$crate, native: $(outcomes "$work/native-$crate")"
	check "$crate: some pass natively" [ "$(passed "$work/native-$crate" | wc -l)" -gt 20 ]
	for tier in preload seccomp; do
		lfp_mode $tier
		suite "$work/$tier-$crate" "$dir" "$programs" "${lfp_prefix[@]}"
		# Once more by themselves: many of these tests have short time limits.
		while read -r test; do
			suite "$work/again" "$dir" "$(grep "^${test%%::*} " <<<"$programs")" "${lfp_prefix[@]}"
			grep "^$test ok" "$work/again" >>"$work/$tier-$crate"
		done < <(lost $crate $tier)
		echo "$crate, $tier: $(outcomes "$work/$tier-$crate")"
		check_eq "$(lost $crate $tier)" "" "$crate, $tier: they pass on LFP"
		cp "$work/$tier-$crate.log" "$O/tests/soak/" # what went wrong, to be looked at
	done
done
[ $tried -gt 0 ] || skip "no suite is installed"
check "all sockets are gone" wait_for 60 no_sockets
finish
