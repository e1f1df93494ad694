#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# redis-server on LFP with BGSAVE under redis-benchmark; redis-cli and redis-benchmark on LFP
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs redis-server redis-cli redis-benchmark

redis() { # PORT COMMAND...
	timeout 120 redis-cli -h 127.0.0.1 -p "$@"
}
saved() { redis 6379 INFO persistence | grep -q 'rdb_bgsave_in_progress:0'; }
# bench_good PREFIX... -- OPTION...: all requests done, none with an error
bench_good() {
	local report
	report=$(timeout 120 "$@" 2>&1) || return 1
	echo "$report" | tr '\r' '\n' | grep 'requests per second'
	! grep -i 'error' <<<"$report" && grep -q 'requests per second' <<<"$report"
}

lfp_up
background_on_lfp redis-lfp redis-server --port 6379 --bind 127.0.0.1 --save '' --dir "$work" --dbfilename lfp.rdb
server=$!
background redis-native redis-server --port 6380 --bind 127.0.0.1 --save '' --dir "$work" --dbfilename native.rdb
wait_listen 6379 && wait_listen 6380 || die "redis-server does not listen"

check_eq "$(redis 6379 SET key value)" OK "SET"
check_eq "$(redis 6379 GET key)" value "GET"
redis 6379 EVAL 'for i = 1, 99999 do redis.call("SET", "key:" .. i, string.rep("x", 100)) end' 0 >/dev/null
check_eq "$(redis 6379 DBSIZE)" 100000 "100,000 keys"
(bench_good redis-benchmark -h 127.0.0.1 -p 6379 -q -n 20000 -c 50 -t set,get,lpush) >"$work/bench.log" 2>&1 &
bench=$!
pids+=($bench)
check_eq "$(redis 6379 BGSAVE)" "Background saving started" "BGSAVE under load"
check "it ends" wait_for 60 saved
check_eq "$(redis 6379 INFO persistence | tr -d '\r' | awk -F: '$1 == "rdb_last_bgsave_status" { print $2 }')" ok "well"
wait $bench
check_eq $? 0 "redis-benchmark: $(tr '\n' ' ' <"$work/bench.log")"
check "the saved file is good" test -s "$work/lfp.rdb"
check "a pipeline" bench_good redis-benchmark -h 127.0.0.1 -p 6379 -q -n 50000 -c 10 -P 32 -t set,get

cli=(timeout 120 "${lfp_prefix[@]}" redis-cli -h 127.0.0.1 -p 6380)
check_eq "$("${cli[@]}" SET there back)" OK "redis-cli on LFP: SET"
check_eq "$("${cli[@]}" GET there)" back "redis-cli on LFP: GET"
for i in {1..5000}; do printf 'SET k%d %d\r\n' "$i" "$i"; done >"$work/commands"
check "redis-cli --pipe on LFP" grep -q 'errors: 0, replies: 5000' <("${cli[@]}" --pipe --pipe-timeout 100 <"$work/commands")
check_eq "$(redis 6380 DBSIZE)" 5001 "all are there"
check "redis-benchmark on LFP" bench_good "${lfp_prefix[@]}" redis-benchmark -h 127.0.0.1 -p 6380 -q -n 10000 -c 20 -t set,get
check_exit 1 "a refused port" timeout 120 "${lfp_prefix[@]}" redis-cli -h 127.0.0.1 -p 1 PING
check "redis-server ends when it is told" stop_pid $server
finish
