# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# lib-clients.sh - unmodified clients on both z/VSEs reach a network through the appliance; a test that has z/VSEs up sources this behind
# lib.sh
#
# The network's side is 10.0.5.254. The test has on_vse N COMMAND.

# clients_psql: psql on each z/VSE, and a server on the network's side
clients_psql() {
	local as=() dir
	for dir in /usr/lib/postgresql/*/bin; do PATH=$PATH:$dir; done
	command -v postgres >/dev/null && command -v initdb >/dev/null && command -v psql >/dev/null || { skip_part "PostgreSQL is not installed"; return; }
	[ "$(id -u)" != 0 ] || as=(setpriv --reuid postgres --regid postgres --init-groups)
	mkdir -m 700 "$work/pg"
	[ "$(id -u)" != 0 ] || chown postgres: "$work/pg"
	(cd "$work/pg" && into "$work/initdb.log" "${as[@]}" initdb -D "$work/pg/data" -U lfp -A trust --no-sync) || die "initdb fails"
	echo "host all all 10.0.5.0/24 trust" >>"$work/pg/data/pg_hba.conf"
	(cd "$work/pg" && exec "${as[@]}" "$(command -v postgres)" -D "$work/pg/data" -p 5432 -h 10.0.5.254 -c "unix_socket_directories=$work/pg" \
		-c fsync=off -c shared_buffers=16MB) >"$work/postgres.log" 2>&1 </dev/null &
	pids+=($!)
	psql_on() { PGCONNECT_TIMEOUT=100 on_vse "$1" timeout 120 psql -qAt -h 10.0.5.254 -U lfp -c "$2" postgres 2>&1; }
	psql_works() { [ "$(psql_on 1 'select 1')" = 1 ]; }
	check "psql, unmodified, on z/VSE 1 reaches the network" wait_for 60 psql_works
	check_eq "$(psql_on 1 'select inet_client_addr()') $(psql_on 2 'select inet_client_addr()')" "10.0.5.1 10.0.5.2" \
		"- PostgreSQL sees each z/VSE by its address"
	check_eq "$(psql_on 2 'select n from generate_series(1, 30000) n' | sha256sum)" "$(seq 30000 | sha256sum)" "- z/VSE 2 gets 30,000 rows"
}

# clients_cobol: a COBOL program with EZASOKET on each z/VSE
clients_cobol() {
	local nr
	command -v cobc >/dev/null || { skip_part "GnuCOBOL is not installed"; return; }
	check "a COBOL client is compiled" into "$work/cobc.log" cobc -x -o "$work/echo-client" "$top/examples/cobol/echo-client.cbl"
	background echo "$programs/echo" 10.0.5.254 7000
	wait_listen 7000 || die "the echo server does not listen"
	for nr in 1 2; do
		check_eq "$(env LFP_SETPARM="LFP\$ID=0$nr,EZA\$PHA=IJBLFPEZ" COB_LIBRARY_PATH="$O/lib" timeout 120 "${empty_net[@]}" "$work/echo-client" \
			10.0.5.254 7000 "Hello from z/VSE $nr" 2>&1)" "Hello from z/VSE $nr" "a COBOL client with EZASOKET on z/VSE $nr reaches the network"
	done
}
