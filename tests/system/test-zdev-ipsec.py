#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 300 s
"""zdev ipsec between two network namespaces: TCP both ways through every mode and algorithm

IPSEC_BYTES sets their number. Captured frames are decrypted and checked by tshark, which nobody here wrote. Then the packets
that have to be dropped, by reason; SAs that are replaced while data flows; and processors that are varied off and on meanwhile.
"""
import json
import os
import socket
import struct
import sys
import time

from ipsec import (AROUND, KEYS, MARK, Capture, Side, appl, begin, check, end, enter, main, rules, run, switches, transfer,
                   tshark, wireshark_sa, work, zdev)

MB = int(os.environ.get('IPSEC_BYTES', 1 << 20))  # each way, in each mode
CAPTURE = 4 << 20  # tshark looks at the frames up to so many bytes
uat, expected = [], 0
unchecked = []  # SPIs of ESP without a value of its own: AH has it


def to_wireshark(version, encrypt, auth, spi):
    if encrypt == 'cbc+ah':
        unchecked.extend((spi, spi + 1))
    if encrypt.endswith('+ah'):
        encrypt, auth = encrypt.removesuffix('+ah'), ''
    for n in (spi, spi + 1):
        uat.append(wireshark_sa(version, encrypt, auth, n, KEYS[encrypt], KEYS.get(auth, '')))


def settled(sides, spi):
    """The SAs of both sides, once all packets have come."""
    deadline = time.monotonic() + 10
    while True:
        a, b = sides[0].counts()[1], sides[1].counts()[1]
        if all(a[n][k] == b[n][k] for n in (spi, spi + 1) for k in ('packets', 'bytes', 'sequence')):
            return a, b
        if time.monotonic() > deadline:
            sys.exit(f'FAILED: packets are missing: {a} {b}')


def one(version, mode, encrypt, auth, spi, more=()):
    global expected
    what = f'IPv{version} {mode} {encrypt} {auth} {" ".join(more)}'
    sides, inner = begin(version, mode, encrypt, auth, spi, more)
    check(transfer(inner, MB), what)
    a, b = settled(sides, spi)
    check(b[spi + 1]['bytes'] > MB and a[spi]['bytes'] > MB, what + ': all packets of the path were in the SAs')
    if encrypt.endswith('+ah'):
        check(all(b[n + AROUND]['packets'] == b[n]['packets'] for n in (spi, spi + 1)), what + ': and in those around them')
    if encrypt != 'ah':
        to_wireshark(version, encrypt, auth, spi)
        expected += a[spi]['packets'] + a[spi + 1]['packets']
    end(sides, what)


def all_kinds():
    capture = Capture() if MB <= CAPTURE else None
    spi = 1000
    for version in (4, 6):
        for mode in ('Tunnel', 'Transport'):
            for encrypt, auth in (('cbc', 'sha1'), ('cbc256', 'sha2'), ('gcm', ''), ('ah', 'sha1'),
                                  ('gcm+ah' if version == 4 else 'cbc+ah', 'sha2')):
                one(version, mode, encrypt, auth, spi)
                spi += 2
    one(4, 'Tunnel', '3des', 'sha1', spi)
    one(4, 'Tunnel', 'null', 'sha2', spi + 2)
    one(4, 'Tunnel', 'gcm', '', spi + 4, ('UdpEncapPort 4500',))
    one(6, 'Tunnel', 'cbc', 'sha1', spi + 6, ('UdpEncapPort 4500',))
    path = os.path.join(work, 'frames.pcap')
    if capture:
        capture.end(path)
        tshark(path, uat, expected, unchecked)


def extended_numbers():
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 2000, ('ExtendedSequence Yes',))
    check(transfer(inner, MB), 'extended sequence numbers')
    end(sides, 'extended sequence numbers')


def replaced():
    """Lives of 256 KB: several replacements in a transfer, and no packet is lost."""
    sides, inner = begin(4, 'Tunnel', 'gcm', '', 3000, ('SaLifesize 400',), replacements=7)
    check(transfer(inner, 1 << 20), 'SAs are replaced during a transfer')
    b, sas = sides[1].counts()
    used = [spi for spi in sas if spi % 2 and sas[spi]['packets']]
    check(len(used) >= 3, f'{len(used)} SAs were used one after the other')
    check(set(b) <= {'sent', 'delivered', 'eligible-out', 'ineligible-out', 'policy'}, f'nothing was dropped: {b}')
    end(sides, 'replaced')


def burst():
    """Large packets come faster than a slow processor can look at them. They wait for it: all are counted, and none for want of room."""
    count, size = 120, 16 + 60000 + 12
    for dev, prefix in (('va', ()), ('vb', enter)):
        run('ip', 'link', 'set', dev, 'mtu', '65535', enter=prefix)
    side = Side(2, rules(2, 4, 'Tunnel', 'cbc', 'sha1', 4500)[0], ('--share=1',))
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, 50) as raw:  # ESP
        for nr in range(count):
            raw.sendto(struct.pack('>II', 4501, nr + 1) + bytes(size), ('10.8.0.2', 0))
    deadline = time.monotonic() + 20
    while True:
        counts = side.counts()[0]
        if counts.get('integrity', 0) + counts.get('no-room', 0) == count or time.monotonic() > deadline:
            break
    check(counts.get('integrity', 0) == count, f'a burst of {count} large forged packets: {counts}')
    end([side], 'a burst')
    for dev, prefix in (('va', ()), ('vb', enter)):
        run('ip', 'link', 'set', dev, 'mtu', '1500', enter=prefix)


def near(what, a, b, most):
    check(abs(a - b) <= most, f'{what}: {a:.3f} and {b:.3f}')


def reports(ziips, honor):
    """The identity: IIP + IIPCP of the report are the eligible CPU seconds of the threads' clocks over the interval."""
    what = f'{ziips} zIIPs, IIPHONORPRIORITY={honor}'
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 4100, options=(
        '--cps=2', f'--ziips={ziips}', '--share=30', *switches(f'IIPHONORPRIORITY={honor},PROJECTCPU=YES /* a comment */')))
    sides[0].ask('REPORT')
    check(transfer(inner, 4 << 20), f'{what}: a transfer')
    text = ''.join(sides[0].ask('REPORT'))
    names = dict(line.split()[1:3] for line in text.splitlines() if line.startswith('CPU ') and 'cpu_s' in line)
    engines = [dict(w.split('=') for w in line.split() if '=' in w) for line in text.splitlines()
               if line.startswith('CPU ') and 'cpu_s' in line]
    check(list(names.values()) == ['CP', 'CP'] + ['zIIP'] * ziips, f'{what}: {names}')
    eligible = sum(float(e['eligible_s']) for e in engines)
    interval = max(float(e['online_s']) for e in engines)

    iip, iipcp = appl(text, 'IIP'), appl(text, 'IIPCP')
    check((iip == 'N/A') == (ziips == 0), f'{what}: IIP is {iip}')
    near(f'{what}: IIP + IIPCP are the eligible seconds', (iip if ziips else 0) + iipcp, 100 * eligible / interval, 0.1)
    check(eligible > 0, f'{what}: {eligible} s eligible')
    check(appl(text, 'CP') == iipcp, f'{what}: the class has eligible work alone')
    rest = float(text.split(' SYSSTC cpu_s=')[1].split()[0])
    near(f'{what}: both classes have all work', sum(float(e['class_s']) for e in engines), eligible + rest, 0.001)
    check(rest > 0, f'{what}: {rest} s for what is not eligible')
    for nr, engine in enumerate(engines[2:]):
        near(f'{what}: zIIP {nr} had eligible work alone', float(engine['eligible_s']), float(engine['class_s']), 0)
    if ziips and honor == 'NO':
        check(' help=0 ' in text and iipcp < iip, f'{what}: contained, IIPCP is {iipcp} of batches that others wait for')
    if not ziips:
        check('PROJECTED:' in text, f'{what}: a projection')
    display = ''.join(sides[0].ask('D M=CPU'))
    check('00  +  ' in display and ('02  +I' in display) == (ziips > 0), f'{what}: D M=CPU')
    check(sides[0].switches[1] == '  IPSECURITY: YES\n' and f'IIPHONORPRIORITY={honor}' in sides[0].switches[2],
          f'{what}: NETSTAT CONFIG {sides[0].switches}')
    if ziips:
        sides[0].say('CF CPU(02),OFFLINE')
        check('02  -I' in ''.join(sides[0].ask('D M=CPU')), f'{what}: offline')
    end(sides, what)


def warned():
    side = Side(1, rules(1, 4, 'Tunnel', 'gcm', '', 4200)[0], switches(), 'VLFZ057W')
    side.say('STOP')
    check('VLFZ056I' in side.process.stderr.read(), 'a warning if there is no zIIP and PROJECTCPU=NO')
    check(side.process.wait() == 0, 'and it runs')


def varied():
    """A zIIP is varied off and on while data flows through it."""
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 4000, options=('--cps=2', '--ziips=1', *switches()))
    state = {'at': 0, 'online': True}

    def during(got):
        if got - state['at'] > 1 << 18:
            state['at'] = got
            state['online'] = not state['online']
            sides[0].say('CF CPU(02),' + ('ONLINE' if state['online'] else 'OFFLINE'))
    check(transfer(inner, 2 << 20, during), 'a zIIP is varied off and on during a transfer')
    a, _ = sides[0].counts()
    check(set(a) <= {'sent', 'delivered', 'eligible-out', 'ineligible-out', 'policy'}, f'nothing was dropped: {a}')
    check(a['eligible-out'] > 0, 'data in response to acknowledgements was eligible')
    end(sides, 'varied')


def as_json(side):
    """The displays in JSON have what the others have."""
    counts, sas = side.counts()
    shown = json.loads(side.ask('SA JSON')[0])
    of_sas = {sa['spi']: {**{key: sa[key] for key in ('packets', 'bytes', 'sequence')}, **({} if sa['direction'] == 'in' else {
        'mtu': sa['mtu']}), **sa['drops']} for sa in shown['sas']}
    check(of_sas == sas and shown['sas'][0]['action'] == 'A', f'SA JSON: {of_sas}, as SA')
    drops = shown['all'].pop('drops')
    check({**shown['all'], **drops} == counts, f'SA JSON: all: {shown["all"]} {drops}')
    switches_shown = json.loads(side.ask('NETSTAT CONFIG JSON')[0])
    check(switches_shown == {'ziip_ipsecurity': False, 'iiphonorpriority': True, 'projectcpu': False},
          f'NETSTAT CONFIG JSON: {switches_shown}')


def hostile():
    """What a stranger on the path sends."""
    sides, inner = begin(4, 'Tunnel', 'cbc', 'sha1', 5000)
    capture = Capture()
    check(transfer(inner, 1 << 18), 'before the stranger')
    capture.end(os.path.join(work, 'hostile.pcap'))
    frames = [f[14:] for f in capture.frames if f[12:14] == b'\x08\x00' and f[23] == 50 and
              struct.unpack('>I', f[34:38])[0] == 5001]
    before, _ = sides[1].counts()
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)

    def send(packet):
        raw.sendto(packet, ('10.8.0.2', 0))
    last = frames[-1]
    new = bytearray(last)
    new[24:28] = struct.pack('>I', 1 << 20)
    send(last)                                         # replayed
    send(frames[0])                                    # old: there were more than 64
    send(bytes(new))                                   # tampered: another number
    tampered = bytearray(new)
    tampered[-1] ^= 1
    send(bytes(tampered))
    wrong = bytearray(last)
    wrong[20:24] = struct.pack('>I', 77777)
    send(bytes(wrong))                                 # wrong SPI
    zero = bytearray(last)
    zero[24:28] = bytes(4)
    send(bytes(zero))                                  # sequence number 0
    most = bytearray(last)
    most[24:28] = b'\xff' * 4
    send(bytes(most))                                  # 2^32 - 1, forged
    send(last[:24])                                    # short
    want = {'replayed': 1, 'old': 1, 'integrity': 3, 'unknown-spi': 1, 'sequence-zero': 1, 'short': 1}
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        after, _ = sides[1].counts()
        got = {k: after.get(k, 0) - before.get(k, 0) for k in want}
        if sum(got.values()) == sum(want.values()):
            break
    check(got == want, f'each is dropped and counted: {got}')
    check(transfer(inner, 1 << 16), 'and the path goes on')
    as_json(sides[1])
    end(sides, 'hostile')


def wrong_arguments():
    for words, code in ((['ipsec'], 64), (['ipsec', '--cps=0', 'x'], 64), (['ipsec', '--mtu=1', 'x'], 64),
                        (['ipsec', '--ziip-ports=9-8', 'x'], 64), (['ipsec', work + '/none'], 69)):
        got = run(zdev, *words)
        check(got.returncode == code and got.stderr, f'zdev {" ".join(words)}: {got.returncode}, not {code}')
    path = os.path.join(work, 'wrong')
    with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), 'w') as file:
        file.write('IpFilterRule\n')
    got = run(zdev, 'ipsec', path)
    check(got.returncode == 78 and f'VLFZ052E {path}:1: IpFilterRule: needs one value' in got.stderr,
          'an error names its line')
    os.chmod(path, 0o644)
    check(run(zdev, 'ipsec', path).returncode == 78, 'keys that others may read are refused')


def all_reports():
    for ziips, honor in ((0, 'YES'), (1, 'YES'), (1, 'NO'), (2, 'NO')):
        reports(ziips, honor)


main(wrong_arguments, all_kinds, extended_numbers, replaced, burst, varied, all_reports, warned, hostile)
