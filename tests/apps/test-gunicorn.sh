#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gunicorn with 3 workers and uvicorn on LFP: reload under load, without a failed request
# Time limit: 300 s
. "$(dirname "$0")/../system/lib.sh"
needs gunicorn uvicorn curl python3

cp "$here/wsgi.py" "$work/wsgi.py" && cd "$work" || exit 1
head -c 5000000 /dev/urandom >"$work/file"
sum=$(md5sum <"$work/file")
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$work
generation() { echo "GENERATION = $1" >"$work/.new" && mv "$work/.new" "$work/generation.py"; }
workers() { for _ in {1..20}; do curl -sS --fail --max-time 100 http://127.0.0.1:8001/; done | sort -u; }
several_workers() { [ "$(workers | wc -l)" -gt 1 ]; } # one that is quick may be alone for a while
only_generation() { ! workers | grep -qv "^$1 "; }
answers() { [[ $(curl -sS --fail --max-time 100 "$1") = "$2 "* ]]; }
# load URL FLAG-FILE: ask until told to stop; ends with the number of requests that failed
load() {
	local bad=0 n=0
	while [ ! -e "$2" ]; do
		n=$((n + 1))
		curl -sS --fail --max-time 100 -o "$work/answer" "$1" || bad=$((bad + 1))
	done
	echo "$bad of $n failed"
	return $bad
}

generation 1
lfp_up
background_on_lfp gunicorn gunicorn -w 3 -b 127.0.0.1:8001 -b '[::1]:8002' --timeout 120 --graceful-timeout 60 wsgi:app
gunicorn=$!
background_on_lfp uvicorn uvicorn --reload --reload-dir "$work" --host 127.0.0.1 --port 8003 wsgi:asgi
uvicorn=$!
wait_for 60 answers http://127.0.0.1:8001/ 1 || die "gunicorn does not answer"
wait_for 60 answers http://127.0.0.1:8003/ 1 || die "uvicorn does not answer"

check "gunicorn: more than one worker" wait_for 60 several_workers
check_eq "$(curl -sS --max-time 100 --data-binary @file http://127.0.0.1:8001/)  -" "$sum" "gunicorn: POST"
check_eq "$(curl -sS --max-time 100 --data-binary @file 'http://[::1]:8002/')  -" "$sum" "gunicorn: POST, IPv6"
check_eq "$(curl -sS --max-time 100 --data-binary @file http://127.0.0.1:8003/)  -" "$sum" "uvicorn: POST"

load http://127.0.0.1:8001/ "$work/stop" &
load=$!
pids+=($load)
generation 2
kill -HUP $gunicorn
check "gunicorn: reload" wait_for 60 only_generation 2
touch "$work/stop"
wait $load
check_eq $? 0 "gunicorn: no request failed meanwhile"
check "uvicorn: has seen the change" wait_for 60 answers http://127.0.0.1:8003/ 2
check_eq "$(curl -sS --max-time 100 --data-binary @file http://127.0.0.1:8003/)  -" "$sum" "uvicorn: POST again"
check "gunicorn ends when it is told" stop_pid $gunicorn
check "uvicorn, too" stop_pid $uvicorn
finish
