#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IIPHONORPRIORITY=YES spills and NO contains: a table over time, with a zIIP that is varied off and on"""
import json
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'system'))
from ipsec import SINK, Side, begin, check, children, end, enter, main, rules, run, switches  # noqa: E402


def overload(honor):
    """One zIIP gets more than it can do, and is varied off and on in the middle. A line of the table for each half second."""
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 4300)
    end(sides[1:], 'its place is taken')
    sides[1] = Side(2, rules(2, 4, 'Tunnel', 'cbc', 'sha1', 4300)[0], (
        '--cps=2', '--ziips=1', '--share=8', *switches(f'IIPHONORPRIORITY={honor}')))
    run('ip', 'route', 'add', inner + '1', 'dev', 'z0', 'src', inner + '2', 'table', '100', enter=enter)
    server = subprocess.Popen([*enter, sys.executable, '-c', SINK, inner + '2'], stdout=subprocess.PIPE)
    children.append(server)
    server.stdout.readline()
    stop = threading.Event()

    def send():
        with socket.create_connection((inner + '2', 7777), 10, source_address=(inner + '1', 0)) as conn:
            conn.settimeout(30)
            while not stop.is_set():
                conn.sendall(bytes(1 << 16))
    sender = threading.Thread(target=send)
    sender.start()
    phases = {}
    last = 0
    for step in range(24):
        phase = 'before' if step < 8 else 'offline' if step < 16 else 'after'
        if step in (8, 16):
            sides[1].say('CF CPU(02),' + ('OFFLINE' if step == 8 else 'ONLINE'))
        sides[1].ask('REPORT JSON')
        time.sleep(0.5)  # the interval of a report
        report = json.loads(sides[1].ask('REPORT JSON')[0])
        total = sides[1].counts()[1][4301]['bytes']
        row = (total - last) / 1e6 / 0.5, report['appl_iip'], report['appl_iipcp'], report['velocity']
        last = total
        if step:
            print(f'{honor:3} {step / 2:5.1f} s {phase:8} {row[0]:7.1f} MB/s  IIP {row[1]:6.2f}  IIPCP {row[2]:6.2f}'
                  f'  velocity {row[3]:5.1f}')
        # The first of each phase is a mixture.
        if step % 8 > 1:
            phases.setdefault(phase, []).append(row)
    stop.set()
    sender.join()
    server.wait()
    mean = {phase: [sum(column) / len(rows) for column in zip(*rows)] for phase, rows in phases.items()}
    what = f'overload, IIPHONORPRIORITY={honor}'
    check(mean['offline'][1] == 0 and mean['offline'][2] > 0, f'{what}: without the zIIP CPs do all of it')
    check(mean['before'][1] > 0 and mean['after'][1] > 0, f'{what}: the zIIP works again')
    end(sides, what)
    return mean


def overloads():
    yes, no = overload('YES'), overload('NO')
    for phase in ('before', 'after'):
        check(yes[phase][2] > 0.2 * yes[phase][1], f'{phase}: YES spills: IIPCP {yes[phase][2]:.2f}, IIP {yes[phase][1]:.2f}')
        check(no[phase][2] < 0.02 * no[phase][1], f'{phase}: NO contains: IIPCP {no[phase][2]:.2f}, IIP {no[phase][1]:.2f}')
        check(yes[phase][0] > no[phase][0], f'{phase}: {yes[phase][0]:.1f} MB/s with YES, {no[phase][0]:.1f} with NO')


main(overloads)
