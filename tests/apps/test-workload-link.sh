#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The link in the place of an OSA adapter: its delay in a round trip, its rate, its bounded queue, its counters beside those of the
# interfaces, its rest; --osa-delay of the tables; wrong words
# Time limit: 300 s
. "$(dirname "$0")/lib-workload.sh"
needs cc python3 tc
[ -r /dev/net/tun ] && [ -w /dev/net/tun ] || skip "/dev/net/tun may not be opened"

cable=$work/cable
check "the link compiles without a warning" cc -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -o "$cable" "$top/workload/programs/cable.c"

cat >"$work/link.py" <<'END'
"""link.py CABLE WHAT: one link of its own. Echoes are UDP's; port 7 of the far side sends back what it gets"""
import json, os, socket, subprocess, sys, time

def ip(*words, prefix=()):
    return subprocess.run([*prefix, "ip", *words], check=True, capture_output=True, text=True).stdout

class Link:
    def __init__(self, delay_us, rate, program):
        """The far side runs this program of Python."""
        self.holder = subprocess.Popen(["unshare", "--net", "--", "sleep", "100"])
        space = f"/proc/{self.holder.pid}/ns/net"
        while os.readlink(space) == os.readlink("/proc/self/ns/net"):
            time.sleep(0.001)
        self.far = ["nsenter", f"--net={space}", "--"]
        self.cable = subprocess.Popen([sys.argv[1], space, "near0", "far0", str(delay_us), str(rate)],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.cable.stdout.readline() == "ready\n"
        # Nothing but the test's own frames: no IPv6, and neighbours that are known.
        for name, prefix, own, other in (("near0", [], 1, 2), ("far0", self.far, 2, 1)):
            subprocess.run([*prefix, "sh", "-ec", f"""echo 1 >/proc/sys/net/ipv6/conf/{name}/disable_ipv6
                ip link set {name} address 02:00:00:00:00:0{own}
                ip addr add 10.8.0.{own}/24 dev {name}
                ip link set {name} up
                ip neigh add 10.8.0.{other} lladdr 02:00:00:00:00:0{other} dev {name} nud permanent"""], check=True)
        self.peer = subprocess.Popen([*self.far, sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        assert self.peer.stdout.readline() == "ready\n"

    def counters(self):
        self.cable.stdin.write("\n")
        self.cable.stdin.flush()
        return json.loads(self.cable.stdout.readline())

    def interfaces(self):
        return {name: json.loads(ip("-s", "-j", "link", "show", name, prefix=prefix))[0]["stats64"]
                for name, prefix in (("near0", ()), ("far0", self.far))}

    def at_rest(self):
        """Waits until nothing is on its way. Returns the counters of the link and of its interfaces."""
        while True:
            found = self.counters()
            if any(way["waiting"] for way in found.values()):
                time.sleep(0.01)
                continue
            there = self.interfaces()
            if self.counters() == found:
                return found, there

    def cpu(self):
        """Returns the CPU time in seconds, and how often the link has run."""
        with open(f"/proc/{self.cable.pid}/schedstat") as file:
            ran, _, times = map(int, file.read().split())
        return ran / 1e9, times

    def state(self):
        with open(f"/proc/{self.cable.pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0]

    def end(self):
        self.peer.kill()
        self.peer.wait()
        self.cable.stdin.close()
        assert self.cable.wait(20) == 0, "the link does not end with its input"
        self.holder.kill()
        self.holder.wait()

ECHO = """import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.8.0.2", 7))
print("ready", flush=True)
while True:
    data, peer = s.recvfrom(2000)
    s.sendto(data, peer)"""
TAKE = """import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.8.0.2", 7))
print("ready", flush=True)
while True:
    s.recv(2000)"""
COUNT = """import socket, time
s = socket.create_server(("10.8.0.2", 7))
print("ready", flush=True)
conn = s.accept()[0]
count = 0
while data := conn.recv(1 << 20):
    count += len(data)
print(count, flush=True)"""

def datagrams():
    """Returns a socket of UDP, connected to the program of the far side."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("10.8.0.2", 7))
    return s

def round_trip(times):
    """Returns the shortest of some round trips in ms; others have waited for the processor, too."""
    s = datagrams()
    s.settimeout(20)
    least = 1e9
    for _ in range(times):
        begin = time.monotonic()
        s.send(b"x")
        s.recv(2000)
        least = min(least, time.monotonic() - begin)
    return 1000 * least

def same(found, there):
    """The link's counters are those of its interfaces, also of lost frames."""
    for name, other in (("near0", "far0"), ("far0", "near0")):
        way, sent, got = found[name], there[name]["tx"], there[other]["rx"]
        assert (way["taken"], way["taken_bytes"]) == (sent["packets"], sent["bytes"]), (name, way, sent)
        assert (way["given"], way["given_bytes"]) == (got["packets"], got["bytes"]), (name, way, got)
        assert way["refused"] == got["dropped"], (name, way, got)
        assert way["dropped"] + way["refused"] == sent["packets"] - got["packets"], (name, way)

def delay():
    trips = {}
    for ms in (0, 20):
        link = Link(1000 * ms, 10**9, ECHO)
        trips[ms] = round_trip(50)
        same(*link.at_rest())
        link.end()
    print(trips)
    assert 40 <= trips[20] <= trips[0] + 45, trips

def rest():
    link = Link(50000, 10**9, ECHO)
    round_trip(1)
    cpu, _ = link.cpu()
    begin = time.monotonic()
    round_trip(10)
    used, took = link.cpu()[0] - cpu, time.monotonic() - begin
    assert took >= 1 and used < took / 20, (used, took)  # it sleeps while frames wait
    link.at_rest()
    while link.state() != "S":  # its answer may have been read before it sleeps
        time.sleep(0.001)
    _, times = link.cpu()
    time.sleep(1)  # in which it must not run
    assert link.cpu()[1] == times, "it runs without a frame"
    link.end()

def rate():
    link = Link(0, 2 * 10**7, COUNT)
    s = socket.socket()
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 100)  # most of the line is headers, gaps and preambles
    s.connect(("10.8.0.2", 7))
    begin, size = time.monotonic(), 600000
    s.sendall(b"x" * size)
    s.shutdown(socket.SHUT_WR)
    assert int(link.peer.stdout.readline()) == size
    took = time.monotonic() - begin
    segment = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
    least = size / segment * (segment + 90) * 8 / (2 * 10**7)
    found, there = link.at_rest()
    print(took, least, segment, found)
    assert found["near0"]["taken"] < size / segment / 2, found  # segments of many frames
    assert least * 0.99 <= took, (took, least)
    same(found, there)
    link.end()

def queue():
    link = Link(20000, 10**6, TAKE)
    s = datagrams()
    for _ in range(20):
        for _ in range(40):
            s.send(bytes(1400))
        found = link.counters()["near0"]
        # 50 ms at 1 Mbit/s are 4 frames, the delay is 2 of them, and one is on the line. As many may be late
        assert found["waiting"] <= 2 * 7, found
    found, there = link.at_rest()
    print(found)
    assert found["near0"]["dropped"] and found["near0"]["given"] >= 4, found
    same(found, there)
    link.end()

def down():
    link = Link(0, 10**9, TAKE)
    s = datagrams()
    ip("link", "set", "far0", "down", prefix=link.far)
    for _ in range(5):
        s.send(b"x")
    found, there = link.at_rest()
    print(found, there["far0"]["rx"])
    assert found["near0"]["refused"] == 5, found
    same(found, there)
    ip("link", "set", "far0", "up", prefix=link.far)
    link.end()

globals()[sys.argv[2]]()
END
check "a round trip grows by twice the delay" timeout 100 python3 "$work/link.py" "$cable" delay
check "it sleeps while frames wait, and without any it does not run" timeout 60 python3 "$work/link.py" "$cable" rest
check "large segments take their time on the line" timeout 60 python3 "$work/link.py" "$cable" rate
check "its queue has an end, and what it drops is counted" timeout 60 python3 "$work/link.py" "$cable" queue
check "what an interface refuses is counted as that interface does" timeout 60 python3 "$work/link.py" "$cable" down

# Wrong words, and names that are taken
refused() { # PATTERN WORD...
	timeout 20 "$cable" "${@:2}" >"$work/out" 2>"$work/said" </dev/null
	check_eq "$?$(grep -cE -- "$1" "$work/said")$(wc -l <"$work/said")" 111 "cable ${*:2}" || cat "$work/said"
}
refused '/proc/none: No such file' /proc/none near0 far0 250 1000000000
refused '100001: not a number in range' /proc/self/ns/net near0 far0 100001 1000000000
refused '0: not a number in range' /proc/self/ns/net near0 far0 0 0
refused '^cable: -1: not a number in range' /proc/self/ns/net near0 far0 -1 1000000000
refused 'a-name-of-16-byt: the name is too long' /proc/self/ns/net a-name-of-16-byt far0 0 1000000000
refused '/proc/self/cmdline: ' /proc/self/cmdline near0 far0 0 1000000000
refused '^cable: near0: .*busy' /proc/self/ns/net near0 near0 0 1000000000

# The tables: a message of the ring crosses the link twice.
for delay in 0 4; do
	json=$work/mq-$delay.json
	timeout 100 "$workload" mq --quick --messages 10 --osa-delay "$delay" --route osa --json >"$json" 2>"$work/progress"
	check_eq "$?" 0 "--osa-delay $delay" || cat "$work/progress"
	asked "the results have the delay" "r['sizes']['osa_delay'] == r['links']['osa']['delay_ms'] == $delay and
		r['links']['osa']['by'] == ('veth, tbf' if $delay == 0 else 'cable')"
done
asked "and counters that agree" 'len(r["links"]["osa"]["same"]) == 6 and all(r["links"]["osa"]["same"].values())'
asked "round trips of 1000 bytes have both crossings" 'c["osa"]["1-1000"]["ms"] >= 8 and c["osa"]["2-1000"]["ms"] >= 8'
check "the default is computed from the paper" env PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import published_mq
assert published_mq.OSA_DELAY == (2.0 - 1.5) / 2' "$top/workload"
timeout 100 "$workload" mq --quick --messages 10 --route osa >"$work/text" 2>/dev/null
check_eq "$?" 0 "as text"
check "which names the delay as a choice" eval 'grep -q "^LINKS in the place of OSA adapters: rate and delay are a choice of this project" "$work/text" &&
	grep -qx "osa: 1 Gbit/s, 0.25 ms each way, by cable" "$work/text" && [ "$(grep -c ": as ip -s link$" "$work/text")" = 6 ]'

# A link that ends before its counters are read, and an emulation that ends before its displays: an error, and no other cell is lost.
cat >"$work/ended.py" <<'END'
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import grid, hsi, links
from processes import Processes
work, processes = sys.argv[2], Processes()

class Ended:
    """A table whose only cell passes, and then its route's program ends."""
    def rows(self, _sizes):
        return [("row", "a row")]
    def runner(self, *_):
        return self
    def measure(self, _key):
        return {"rate": 1}
    def said(self, _cell):
        return ""
    def lacks(self, _key):
        return False
    def clean(self):
        pass
    def end(self):
        process = route.cable.process if route.name == "osa" else route.zdev
        os.kill(process.pid, 9)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        if route.name == "hsi":
            route.ask("COUNTERS")

for route in (links.Osa(0.25, processes, work), *([hsi.Hsi(processes, work)] if os.geteuid() == 0 else [])):
    results = {"cells": {}, "skipped": {}}
    grid.measure(Ended(), [route], processes, work, {}, results, lambda *_: None)
    of = results["cells"][route.name]
    assert of["row"] == {"rate": 1} and "has ended: " in of["end"]["error"] and not results["skipped"], results
END
mkdir "$work/ended"
check "what ends before its counters are read is an error, and the cells stay" \
	timeout 100 python3 "$work/ended.py" "$(dirname "$(readlink -f "$workload")")" "$work/ended"

# The link ends in the middle: its cells say so.
json=$work/killed.json
timeout 100 "$workload" mq --messages 100000 --route osa --json >"$json" 2>"$work/progress" &
runner=$!
carries() { grep -qE '^ *lfpw0:' "/proc/${run%% *}/net/dev" && [ "$(awk '$1 == "lfpw0:" { print $3 }' "/proc/${run%% *}/net/dev")" -gt 1000 ]; }
inside() { read -r run <"/proc/$runner/task/$runner/children"; [ "$run" ]; }
wait_for 60 inside
wait_for 60 carries
kill -KILL "$(pgrep -P "${run%% *}" -x cable)"
wait $runner
check_eq "$?" 69 "the link is killed in the first cell" || tail -n 3 "$work/progress"
asked "its cells fail with a reason" 'r["complete"] and len(c["osa"]) == 10 and all("the link has ended" in x["error"] for x in c["osa"].values())'

said() { # RC PATTERN WORD...
	timeout 60 "$workload" "${@:3}" >"$work/out" 2>"$work/said"
	check_eq "$?$(grep -cE -- "$2" "$work/said")$(wc -l <"$work/said")" "${1}11" "lfp-workload ${*:3}" || cat "$work/said"
}
said 64 'argument --osa-delay: ' mq --osa-delay 101
said 64 'argument --osa-delay: ' lfp --osa-delay -1
said 64 'argument --osa-delay: ' lfp --osa-delay nan
finish
