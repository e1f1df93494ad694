#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 120 s
"""Every report of every scenario, parsed back from zdev's output, satisfies the relations of RMF reports

  channel      TOTAL is PART of the one partition; bus % is MB/s over the bus of the generation; where
               all I/Os have one size, read and written MB/s are the rates times it
  device       RESP = IOSQ + PEND + DISC + CONN; CMR is part of PEND; % DEV CONN = rate x CONN; the line
               of a control unit has the sum of its rates, and its percentages are means over devices
  synchronous  MB/s = rate x 4,096 where that is the size; ASYNCH = unsuccessful requests; the sum of
               the five percentages is 100
"""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
zdev = os.path.join(top, os.environ.get('O_SAN') or os.environ.get('O', 'build'), 'bin', 'zdev')
MOST = 500e-3  # seconds of simulated time
BUS = {'2B': 6100, '2C': 6100, '2D': 6100, '2E': 6100, '26': 3200, '27': 3200, '28': 3200,
       '1F': 3200, '20': 3200, '21': 3200, '22': 3200}
UNIT = {'us': 1e-6, 'ms': 1e-3, 's': 1}
wrong, compared = [], collections.Counter()


def same(what, a, b, allowed):
    """Rounding of what is printed is what may be between them."""
    compared[what.split(':')[0]] += 1
    if abs(a - b) > allowed:
        wrong.append(f'{scenario}: {what}: {a} and {b}')


def rounding(words):
    """What the sum of numbers may be off, from the digits that they are printed with."""
    return sum(0.5 * 10 ** -len(w.partition('.')[2]) for w in words if w != '-') + 1e-9


def numbers(words):
    return [0.0 if w == '-' else float(w) for w in words]


def channels(lines, size):
    for line in lines:
        m = re.match(r' ([0-9A-F]{2}) (FC_S|FC  |FC) +([0-9A-F]{2}) +(\d+)G +Y +(.*)$', line)
        if not m:
            continue
        (part, total, bus, read, reads, write, writes, ficon, _, _, zhpf, active, _) = \
            numbers(re.sub(r'\*', ' ', m[5]).split())
        same('channel: part', part, total, 0)
        same('channel: part', read, reads, 0)
        same('channel: part', write, writes, 0)
        # An I/O under way at one end of the interval has passed the bus and not ended, or the reverse.
        mb = read + write
        if 'fig2' not in text and m[3] in BUS:
            same(f'channel: bus of {m[1]}', bus, mb / BUS[m[3]] * 100,
                 0.006 + (0.01 + edge(size)) / BUS[m[3]] * 100)
        if size:
            same(f'channel: MB/s of {m[1]}', mb, (ficon + zhpf) * size / 1e6,
                 0.01 + 0.1 * size / 1e6 + edge(size))


def edge(size):
    """MB/s that the I/Os under way are; those of a rate are counted as a hundred."""
    streams = sum(int(n) for n in re.findall(r'streams=(\d+)', text)) + 100 * len(re.findall(r' rate=', text))
    return streams * (size or 524288) / seconds / 1e6


def devices(lines):
    members, percent = [], []
    for line in lines:
        m = re.match(r' {8,}(?:([0-9A-F]{5}) \S+ +(\d+) .{6} +(\d+\.\d)(H?)|LCU) +([0-9A-F]{4}) +(\d+\.\d\d)(S?) +(.*)$', line)
        if not m:
            continue
        rate = float(m[6])
        words = m[8].split()[:9]
        resp, iosq, cmr, _, _, pend, disc, conn, dev_conn = numbers(words)
        same('device: response', resp, iosq + pend + disc + conn, rounding(words[:2] + words[5:8]))
        same('device: command response', max(cmr - pend, 0), 0, 0.001)
        if m[1]:
            same('device: connected', dev_conn, rate * conn / 10, 0.01 + rate * rounding(words[7:8]) / 10 + 0.0051 * conn)
            members.append(rate)
            percent.append(dev_conn)
        else:
            same('device: control unit', rate, sum(members), 0.006 * (len(members) + 1))
            # Devices without I/O have no line, and are part of the mean.
            same('device: mean', max(dev_conn * len(members) - sum(percent), 0), 0, 0.01 * (len(members) + 1))
            members, percent = [], []


def synchronous(lines, size):
    for line in lines:
        m = re.match(r' +([0-9A-F]{5}) \S+ +\S{0,6} +([0-9A-F]{4}) +(.*)$', line)
        if not m:
            continue
        v = numbers(m[3].split())
        (read, write, asynch, _, _, _, read_mb, write_mb, success, busy, miss, rejected, unwritten) = v
        same('synchronous: all requests', success + busy + miss + rejected + unwritten, 100, 0.026)
        if size:
            same('synchronous: MB/s', read_mb, read * size / 1e6, 0.006 + 0.05 * size / 1e6)
            same('synchronous: MB/s', write_mb, write * size / 1e6, 0.001 + 0.001 * write_mb)
        # Only where all I/O is synchronous at first; rates are of starts and ends of one interval.
        if success and all('sync=yes' in load for load in loads):
            others = (read + write) * (100 - success) / success
            same('synchronous: driven again', asynch, others, 0.01 * others + 60 / seconds)


def seconds_of(words):
    return sum(float(n) * UNIT[u] for n, u in re.findall(r'^time (\d+)(us|ms|s)$', words, re.M)) or 1


with tempfile.TemporaryDirectory() as work:
    for path in sorted(glob.glob(os.path.join(top, 'zdev/scenarios/*.zdev'))):
        scenario = os.path.basename(path)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if scenario.startswith('refused-'):
            continue
        seconds = min(seconds_of(text), MOST)
        text = re.sub(r'^time .*$', f'time {round(seconds * 1e6)}us', text, flags=re.M)
        # The definitions are named from the scenario's folder.
        text = re.sub(r'^(tcpip) \.\./', rf'\1 {top}/zdev/', text, flags=re.M)
        short = os.path.join(work, scenario)
        with open(short, 'w', encoding='utf-8') as f:
            f.write(text)
        loads = re.findall(r'^load .*$', text, re.M)
        sizes = {m[1] if (m := re.search(r'bytes=(\S+)', load)) else '4K' for load in loads}
        size = int(sizes.pop()[:-1]) * 1024 if len(sizes) == 1 and next(iter(sizes)).endswith('K') else None
        run = subprocess.run([zdev, 'report', '-q', short], capture_output=True, text=True, check=False)
        if run.returncode:
            wrong.append(f'{scenario}: exit {run.returncode}: {run.stderr.strip()}')
            continue
        printed = run.stdout.split('\n')
        channels(printed, size)
        devices(printed)
        synchronous(printed, size)

for line in wrong[:40]:
    print('FAILED:', line)
kinds = {'channel': 100, 'device': 100, 'synchronous': 20}
failed = len(wrong)
for kind, least in kinds.items():
    print(f'{"ok" if compared[kind] >= least else "FAILED"}: {compared[kind]} identities of {kind} lines')
    failed += compared[kind] < least
print(f'{sum(compared.values()) - len(wrong)} passed, {failed} failed, 0 skipped')
sys.exit(failed > 0)
