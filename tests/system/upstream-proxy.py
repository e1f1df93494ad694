# SPDX-License-Identifier: Apache-2.0
"""upstream-proxy.py PORT FILE: a proxy of SOCKS5 and HTTP CONNECT for tests, which says in FILE what it was asked

The port that it is asked for chooses its answer:
    7000        connects to 10.0.0.1:7000, whatever the address
    1 to 99     the answer has this code (SOCKS5)
    100 to 599  the answer has this status (HTTP)
    601         the answer comes byte for byte, then "slow"
    602         the answer never ends
    603         half an answer, and the end
    604         the answer and "early" in one segment, then an echo
    605         no answer
    606         bytes of no protocol
"""
import base64, os, socket, sys, threading, time

def exactly(conn, n):
    data = b""
    while len(data) < n:
        more = conn.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data

def socks(conn):
    methods = exactly(conn, exactly(conn, 1)[0])
    user = ""
    if 2 in methods:
        conn.sendall(b"\5\2")
        exactly(conn, 1)
        user = exactly(conn, exactly(conn, 1)[0]).decode() + ":" + exactly(conn, exactly(conn, 1)[0]).decode()
        conn.sendall(b"\1\0" if user == "someone:a secret" else b"\1\7")
    else:
        conn.sendall(b"\5\0")
    kind = exactly(conn, 4)[3]
    if kind == 3:
        host = "name " + exactly(conn, exactly(conn, 1)[0]).decode()
    elif kind == 1:
        host = "address " + socket.inet_ntop(socket.AF_INET, exactly(conn, 4))
    else:
        host = "address " + socket.inet_ntop(socket.AF_INET6, exactly(conn, 16))
    return host, int.from_bytes(exactly(conn, 2), "big"), user

def http(conn):
    head = b"C"
    while not head.endswith(b"\r\n\r\n"):
        head += exactly(conn, 1)
    lines = head.decode().split("\r\n")
    host, _, port = lines[0].split()[1].rpartition(":")
    user = [line.split()[2] for line in lines if line.startswith("Proxy-Authorization: Basic ")]
    return "host " + host, int(port), base64.b64decode(user[0]).decode() if user else ""

def relay(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass

def serve(conn, said):
    is_socks = exactly(conn, 1) == b"\5"
    host, port, user = (socks if is_socks else http)(conn)
    os.write(said, f"{host} {port} {user}\n".encode())
    good = b"\5\0\0\3\3abc\0\1" if is_socks else b"HTTP/1.1 100 Wait\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    if port == 7000:
        peer = socket.create_connection(("10.0.0.1", 7000))
        conn.sendall(good)
        threading.Thread(target=relay, args=(peer, conn), daemon=True).start()
        relay(conn, peer)
    elif port == 601:
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(good)):
            conn.sendall(good[at:at + 1])
            time.sleep(0.002)
        conn.sendall(b"slow")
    elif port == 602:
        while True:
            conn.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 65536)
    elif port == 603:
        conn.sendall(good[:3])
    elif port == 604:
        conn.sendall(good + b"early")
        conn.sendall(conn.recv(100))
    elif port == 605:
        conn.recv(1)
    elif port == 606:
        conn.sendall(b"SSH-2.0-none\r\n")
    elif is_socks:
        conn.sendall(bytes([5, port, 0, 1, 0, 0, 0, 0, 0, 0]))
    else:
        conn.sendall(f"HTTP/1.1 {port} No\r\n\r\n".encode())

def one(conn, said):
    try:
        serve(conn, said)
    except (EOFError, OSError):
        pass
    conn.close()

said = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
listener = socket.create_server(("10.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
while True:
    threading.Thread(target=one, args=(listener.accept()[0], said), daemon=True).start()
