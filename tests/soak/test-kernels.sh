#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The units and the tests with hostile neighbours on older kernels: Debian 12's own two, in a guest under QEMU
# Time limit: 5400 s
#
# KERNELS: Debian's packages that depend on the kernels; KERNEL_TESTS: other tests, as tests/run takes them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
O=$(cd "$top" && cd "${O:-build}" && pwd) || exit 1
cd "$top" || exit 1
# shellcheck source=tests/checks.sh
. "$top/tests/checks.sh"
[ "$(id -u)" = 0 ] || skip "not root"

# Another user, network, user or pid namespace; a forged descriptor; root of a container; bare calls past the library; pages in sockets
neighbours=(misuse near-namespace users shares confined isolation passed filtered no-unix uring-around private resolve
	seccomp seccomp-forged seccomp-eof seccomp-life urgent tidy stop restart names sendfile)
if [ -n "${KERNEL_TESTS:-}" ]; then
	tests=$KERNEL_TESTS
else
	tests="${neighbours[*]/#/tests/system/test-}"
	tests="$(sed 's/[^ ]*/&.sh/g' <<<"$tests") $(cd "$top" && find "$O/tests" -name 'test-*' -type f -perm -1 -path '*/tests/[a-z-]*/test-*' \
		! -path '*/devemu/*' ! -path '*/soak/*' ! -name '*.*' -printf '%p ' | tr '\n' ' ')"
fi
job=$(mktemp)
trap 'rm -f "$job"' EXIT
cat >"$job" <<END
#!/bin/bash
export PATH=$PATH HOME=/root TERM=dumb O=$O MISUSE_SECONDS=10 TESTS_SLOWER=4
hostname guest
cd $top
uname -r
tests/run -t 900 $tests 2>&1
END

for package in ${KERNELS:-linux-image-amd64 linux-image-6.12-amd64}; do
	said=$("$top/tests/guest/kernel" "$package" "$O/guest/$package") || {
		rc=$?
		if [ $rc = 77 ]; then skip_part "$package: $said"; else fail "$package: $said"; fi
		continue
	}
	echo "== $package"
	log=$O/test-logs/kernel-$package.log
	"$top/tests/guest/run" "$O/guest/$package" 2400 "$job" >"$log" 2>&1
	rc=$?
	grep -aE '^  (FAIL|skip) |^  \| FAILED' "$log"
	line=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$log" | tail -n 1)
	echo "on Linux $(grep -aom 1 -E '[0-9]+\.[0-9]+\.[^ ]*-amd64' "$log"): ${line:-no result, exit code $rc}"
	if [ $rc = 77 ]; then
		skip_part "$(tail -n 1 "$log")"
	else
		[ -n "$line" ] || tail -n 20 "$log"
		add_counts $rc "$log"
	fi
done
counts
