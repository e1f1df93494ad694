#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# examples/collector: records in a real journal and in a file, as OpenTelemetry's collector understands them
# Time limit: 200 s
#
# OTELCOL names the collector; without it, and without otelcol-contrib in PATH, its operators are interpreted.
. "$(dirname "$0")/../apps/users.sh"
. "$(dirname "$0")/../system/lib.sh"
PATH=/usr/bin:$PATH
needs python3 journalctl
[ "$(id -u)" = 0 ] || skip "only root can have a journal of its own"
journald=/lib/systemd/systemd-journald
[ -x $journald ] || skip "systemd-journald is not installed"
python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
[ -s /etc/machine-id ] || skip "a journal needs /etc/machine-id"

# A journal of this test's own
mkdir "$work/journals" && mount -t tmpfs tmpfs /run && { [ ! -d /var/log/journal ] || mount -t tmpfs tmpfs /var/log/journal; } || skip "no file systems of its own"
mkdir -p /run/systemd/journal /run/log/journal
background journald $journald
journal_up() { [ -S /run/systemd/journal/socket ]; }
wait_for 60 journal_up || die "journald does not run"

cat >"$work/acts.py" <<'END_OF_ACTS'
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    with socket.create_connection(("localhost", server.getsockname()[1])) as c:
        server.accept()[0].close()
        c.recv(1)
try: socket.create_connection(("10.0.0.1", 7001))
except OSError: pass
END_OF_ACTS
printf 'allow listen any\nallow connect localhost:1-65535\ndefault deny\n' >"$work/rules"
lfpd_conf LINR02 TRANSPORT=local LOCAL_INSTANCE=01 CONNECTION_LOG=journal POLICY_FILE="$work/rules"
transport=local
statements 01
# shellcheck disable=SC2016 # for the inner shell
lfpd_start LINR02 sh -c 'JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"' sh
wait_for 60 instance_up 01 || die "instance 01 is not up"
on_lfp timeout 60 python3 "$work/acts.py" || die "no connections"
entries() { journalctl -o json --identifier lfpd; }
complete() { [ "$(entries | grep -c '"VSELFPD_EVENT":"end"')" = 2 ] && entries | grep VSELFPD_REFUSED_BY | grep -q VSELFPD_EVENT; }
check "the journal has the records" wait_for 60 complete || entries
"$bin/lfp-run" --private --rules "$work/rules" --log "$work/file.log" python3 "$work/acts.py" || die "no connections"

# shape: what is the same of each record in both places, however the collector has read it
shape() { # FILE
	python3 -c '
import json, sys
for line in open(sys.argv[1]):
    record = json.loads(line)
    a = record["attributes"]
    if "event" in a:
        print(a["event"], a.get("direction", "-"), record["severity"], sorted(set(a) - {"executable", "rule", "log.file.name"}))' "$1" | sort
}
entries >"$work/entries"
check "the operators for the journal" eval 'python3 "$here/collector/records.py" entries "$top/examples/collector/otelcol.yaml" <"$work/entries" >"$work/from-journal"'
check "have all that is in the file" diff <(shape "$work/from-journal") <(python3 -c '
import json, sys
for line in open(sys.argv[1]):
    a = json.loads(line)
    print(json.dumps({"attributes": a, "severity": "info2" if "refused_by" in a else "info"}))' "$work/file.log" >"$work/from-file"; shape "$work/from-file")
check "a refusal" grep -q '"address": "10.0.0.1".*"refused_by": "rule".*"body": "python3[^ ]* connect 10.0.0.1:7001 ECONNREFUSED", "severity": "info2"' "$work/from-journal"
check "a message of lfpd" grep -q '{"attributes": {.*"id": "VLFD170W", "instance": "LINR02"}, "body": "VLFD170W .*"severity": "warn"' "$work/from-journal"
check "no field of lfpd is left" [ "$(grep -c VSELFPD "$work/from-journal")" = 0 ]

otelcol=${OTELCOL:-$(command -v otelcol-contrib)} || { skip_part "otelcol-contrib is not installed; tests/soak/test-collector.sh builds a collector"; finish; }
printf 'exporters: {otlphttp: {encoding: json, compression: none}}\nservice: {telemetry: {metrics: {level: none}}}\n' >"$work/more.yaml"
background receiver python3 "$here/collector/records.py" receive 7004 "$work/received"
wait_for 60 grep -q ready "$work/receiver.log" || die "no receiver"
mkdir "$work/state"
export STATE_DIRECTORY=$work/state OTLP_ENDPOINT=http://127.0.0.1:7004/otlp LFPD_LOGS=$work/file.log HOSTNAME=here NO_PROXY=127.0.0.1
check "the collector accepts the configuration" into "$work/out" "$otelcol" validate --config "$top/examples/collector/otelcol.yaml" || cat "$work/out"
background collector "$otelcol" --config "$top/examples/collector/otelcol.yaml" --config "$work/more.yaml"
wanted=$(($(wc -l <"$work/from-journal") + $(wc -l <"$work/from-file")))
all_received() { [ "$(wc -l <"$work/received")" -ge "$wanted" ]; }
check "the collector sends all records" wait_for 60 all_received || { tail -n 5 "$work/collector.log"; wc -l "$work/received"; }
check "as its operators were interpreted" diff <(sort "$work/from-journal" | grep '"LINR02"') <(grep '"LINR02"' "$work/received" | sort)
check "those of the file have the same attributes" diff <(shape "$work/from-file") <(grep '"STACK"' "$work/received" >"$work/received-file"; shape "$work/received-file")
finish
