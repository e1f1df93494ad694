# SPDX-License-Identifier: Apache-2.0
"""The works of bench/run, and the configurations of LFP."""


def work(name, program, flags, unit="B", programs=1, main=False, kind="out"):
    """A row of the tables. The kind says what the program is: "out" a client, "in" a server, whose peer is a native
    client, "control" one that makes calls which move no data."""
    return {
        "name": name, "program": program, "flags": flags.split(), "unit": unit, "programs": programs, "main": main, "kind": kind
    }


WORKS = [
    *(
        work(f"bulk {way}, {text} writes", "lfp-bench", f"-w {verb} -s {size}", main=size == 65536)
        for way, verb in (("out", "send"), ("in", "recv"))
        for text, size in (("1 KB", 1024), ("8 KB", 8192), ("64 KB", 65536), ("1 MB", 1048576))
    ),
    work("bulk out, 3 programs", "lfp-bench", "-w send -s 65536 -n 100000000", programs=3),
    work("bulk in, 3 programs", "lfp-bench", "-w recv -s 65536 -n 100000000", programs=3),
    *(
        work(f"round trips, {text}", "lfp-bench", f"-w rr -s {size}", "op", main=size == 1024)
        for text, size in (
            ("1 B", 1),
            ("1 KB", 1024),
            ("4 KB", 4096),
            ("10 KB", 10240),
            ("32 KB", 32768),
            ("100 KB", 102400),
            ("1 MB", 1048576),
        )
    ),
    work("connect, 1 byte, close", "lfp-bench", "-w conn", "op", main=True),
    work("round trips, 1 KB on 100 sockets", "lfp-many", "-n 100", "op", main=True),
    work("round trips, 1 KB on 1,000 sockets", "lfp-many", "-n 1000", "op", main=True),
    work("round trips, 1 KB on 1 of 1,000 sockets", "lfp-many", "-n 1000 -a 1", "op"),
    work("round trips, 1 KB on 1 socket, with epoll", "lfp-many", "-n 1", "op"),
    work("round trips, 1 KB on 1 socket, with epoll, both edges", "lfp-many", "-n 1 -e", "op"),
    work("server: bulk in, 64 KB writes", "lfp-bench", "-w send -s 65536", main=True, kind="in"),
    work("server: bulk out, 64 KB writes", "lfp-bench", "-w recv -s 65536", main=True, kind="in"),
    work("server: round trips, 1 KB", "lfp-bench", "-w rr -s 1024", "op", main=True, kind="in"),
    work("server: accept, 1 byte, close", "lfp-bench", "-w conn", "op", main=True, kind="in"),
    work("setsockopt of TCP_NODELAY", "lfp-bench", "-w nodelay", "op", main=True, kind="control"),
    work("getsockname", "lfp-bench", "-w getsockname", "op", main=True, kind="control"),
    work("getpeername", "lfp-bench", "-w getpeername", "op", main=True, kind="control"),
    work("socket, close", "lfp-bench", "-w socket", "op", main=True, kind="control"),
]

# title -> MTU, window towards the host, window towards the program
CONFIGS = {
    "MTU 65536, windows 262144": (65536, 262144, 262144),
    "MTU 8192, windows 65535 (IBM's sample)": (8192, 65535, 65535),
}
