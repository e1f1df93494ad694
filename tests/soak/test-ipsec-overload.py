#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IIPHONORPRIORITY=YES spills and NO contains: one zIIP gets more than it can do, and is varied off and on in the middle

Prints a table over time: throughput, the response time of datagrams that are echoed meanwhile, and the shares of zIIP and CPs. The
same is drawn as $O/ipsec-overload.svg, if Debian's python3-matplotlib is installed.
"""
import json
import os
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'system'))
from ipsec import SINK, Side, begin, check, children, end, enter, main, rules, run, switches, top  # noqa: E402

SHARE = 8           # percent of a CPU that each engine has
STEP = 0.5          # seconds: the interval of a report
PHASES = ('before', 'offline', 'after')
STEPS = 10          # of each phase
ECHO_PORT = 7778
ECHO = '''
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], %d))
print("ready", flush=True)
while True:
    data, peer = s.recvfrom(2048)
    s.sendto(data, peer)
''' % ECHO_PORT


def start(program, address):
    process = subprocess.Popen([*enter, sys.executable, '-c', program, address], stdout=subprocess.PIPE)
    children.append(process)
    process.stdout.readline()
    return process


class Load(threading.Thread):
    """A TCP stream to side 2, as fast as it takes it."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.stop = inner, threading.Event()

    def run(self):
        with socket.create_connection((self.inner + '2', 7777), 10, source_address=(self.inner + '1', 0)) as conn:
            conn.settimeout(30)
            while not self.stop.is_set():
                conn.sendall(bytes(1 << 16))


class Probe(threading.Thread):
    """Datagrams to side 2, which echoes them, and their round trip times."""

    def __init__(self, inner):
        super().__init__()
        self.stop, self.times, self.lock = threading.Event(), [], threading.Lock()
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((inner + '1', 0))
        self.socket.connect((inner + '2', ECHO_PORT))
        self.socket.settimeout(0.01)

    def run(self):
        while not self.stop.is_set():
            self.socket.send(struct.pack('>d', time.monotonic()))
            until = time.monotonic() + 0.01
            while time.monotonic() < until:
                try:
                    sent = struct.unpack('>d', self.socket.recv(64))[0]
                except TimeoutError:
                    break
                with self.lock:
                    self.times.append(1000 * (time.monotonic() - sent))

    def take(self):
        """The median since the last call, in ms."""
        with self.lock:
            times, self.times = self.times, []
        return statistics.median(times) if times else float('nan')


def overload(honor):
    """A row for each step: seconds, phase, MB/s, ms, IIP, IIPCP."""
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 4300)
    end(sides[1:], 'its place is taken')
    sides[1] = Side(2, rules(2, 4, 'Tunnel', 'cbc', 'sha1', 4300)[0], (
        '--cps=2', '--ziips=1', f'--share={SHARE}', *switches(f'IIPHONORPRIORITY={honor}')))
    run('ip', 'route', 'add', inner + '1', 'dev', 'z0', 'src', inner + '2', 'table', '100', enter=enter)
    echo = start(ECHO, inner + '2')
    server = start(SINK, inner + '2')
    load, probe, rows, last = Load(inner), Probe(inner), [], 0
    load.start()
    probe.start()
    begun = at = time.monotonic()
    for step in range(-2, len(PHASES) * STEPS):  # the first two are not looked at
        phase = PHASES[max(0, step) // STEPS]
        if step in (STEPS, 2 * STEPS):
            sides[1].say('CF CPU(02),' + ('OFFLINE' if step == STEPS else 'ONLINE'))
        time.sleep(max(0, begun + (step + 3) * STEP - time.monotonic()))
        report = json.loads(sides[1].ask('REPORT JSON')[0])
        total, now = sides[1].counts()[1][4301]['bytes'], time.monotonic()
        row = ((step + 1) * STEP, phase, (total - last) / 1e6 / (now - at), probe.take(), report['appl_iip'] * 100 / SHARE,
               report['appl_iipcp'] * 100 / SHARE)
        last, at = total, now
        if step >= 0:
            rows.append(row)
            print(f'{honor:3} {row[0]:5.1f} s {phase:8} {row[2]:7.1f} MB/s {row[3]:7.1f} ms  IIP {row[4]:6.1f} %  '
                  f'IIPCP {row[5]:6.1f} %', flush=True)
    load.stop.set()
    probe.stop.set()
    load.join()
    probe.join()
    server.wait()
    echo.kill()
    echo.wait()
    end(sides, f'overload, IIPHONORPRIORITY={honor}')
    return rows


def mean(rows, phase, column):
    """Of all steps of a phase but the first, which is a mixture."""
    return statistics.mean([row[column] for row in rows if row[1] == phase][1:])


def draw(runs):
    out = os.path.join(top, os.environ.get('O', 'build'), 'ipsec-overload.svg')
    drawing = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'draw-overload.py')
    # Debian's modules belong to Debian's interpreter.
    done = subprocess.run(['/usr/bin/python3', drawing, out], input=json.dumps(runs), text=True, capture_output=True)
    print(f'drawn: {out}' if not done.returncode else 'not drawn: ' + (done.stderr.splitlines() or ['?'])[-1])


def overloads():
    runs = {honor: overload(honor) for honor in ('YES', 'NO')}
    draw(runs)
    for honor, rows in runs.items():
        what = f'IIPHONORPRIORITY={honor}'
        check(mean(rows, 'offline', 4) == 0 and mean(rows, 'offline', 5) > 0, f'{what}: without the zIIP CPs do all of it')
        check(mean(rows, 'before', 4) > 0 and mean(rows, 'after', 4) > 0, f'{what}: the zIIP works again')
    yes, no = runs['YES'], runs['NO']
    for phase in ('before', 'after'):
        check(mean(yes, phase, 5) > 0.2 * mean(yes, phase, 4),
              f'{phase}: YES spills: IIPCP {mean(yes, phase, 5):.1f}, IIP {mean(yes, phase, 4):.1f}')
        check(mean(no, phase, 5) < 0.02 * mean(no, phase, 4),
              f'{phase}: NO contains: IIPCP {mean(no, phase, 5):.1f}, IIP {mean(no, phase, 4):.1f}')
        check(mean(yes, phase, 2) > mean(no, phase, 2),
              f'{phase}: {mean(yes, phase, 2):.1f} MB/s with YES, {mean(no, phase, 2):.1f} with NO')


main(overloads)
