#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Metrics: promtool and prometheus accept them; bad or slow requests are refused
# Time limit: 300 s
. "$(dirname "$0")/lib.sh"
needs python3 curl

url=http://127.0.0.1:9099
lfp_up METRICS_LISTEN=127.0.0.1:9099
on_lfp true

check_exit 0 "a scrape" into "$work/head" curl -sS -D - -o "$work/text" $url/metrics
check "its type" grep -q '^Content-Type: text/plain; version=0.0.4; charset=utf-8' "$work/head"
check "a gauge" grep -qx 'lfpd_connected{instance="LINR02"} 1' "$work/text"
check "a counter with a label" grep -Eqx 'lfpd_path_packets_total\{instance="LINR02",direction="in"\} [1-9][0-9]*' "$work/text"
if PATH=$PATH:/usr/sbin command -v promtool >/dev/null; then
	promtool check metrics <"$work/text" >"$work/promtool" 2>&1
	check_eq "$?:$(cat "$work/promtool")" "0:" "promtool check metrics finds nothing"
else
	skip_part "promtool is not installed"
fi

curl -sS -D "$work/head" -H 'Accept: application/openmetrics-text; version=1.0.0' $url/metrics >"$work/open"
check "its type" grep -q '^Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8' "$work/head"
check_eq "$(tail -n 1 "$work/open")" "# EOF" "its end"
check "a family without _total" grep -qx '# TYPE lfpd_path_packets counter' "$work/open"
check "and its sample with it" grep -q '^lfpd_path_packets_total{' "$work/open"

# Slow ones: each says a byte now and then; others are served, and in the end the slow ones are let go
cat >"$work/slow.py" <<-'END'
	import select, socket, sys, time
	slow = [socket.create_connection(("127.0.0.1", 9099)) for _ in range(8)]
	print("ready", flush=True)
	start, gone = time.monotonic(), 0
	while slow and time.monotonic() - start < 100:
	    for s in slow[:]:
	        try:
	            s.send(b"G")
	            if select.select([s], [], [], 0)[0] and not s.recv(1000):
	                raise OSError
	        except OSError:
	            slow.remove(s)
	    select.select([], [], [], 0.2)
	print("left", len(slow), time.monotonic() - start < 90, flush=True)
END
background slow python3 "$work/slow.py"
wait_for 30 grep -q ready "$work/slow.log"

if PATH=$PATH:/usr/sbin command -v prometheus >/dev/null; then
	cat >"$work/prometheus.yml" <<-'END'
		scrape_configs:
		  - job_name: lfpd
		    scrape_interval: 1s
		    static_configs: [{targets: ["127.0.0.1:9099"]}]
	END
	background prometheus prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" --web.listen-address=127.0.0.1:9098
	prometheus=$!
	query() { curl -sS "http://127.0.0.1:9098/api/v1/query" --data-urlencode "query=$1" | python3 -c 'import json, sys; print([r["value"][1] for r in json.load(sys.stdin)["data"]["result"]])'; }
	wait_for 200 eval '[ "$(query "up{job=\"lfpd\"}")" = "['"'1'"']" ]'
	check_eq "$(query 'up{job="lfpd"}')" "['1']" "Prometheus scrapes it"
	check_eq "$(query 'lfpd_sockets_max')" "['4096']" "and has a value"
	check_eq "$(curl -sS http://127.0.0.1:9098/api/v1/metadata | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["lfpd_path_packets"][0]["type"])' 2>&1)" counter "and its type, by the name that only OpenMetrics has"
	check_eq "$(curl -sS http://127.0.0.1:9098/api/v1/targets | python3 -c 'import json, sys; print([t["lastError"] for t in json.load(sys.stdin)["data"]["activeTargets"]])')" "['']" "without an error"
	stop_pid "$prometheus"
else
	skip_part "prometheus is not installed"
fi

code() { curl -sS -o /dev/null -w '%{http_code}' "$@"; }
check_eq "$(code $url/)" 200 "the root says where they are"
check_eq "$(code $url/else)" 404 "another path"
check_eq "$(code -X POST $url/metrics)" 405 "another method"
check_eq "$(code --data x $url/metrics)" 405 "a body"
check_eq "$(code -H "X: $(printf 'a%.0s' {1..9000})" $url/metrics)" 431 "too long a head"
check_eq "$(curl -sS -I $url/metrics | grep -c .)" 6 "HEAD has no body"
printf 'nonsense\r\n\r\n' | timeout 60 python3 -c '
import socket, sys
s = socket.create_connection(("127.0.0.1", 9099))
s.sendall(sys.stdin.buffer.read())
sys.stdout.buffer.write(s.makefile("rb").read())' >"$work/answer"
check "no HTTP" grep -q '^HTTP/1.1 400 Bad Request' "$work/answer"

for _ in 1 2 3 4 5; do [ "$(code $url/metrics)" = 200 ] || fail "a scrape beside slow clients"; done
check "programs are served" on_lfp timeout 100 python3 -c 'import socket; l = socket.create_server(("127.0.0.1", 7001)); socket.create_connection(("127.0.0.1", 7001)); l.accept()'
wait_for 200 grep -q left "$work/slow.log"
check_eq "$(tail -n 1 "$work/slow.log")" "left 0 True" "slow clients are let go"

stop_pid "$lfpd"
lfpd_conf LINR02 METRICS_LISTEN="$work/metrics.sock"
lfpd_start LINR02
check_eq "$(code --unix-socket "$work/metrics.sock" http://lfpd/metrics)" 200 "on a UNIX socket"

# Another place by a reload; what cannot be had leaves all as it was
reloads() { # EXIT WHAT KEY=VALUE...
	local code=$1 what=$2
	shift 2
	lfpd_conf LINR02 "$@"
	check_exit "$code" "reload: $what" into "$work/out" "$bin/lfpd-ctl" reload LINR02
}
at_path() { [ "$(code --unix-socket "$work/metrics.sock" http://lfpd/metrics 2>/dev/null)" = 200 ]; }
at_port() { [ "$(code "http://127.0.0.1:$1/metrics" 2>/dev/null)" = 200 ]; }
reloads 0 "the same file by another name" METRICS_LISTEN="$work/./metrics.sock"
check "is served" at_path
if [ "$(id -u)" = 0 ]; then
	reloads 0 "another group" METRICS_LISTEN="$work/./metrics.sock" ADMIN_GROUP=54321
	check_eq "$(stat -c '%g %a' "$work/metrics.sock")" "54321 660" "has the socket"
else
	skip_part "a socket of another group needs root"
fi
reloads 0 "a port alone" METRICS_LISTEN=9099
check "is told" grep -q 'VLFD842I LINR02 uses new values of .*METRICS_LISTEN' "$work/out"
check "is served" at_port 9099
check "in place of the socket" [ ! -e "$work/metrics.sock" ]
reloads 0 "the same port in full" METRICS_LISTEN=127.0.0.1:9099
check "is served" at_port 9099
background taken python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 9097)); time.sleep(300)'
wait_listen 9097 || die "nobody takes port 9097"
reloads 6 "a port that is taken" METRICS_LISTEN=9097 MAX_SOCKETS=9
check "is told" grep -q 'METRICS_LISTEN = 9097: Address already in use' "$work/out"
check_eq "$(status LINR02 MAX_SOCKETS)" 4096 "nothing of that file holds"
echo nonsense >"$work/rules"
reloads 6 "a good place beside wrong rules" METRICS_LISTEN="$work/metrics.sock" POLICY_FILE="$work/rules"
check "is not opened" [ ! -e "$work/metrics.sock" ]
check "the old place is served all the time" at_port 9099
reloads 0 "no place"
gone() { ! at_port 9099; }
check "is not served" gone
reloads 0 "a socket" METRICS_LISTEN="$work/metrics.sock"
check "is served" at_path
stop_pid "$lfpd"
check "which is gone with lfpd" [ ! -e "$work/metrics.sock" ]
echo data >"$work/metrics.sock"
check_exit 69 "a file that is no socket" into "$work/log" env LFP_VMID=LINLFP "$daemons/lfpd" -d -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
check "is told" grep -q "VLFD145E Instance LINR02 cannot listen at METRICS_LISTEN = $work/metrics.sock: File exists" "$work/log"
check_eq "$(cat "$work/metrics.sock")" data "and stays"
lfpd_conf LINR02 METRICS_LISTEN=0.0.0.0:9099
check_exit 78 "an address that others reach" into "$work/log" "$daemons/lfpd" -d -f "$LFP_ROOT/etc/opt/ibm/vselfpd/confs-enabled/lfpd-LINR02.conf"
finish
