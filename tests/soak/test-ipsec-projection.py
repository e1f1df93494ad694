#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IBM's two runs, scaled: the projection of a run without a zIIP beside the measured run with one

An engine has a part of a CPU, so that the machine is not the limit, and CPs help after a time that is longer. A run in
which the sender did not keep its pace, because the machine was busy, counts for nothing.
"""
import os
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'system'))
from ipsec import SINK, Side, appl, check, children, enter, main, rules, run, switches  # noqa: E402

SHARE = 12                      # percent of a CPU that an engine has
HELP_AFTER = 6000              # microseconds: longer than the pauses of such an engine, of up to 4 ms
DEMAND = 105.17                 # percent of an engine: the paper's first run
SECONDS, PAIRS, TRIES = 5, 5, 40
LATE = 0.02                     # of the interval


def paced(ziips, rate, seconds):
    """Data at @rate MB a second to side 2. Returns IIP, IIPCP, the projections of both, and the interval's excess over @seconds."""
    text = rules(1, 4, 'Tunnel', 'cbc', 'sha1', 4400)[0]
    inner, size = '10.8.1.', 1 << 15
    sides = [Side(1, text), Side(2, rules(2, 4, 'Tunnel', 'cbc', 'sha1', 4400)[0], (
        '--cps=2', f'--ziips={ziips}', f'--share={SHARE}', f'--help-after={HELP_AFTER}', *switches('PROJECTCPU=YES')))]
    run('ip', 'route', 'add', inner + '2', 'dev', 'z0', 'src', inner + '1', 'table', '100')
    run('ip', 'route', 'add', inner + '1', 'dev', 'z0', 'src', inner + '2', 'table', '100', enter=enter)
    server = subprocess.Popen([*enter, sys.executable, '-c', SINK, inner + '2'], stdout=subprocess.PIPE)
    children.append(server)
    server.stdout.readline()
    with socket.create_connection((inner + '2', 7777), 10, source_address=(inner + '1', 0)) as conn:
        conn.settimeout(30)

        def send(time_long):
            """Returns the seconds that it took."""
            begun = at = time.monotonic()
            while at < begun + time_long:
                conn.sendall(bytes(size))
                at += size / 1e6 / rate
                time.sleep(max(0, at - time.monotonic()))
            return time.monotonic() - begun
        send(1)  # is not measured
        sides[1].ask('REPORT')
        took = send(seconds)
        report = ''.join(sides[1].ask('REPORT'))
    server.wait()
    for side in sides:
        side.end()
    iip, iipcp = appl(report, 'IIP'), appl(report, 'IIPCP')
    projected = [line.split() for line in report.splitlines() if line.startswith('  with 1 zIIP')]
    percent = [0 if iip == 'N/A' else iip, iipcp, *((float(projected[0][4]), float(projected[0][6])) if projected else (0, 0))]
    # In percent of an engine, as the paper's are of a processor.
    return *(value * 100 / SHARE for value in percent), took / seconds - 1


def calibrate():
    """Returns the MB a second that need the paper's demand."""
    rate = 20.0
    for _ in range(5):
        demand = paced(0, rate, 2)[1]
        print(f'calibration: {rate:.1f} MB/s need {demand:.2f} % of an engine')
        rate *= min(2, DEMAND / demand)
    return rate


def middle(values):
    return f'{statistics.median(values):+.1f} % ({min(values):+.1f} to {max(values):+.1f})'


def projections():
    rate = calibrate()
    pairs = []
    for _ in range(TRIES):
        zero, one = paced(0, rate, SECONDS), paced(1, rate, SECONDS)
        late = max(zero[4], one[4])
        print(f'no zIIP: IIPCP {zero[1]:6.2f} (published 105.17), projected IIP {zero[2]:6.2f} IIPCP {zero[3]:5.2f}; '
              f'one zIIP: IIP {one[0]:6.2f} (95.13) IIPCP {one[1]:5.2f} (7.78)'
              + (f'; void, {100 * late:.0f} % late' if late > LATE else ''), flush=True)
        check(zero[0] == 0 and zero[1] > 0 and one[0] > 0, 'both runs have eligible work')
        if late <= LATE:
            pairs.append((100 * (one[0] / zero[2] - 1), 100 * ((one[0] + one[1]) / zero[1] - 1)))
        if len(pairs) == PAIRS:
            break
    if not pairs:
        print('skipped: the machine is too busy for the pace')
        return
    print(f'{len(pairs)} pairs: measured IIP against the projected one {middle([pair[0] for pair in pairs])}, '
          f'all eligible work {middle([pair[1] for pair in pairs])}')


main(projections)
