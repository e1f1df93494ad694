#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EZASOKET: every row of the table of COBOL programs as a C program, on a real instance
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2034 # lib-vse.sh has it
vse_keys=VSE_HOSTID=10.0.0.1
. "$(dirname "$0")/lib-vse.sh"

table=$top/tests/apps/cobol
export PYTHONDONTWRITEBYTECODE=1
compile() {
	python3 "$table/table_c.py" "$table/ezasoket.table" >"$work/rows.c" &&
		gcc -w -O0 -std=gnu11 -I"$top/include" -I"$top/tests/eza" -rdynamic -pthread -o "$work/rows" "$work/rows.c" \
			"$O/lib/libvsesock.so.1" -Wl,-rpath,"$O/lib"
}
check "the table is a C program" into "$work/compiled" compile || finish

# A host without /etc/hosts has no name for its loopback.
unknown='^$'
if ! getent hosts 127.0.0.1 >/dev/null; then
	unknown='GETHOSTBYADDR, the loopback as a number'
	skip_part "GETHOSTBYADDR of the loopback: this host has no name for it"
fi

# rows MODE FAMILY SPACE: each row is a check
rows() {
	local line
	into "$work/said" vse_program LFP_SETPARM='LFP$ID=01' env LFP_ERRNO="$3" timeout 20 "$work/rows" "$1" "$2"
	check_eq $? 0 "IPv$2, numbers $1, $3: the program ends"
	python3 "$table/table.py" compare "$table/ezasoket.table" "$2" "$3" "$1" <"$work/said" >"$work/rows.out"
	while read -r line; do
		[[ ! $line =~ $unknown ]] || continue
		case $line in
		ok:*) ok "IPv$2, numbers $1, $3: ${line#ok: }" ;;
		FAILED:*) fail "IPv$2, numbers $1, $3: ${line#FAILED: }" ;;
		esac
	done <"$work/rows.out"
	check "all rows were looked at" grep -q '^[0-9]* rows are good' "$work/rows.out"
}

for family in "${families[@]}"; do
	for mode in binary comp5 c; do
		rows $mode "$family" zvse
	done
done
rows binary 4 zos
rows c 4 linux
check "nothing is left" wait_for 30 no_sockets
finish
