#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL on LFP under pgbench; pgbench and psql on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
for dir in /usr/lib/postgresql/*/bin; do PATH=$dir:$PATH; done
needs postgres initdb pgbench psql

as=()
[ "$(id -u)" = 0 ] && as=(setpriv --reuid postgres --regid postgres --init-groups)
mkdir "$work/pg" && chmod 700 "$work/pg"
[ "$(id -u)" != 0 ] || chown postgres: "$work/pg"
cd "$work/pg" || exit 1
check "initdb" into "$work/initdb.log" "${as[@]}" initdb -D "$work/pg/data" -U lfp -A trust --no-sync || exit 1

# server_options PORT
server_options() {
	options=(-D "$work/pg/data" -p "$1" -h "127.0.0.1,::1" -c "unix_socket_directories=$work/pg" -c fsync=off
		-c shared_buffers=16MB)
}
pg() { PGCONNECT_TIMEOUT=100 timeout 120 "$@"; }
ready() { pg psql -qAt -h 127.0.0.1 -p "$1" -U lfp -c 'select 1' postgres >/dev/null; }

lfp_up
server_options 5432
prefix=("${lfp_prefix[@]}")
# The user changes before LFP begins, as pg_ctlcluster does it.
[ -n "${NATIVE:-}" ] || prefix=("${empty_net[@]}" "${as[@]}" "$bin/lfp-run" -i 01)
[ -z "${NATIVE:-}" ] || prefix=("${as[@]}")
background postgres "${prefix[@]}" "$(command -v postgres)" "${options[@]}"
server=$!
wait_for 60 ready 5432 || die "postgres on LFP does not answer"

check "pgbench -i" into "$work/init.log" pg pgbench -q -i -s 1 -h 127.0.0.1 -p 5432 -U lfp postgres
check "4 clients" into "$work/bench.log" pg pgbench -n -c 4 -j 2 -t 100 -h 127.0.0.1 -p 5432 -U lfp postgres
check "400 transactions" grep -q 'processed: 400/400' "$work/bench.log"
check "a connection each" into "$work/bench2.log" pg pgbench -n -C -S -c 4 -t 20 -h ::1 -p 5432 -U lfp postgres
check_eq "$(pg psql -qAt -h 127.0.0.1 -p 5432 -U lfp -c 'select (select sum(tbalance) from pgbench_tellers) =
	(select sum(delta) from pgbench_history)' postgres)" t "sums agree"
check_eq "$(pg psql -qAt -h 127.0.0.1 -p 5432 -U lfp -c 'select inet_client_addr()' postgres)" 127.0.0.1 "inet_client_addr"
check_eq "$(pg psql -qAt -h 127.0.0.1 -p 5432 -U lfp -c "select md5(string_agg(n::text, ',')) from
	generate_series(1, 300000) n" postgres)" "$(seq -s, 300000 | tr -d '\n' | md5sum | cut -d' ' -f 1)" "a query"
check_eq "$(pg psql -qAt -h 127.0.0.1 -p 5432 -U lfp -c 'select n from generate_series(1, 300000) n' postgres | md5sum)" \
	"$(seq 300000 | md5sum)" "300,000 rows"
check "ends when it is told" stop_pid $server INT

server_options 5433
background native "${as[@]}" "$(command -v postgres)" "${options[@]}"
wait_for 60 ready 5433 || die "postgres does not answer"
check "pgbench on LFP" into "$work/bench3.log" pg "${lfp_prefix[@]}" pgbench -n -c 4 -j 2 -t 100 -h 127.0.0.1 -p 5433 -U lfp postgres
check "400 transactions" grep -q 'processed: 400/400' "$work/bench3.log"
check_eq "$(pg "${lfp_prefix[@]}" psql -qAt -h localhost -p 5433 -U lfp -c 'select n from generate_series(1, 300000) n' postgres |
	md5sum)" "$(seq 300000 | md5sum)" "psql on LFP"
finish
