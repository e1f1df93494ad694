#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The twelve applications of IBM's list with 20 MB each, over each transport, with lfpd restarted in the middle
# Time limit: 2400 s
#
# APPLICATIONS_TRANSPORTS: some of iucv hipersockets unix shm local, by default all. APPLICATIONS_BYTES: of each application.
. "$(dirname "$0")/../apps/lib-workload.sh"
needs java javac nginx cobc slapd ldapadd vsftpd lftp psql python3

routes=()
for route in ${APPLICATIONS_TRANSPORTS:-iucv hipersockets unix shm local}; do routes+=(--transport "$route"); done
json=$work/all.json
timeout 2300 "$workload" applications --bytes "${APPLICATIONS_BYTES:-20M}" --json "${routes[@]}" >"$json" 2>"$work/progress"
check_eq "$?" 0 "the table is made" || cat "$work/progress"
asked "it is complete" 'r["complete"]'
asked "only a machine without AF_IUCV has no route" 'set(r["skipped"]) <= {"iucv"}'
measured='{n: of for n, of in c.items() if n not in r["skipped"]}'
asked "twelve applications over each transport" "all(len(of) == 12 and all('rate' in x for x in of.values()) for of in ($measured).values())"
asked "lfpd restarts with connections, but with local" "all((x['connections_kept'] >= 1) == (n != 'local') for n, of in ($measured).items() for x in of.values())"
mkdir -p "$O/test-logs" && cp "$json" "$O/test-logs/applications.json"
finish
