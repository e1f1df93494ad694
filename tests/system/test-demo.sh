#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The demo's namespaces, where root lacks CAP_NET_ADMIN, as in a container: an address, and no error of another program
. "$(dirname "$0")/lib.sh"
needs python3 setpriv
[ "$(id -u)" = 0 ] || skip "only root has capabilities to lack"

cat >"$work/place" <<'END'
here=$1 root=$2
. "$here/stage.sh"
rc=1
new_namespace python3 "$here/address" add 10.9.9.9 && "${enter[@]}" python3 "$here/address" has 10.9.9.9 && rc=0
end_jobs
exit $rc
END
for lacks in none net_admin net_admin,-sys_admin; do
	without=(setpriv --bounding-set "-$lacks" --inh-caps "-$lacks")
	[ $lacks != none ] || without=()
	check "a namespace with an address, without $lacks" into "$work/out" "${without[@]}" bash "$work/place" "$top/demo.d" "$work"
	check_eq "$(cat "$work/out")" "" "nothing is printed"
done
finish
