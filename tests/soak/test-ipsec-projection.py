#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IBM's two runs, scaled: the projection of a run without a zIIP beside the measured run with one"""
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'system'))
from ipsec import SINK, Side, appl, check, children, enter, main, rules, run, switches  # noqa: E402


def paced(ziips, rate, seconds, share):
    """Data at @rate MB a second to side 2, whose engines have @share percent of a CPU. Returns IIP, IIPCP and the projection."""
    text = rules(1, 4, 'Tunnel', 'cbc', 'sha1', 4400)[0]
    inner = '10.8.1.'
    sides = [Side(1, text), Side(2, rules(2, 4, 'Tunnel', 'cbc', 'sha1', 4400)[0], (
        '--cps=2', f'--ziips={ziips}', f'--share={share}', *switches('PROJECTCPU=YES')))]
    run('ip', 'route', 'add', inner + '2', 'dev', 'z0', 'src', inner + '1', 'table', '100')
    run('ip', 'route', 'add', inner + '1', 'dev', 'z0', 'src', inner + '2', 'table', '100', enter=enter)
    server = subprocess.Popen([*enter, sys.executable, '-c', SINK, inner + '2'], stdout=subprocess.PIPE)
    children.append(server)
    server.stdout.readline()
    report, size = '', 1 << 15
    with socket.create_connection((inner + '2', 7777), 10, source_address=(inner + '1', 0)) as conn:
        conn.settimeout(30)
        begin_at = at = time.monotonic()
        asked = False
        while at < begin_at + seconds + 1:
            conn.sendall(bytes(size))
            if not asked and at > begin_at + 1:  # the first second is not measured
                sides[1].ask('REPORT')
                asked = True
            at += size / 1e6 / rate
            time.sleep(max(0, at - time.monotonic()))
        report = ''.join(sides[1].ask('REPORT'))
    server.wait()
    for side in sides:
        side.end()

    iip, iipcp = appl(report, 'IIP'), appl(report, 'IIPCP')
    projected = [line.split() for line in report.splitlines() if line.startswith('  with 1 zIIP')]
    engine = 100 / share  # percent of an engine, as the paper's are of a processor
    return [engine * v for v in (0 if iip == 'N/A' else iip, iipcp, *((float(projected[0][4]), float(projected[0][6])) if projected else ()))]


def projections():
    """The paper's two runs, scaled: an engine is a part of a CPU. Only told, but that there is spill at all: the machine is noisy."""
    share, rate = 12, 20.0
    for _ in range(4):
        demand = paced(0, rate, 2, share)[1]
        rate *= 105.17 / demand
        print(f'calibration: {demand:.2f} % of an engine, next with {rate:.1f} MB/s')
    for nr in range(3):
        zero, one = paced(0, rate, 5, share), paced(1, rate, 5, share)
        print(f'run {nr}: no zIIP: IIPCP {zero[1]:6.2f} (published 105.17), projected IIP {zero[2]:.2f} IIPCP {zero[3]:.2f}; '
              f'one zIIP: IIP {one[0]:.2f} (95.13) IIPCP {one[1]:.2f} (7.78), '
              f'IIP off by {100 * (one[0] / zero[2] - 1):+.1f} %, all eligible work by {100 * (sum(one[:2]) / zero[1] - 1):+.1f} %')
        check(zero[0] == 0 and zero[1] > 0 and one[0] > 0, f'run {nr}: both runs have eligible work')


main(projections)
