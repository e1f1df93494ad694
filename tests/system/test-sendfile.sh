#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sendfile() on an accepted connection: each byte arrives, from the first one on, also where nothing was written before
. "$(dirname "$0")/lib.sh"
needs python3

cat >"$work/sends.py" <<'END'
import os, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
with open(sys.argv[2], "rb") as file:
    while True:
        conn, _ = listener.accept()
        os.sendfile(conn.fileno(), file.fileno(), 0, os.fstat(file.fileno()).st_size)
        conn.close()
END
cat >"$work/takes.py" <<'END'
import hashlib, socket, sys
sock = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
sum, size = hashlib.md5(), 0
while data := sock.recv(65536):
    sum.update(data)
    size += len(data)
print(size, sum.hexdigest())
END
lfp_up
port=7000
for size in 1 4096 65536 69632 1000000; do
	port=$((port + 1))
	head -c $size /dev/urandom >"$work/file$size"
	background_on_lfp sends python3 "$work/sends.py" $port "$work/file$size"
	wait_listen $port || die "the server does not listen"
	for try in 1 2 3; do
		check_eq "$(timeout 100 python3 "$work/takes.py" $port)" "$size $(md5sum <"$work/file$size" | cut -d ' ' -f 1)" "$size bytes, $try"
	done
done
finish
