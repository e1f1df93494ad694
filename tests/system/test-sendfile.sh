#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sendfile() and splice() on an accepted connection: each byte arrives, from the first one on, also where nothing was written before
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/sends.py" <<'END'
import os, socket, sys
with_splice = getattr(os, "splice", None)  # Python 3.10

def spliced(sock, file, size):
    out, in_ = os.pipe()
    while size > 0:
        part = with_splice(file, in_, size)
        size -= part
        while part > 0:
            part -= with_splice(out, sock, part)
    os.close(out)
    os.close(in_)

listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
for path in sys.argv[2:]:
    for by in "sendfile", "splice", "sendfile":
        conn, _ = listener.accept()
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if by == "splice" and with_splice:
                spliced(conn.fileno(), file.fileno(), size)
            else:
                sent = 0
                while sent < size:
                    sent += os.sendfile(conn.fileno(), file.fileno(), sent, size - sent)
        conn.close()
END
cat >"$work/takes.py" <<'END'
import hashlib, socket, sys
for _ in range(int(sys.argv[2])):
    sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
    sum, size = hashlib.md5(), 0
    while data := sock.recv(65536):
        sum.update(data)
        size += len(data)
    print(size, sum.hexdigest(), flush=True)
END
lfp_up
sizes=(1 4096 65536 69632 1000000)
for size in "${sizes[@]}"; do
	head -c "$size" /dev/urandom >"$work/file$size"
done

# sends PORT MODE
sends() {
	background_on_lfp "sends-$2" python3 "$work/sends.py" "$1" "${sizes[@]/#/$work/file}"
	wait_listen "$1" || die "the server does not listen"
	timeout 400 python3 "$work/takes.py" "$1" $((3 * ${#sizes[@]})) >"$work/taken" || fail "$2: not all connections came"
	exec 5<"$work/taken"
	for size in "${sizes[@]}"; do
		for by in sendfile splice "sendfile again"; do
			read -r taken <&5
			check_eq "$taken" "$size $(md5sum <"$work/file$size" | cut -d ' ' -f 1)" "$2: $size bytes by $by"
		done
	done
}
port=7000
for mode in ${LFP_MODE:-preload seccomp}; do
	port=$((port + 1))
	lfp_mode "$mode"
	if [ -n "${NATIVE:-}" ] || timeout 100 "${lfp_prefix[@]}" true 2>"$work/said"; then
		sends $port "$mode"
	else
		skip_part "$mode: $(cat "$work/said")"
	fi
done
finish
