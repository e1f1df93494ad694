# SPDX-License-Identifier: Apache-2.0
"""relay-proxy.py PORT FILE: a proxy of SOCKS5 for tests that relays datagrams, and says in FILE what it was asked

Each datagram comes back with the address that the proxy was asked for in front, and from there; from 198.51.100.9 if
that was a name. Users choose what the proxy does:
    code       it answers with code 7
    elsewhere  its relay is at another address
    name       its relay has a name
    silent     it does not answer
    brief      it ends the association at once
    chatty     it sends a byte after its answer
    wildcard   it says 0.0.0.0 for its relay
    hostile    before each answer it sends fragments, half heads, and answers of others
    once       it ends the association after an answer
    flood      after an answer it waits for FILE.go, sends 200 more, and says so
"""
import os, socket, sys, threading, time

def exactly(conn, n):
    data = b""
    while len(data) < n:
        more = conn.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data

def login(conn):
    exactly(conn, 1)
    methods = exactly(conn, exactly(conn, 1)[0])
    if 2 not in methods:
        conn.sendall(b"\5\0")
        return "none"
    conn.sendall(b"\5\2")
    exactly(conn, 1)
    user = exactly(conn, exactly(conn, 1)[0]).decode()
    exactly(conn, exactly(conn, 1)[0])
    conn.sendall(b"\1\0")
    return user

def address(data):
    if data[0] == 3:
        end = 2 + data[1]
        host = data[2:end].decode()
    else:
        end = 5 if data[0] == 1 else 17
        host = socket.inet_ntop(socket.AF_INET if data[0] == 1 else socket.AF_INET6, data[1:end])
    return host, int.from_bytes(data[end:end + 2], "big"), end + 2

def relay(udp, user, conn):
    while True:
        data, peer = udp.recvfrom(65536)
        host, port, end = address(data[3:])
        head, payload = data[:3 + end], data[3 + end:]
        os.write(said, f"{user} {host} {port} {len(payload)}\n".encode())
        if data[3] == 3:
            head = b"\0\0\0\1" + socket.inet_aton("198.51.100.9") + head[-2:]
        if user == "hostile":
            for bad in (b"\0\0\1" + head[3:] + b"fragment", b"\0\0\x80" + head[3:] + b"last", b"\1\0\0" + head[3:] + b"reserved",
                        b"\0\0\0\2" + head[4:] + b"type", head[:5], b"", b"\0\0\0\3\xffshort",
                        b"\0\0\0\1" + socket.inet_aton("203.0.113.77") + head[-2:] + b"other host",
                        head[:-2] + b"\0\1other port", b"\0\0\0\3\5other" + head[-2:] + b"other name"):
                udp.sendto(bad, peer)
            # one that is not the relay
            other = socket.socket(udp.family, socket.SOCK_DGRAM)
            other.bind((udp.getsockname()[0], 0))
            other.sendto(head + b"not the relay", peer)
        udp.sendto(head + f"{host} {port} ".encode() + payload, peer)
        if user == "flood":
            while not os.path.exists(sys.argv[2] + ".go"):
                time.sleep(0.01)
            for i in range(200):
                udp.sendto(head + payload, peer)
            os.write(said, b"flood sent\n")
        if user == "once":
            conn.shutdown(socket.SHUT_RDWR)

def serve(conn):
    user = login(conn)
    request = exactly(conn, 4)
    exactly(conn, {1: 4, 4: 16}[request[3]] + 2)
    os.write(said, f"{user} command {request[1]}\n".encode())
    own = conn.getsockname()[0]
    udp = socket.socket(conn.family, socket.SOCK_DGRAM)
    udp.bind((own, 0))
    ip = socket.inet_pton(conn.family, own)
    if user == "silent":
        conn.recv(1)
    if user == "code":
        conn.sendall(b"\5\7\0\1\0\0\0\0\0\0")
        return
    bound = bytes([1 if len(ip) == 4 else 4]) + ip
    if user == "wildcard":
        bound = b"\1\0\0\0\0"
    if user == "elsewhere":
        bound = b"\1" + socket.inet_aton("127.0.0.1")
    if user == "name":
        bound = b"\3\5relay"
    if user not in ("brief", "chatty"):
        threading.Thread(target=relay, args=(udp, user, conn), daemon=True).start()
    answer = b"\5\0\0" + bound + udp.getsockname()[1].to_bytes(2, "big")
    conn.sendall(answer + b"x" if user == "chatty" else answer)
    if user == "brief":
        return
    conn.recv(1)
    os.write(said, f"{user} end\n".encode())

def one(conn):
    try:
        serve(conn)
    except (EOFError, OSError):
        pass
    conn.close()

def accept(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, int(sys.argv[1])), family=family)
    os.write(1, b"listening\n")
    while True:
        threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

said = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
threading.Thread(target=accept, args=("::1",), daemon=True).start()
accept("10.0.0.1")
