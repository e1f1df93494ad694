#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each process of a private instance, killed at random moments: nothing is left. KILL_MOMENTS and KILL_SEED choose them.
# Time limit: 400 s
. "$(dirname "$0")/lib.sh"
needs python3
cat >"$work/server.py" <<'END'
import socket
s = socket.create_server(("10.0.0.1", 7000))
print("listening", flush=True)
while True: s.accept()
END
background server python3 "$work/server.py"
wait_for 60 grep -q listening "$work/server.log" || die "the server does not listen"
timeout 60 "$bin/lfp-run" --private --mode=seccomp true 2>/dev/null || skip "there is no supervisor here"
moments=${KILL_MOMENTS:-20} seed=${KILL_SEED:-21}
# Mounts are counted, so others of this machine must not come into this namespace.
own_mounts=(unshare --mount --) && "${own_mounts[@]}" true || skip "no mount namespace here"
check "$moments moments, seed $seed" timeout 380 "${own_mounts[@]}" python3 "$here/kill-moments.py" "$bin/lfp-run" "$LFP_ROOT/run/vselfp/stacks-$(id -u)" "$moments" "$seed"
finish
