# SPDX-License-Identifier: Apache-2.0
# limit.py - opens sockets up to the limit: the errors, and the calls that still work limit.py HOST
# PORT [listen]: "listen" waits for connections instead of making them
import errno, signal, socket, sys, time

MOST = 400
host, port = sys.argv[1], int(sys.argv[2])
socks = []


def late(*_):
    print("a call hangs", flush=True)
    sys.exit(1)


signal.signal(signal.SIGALRM, late)


def one(kind, blocking):
    """A socket that has a peer; what refused it, or None."""
    signal.alarm(60)
    step, sock = "socket", None
    try:
        sock = socket.socket(socket.AF_INET, kind)
        step = "connect"
        sock.setblocking(blocking)
        try:
            sock.connect((host, port))
        except BlockingIOError:
            sock.settimeout(60)
            sock.send(b"x") if wait_writable(sock) else None
            error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, "")
        socks.append(sock)
        return None
    except OSError as error:
        if sock:
            sock.close()
        return step, errno.errorcode.get(error.errno, str(error))


def wait_writable(sock):
    import select
    return select.select([], [sock], [], 60)[1]


def fill(kind, blocking):
    for _ in range(MOST):
        refused = one(kind, blocking)
        if refused:
            return refused
    return "none", "no limit"


for kind, blocking in ((socket.SOCK_STREAM, True), (socket.SOCK_STREAM, False), (socket.SOCK_DGRAM, True)):
    name = ("tcp" if kind == socket.SOCK_STREAM else "udp") + ("" if blocking else " without waiting")
    before = len(socks)
    step, error = fill(kind, blocking)
    print(name, error, flush=True)
    again = {fill(kind, blocking)[1] for _ in range(5)}  # a refused call may have freed descriptors
    print("again", *sorted(again), flush=True)
    # Calls that need no descriptor work.
    signal.alarm(60)
    kept = socks[0]
    kept.getsockname(), kept.getpeername(), kept.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    kept.settimeout(60)
    kept.send(b"y")
    ended = next(sock for sock in socks[1:] if sock.type == socket.SOCK_STREAM)
    ended.shutdown(socket.SHUT_WR)
    socks.remove(ended)
    ended.close()
    print("calls work", flush=True)
    while len(socks) > 8:
        socks.pop().close()
    end = time.monotonic() + 60
    while one(kind, blocking) and time.monotonic() < end:
        time.sleep(0.05)
    print("and again a connection" if time.monotonic() < end else "never again", flush=True)
    socks.pop().close()
