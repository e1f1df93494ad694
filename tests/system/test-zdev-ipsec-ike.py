#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 120 s
"""zdev ipsec and strongSwan, which negotiate security associations by IKEv2

Two charons negotiate, each with its own data path in user space, libipsec. Then zdev ipsec takes the place of one of them, by
zdev/examples/charon-rules.py, and TCP goes through each association: over IPv4 and IPv6, with CBC and HMAC, and GCM. Both sides must
have counted the same packets, and tshark checks every frame.
"""
import os
import re
import signal
import socket
import sys
import time

import charon
from charon import Charon
from ipsec import Capture, Side, check, enter, main, other, run, skip, top, transfer, tshark, wireshark_sa, work

MB = int(os.environ.get('IPSEC_BYTES', 1 << 20))  # each way, by each association
CAPTURE = 4 << 20  # tshark looks at the frames up to so many bytes
# Version of the outer addresses, that of the inner ones, strongSwan's proposal, names of the algorithms for tshark
KINDS = [(4, 4, 'aes128-sha1', 'cbc', 'sha1'), (4, 6, 'aes256-sha256', 'cbc256', 'sha2'), (4, 4, 'aes128gcm16', 'gcm', ''),
         (6, 6, 'aes128-sha1', 'cbc', 'sha1'), (6, 4, 'aes256-sha256', 'cbc256', 'sha2'), (6, 6, 'aes128gcm16', 'gcm', '')]


def inner(kind):
    return f'10.8.1{kind}.' if KINDS[kind][1] == 4 else f'fd18:{kind}::'


def children_of(version):
    """The associations of one connection, for charon.py."""
    return [(f'kind{kind}', inner(kind), 32 if values[1] == 4 else 128, values[2]) for kind, values in enumerate(KINDS)
            if values[0] == version]


def negotiate():
    """Returns the text of the rules for side 1, whose charon is gone, and the charon of side 2."""
    here, there = (Charon(self, ('10.8.0.', 'fd08::'), (children_of(4), children_of(6))) for self in (1, 2))
    for kind, values in enumerate(KINDS):
        done = here.swanctl('--initiate', '--child', f'kind{kind}')
        check('completed successfully' in done.stdout, f'IKEv2 negotiates {values[2]} over IPv{values[0]} for IPv{values[1]}')
    here.process.send_signal(signal.SIGKILL)
    here.process.wait()
    path = os.path.join(work, 'negotiated')
    done = run(sys.executable, os.path.join(top, 'zdev', 'examples', 'charon-rules.py'), '--udp-port=4500', here.log, path)
    check(not done.returncode, 'charon-rules writes rules ' + done.stderr)
    with open(path) as file:
        return file.read(), there


def keys_of(text):
    """The keys of each SPI, from the rules: of encryption and of authentication."""
    found = {}
    for what, spi, key in re.findall(r'(Encrypt|Auth)\w+Sa (\d+) 0x([0-9a-f]+)', text):
        found.setdefault(int(spi), {})[what] = key
    return found


def spis_of(text, kind):
    """SPI in and SPI out."""
    action = text.split(f'IpManVpnAction kind{kind}\n')[1].split('}')[0]
    return [int(re.search(rf'Encrypt{way}Sa (\d+)', action)[1]) for way in ('Inbound', 'Outbound')]


def one(kind, text, ours, there):
    """A transfer through one association. Returns the number of packets."""
    outer_version, inner_version, proposal, _, _ = KINDS[kind]
    what = f'strongSwan, {proposal} over IPv{outer_version} for IPv{inner_version}'
    spi_in, spi_out = spis_of(text, kind)
    check(transfer(inner(kind), MB), f'{what}: {MB >> 20} MB there and back')

    deadline = time.monotonic() + 10
    while True:
        sas, theirs = ours.counts()[1], there.counts()[f'kind{kind}']
        got, sent = sas[spi_in]['packets'], sas[spi_out]['packets']
        # The queue of charon's UDP socket may be full.
        if (got == theirs['out'] and sent >= theirs['in'] > 20) or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    check(got == theirs['out'], f'{what}: strongSwan sent {theirs["out"]} packets, and {got} came in')
    check(sent >= theirs['in'] > 20, f'{what}: {sent} left, and strongSwan accepted {theirs["in"]}')
    return got + sent


def hostile(spi, there):
    """strongSwan refuses a packet of zdev's that comes again, and one that was changed. Nothing else was refused before."""
    def refused():
        return [line for line in there.read().splitlines() if '[ESP]' in line and 'src ' not in line]
    check(not refused(), f'strongSwan refused no packet of zdev: {refused()[:3]}')
    capture = Capture()
    check(transfer(inner(0), 1 << 16), 'before the stranger')
    capture.end(os.path.join(work, 'hostile.pcap'))
    last = [frame[14:] for frame in capture.frames if frame[12:14] == b'\x08\x00' and frame[42:46] == spi.to_bytes(4, 'big')][-1]
    changed = bytearray(last)
    changed[32:36] = (int.from_bytes(last[32:36], 'big') + 1).to_bytes(4, 'big')  # the sequence number
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    for nr, packet in enumerate((last, bytes(changed)), 1):
        raw.sendto(packet, ('10.8.0.2', 0))
        deadline = time.monotonic() + 10
        while len(refused()) < nr and time.monotonic() < deadline:
            time.sleep(0.05)
    check(len(refused()) == 2, f'strongSwan refuses a replayed and a tampered packet: {refused()}')


def strongswan():
    for kind, values in enumerate(KINDS):
        bits, more = (32, ()) if values[1] == 4 else (128, ('nodad',))
        for self, prefix in ((1, ()), (2, enter)):
            run('ip', 'addr', 'add', f'{inner(kind)}{self}/{bits}', 'dev', 'lo', *more, enter=prefix)
    text, there = negotiate()
    ours = Side(1, text, ('--cps=1',))
    for kind, values in enumerate(KINDS):
        run('ip', f'-{values[1]}', 'route', 'add', inner(kind) + '2', 'dev', 'z0', 'src', inner(kind) + '1', 'table', '100')
    capture = Capture() if MB <= CAPTURE else None
    expected = sum(one(kind, text, ours, there) for kind in range(len(KINDS)))
    if capture:
        path, keys = os.path.join(work, 'ike.pcap'), keys_of(text)
        capture.end(path)
        tshark(path, [wireshark_sa(KINDS[kind][0], KINDS[kind][3], KINDS[kind][4], spi, keys[spi]['Encrypt'],
                                   keys[spi].get('Auth', ''))
                      for kind in range(len(KINDS)) for spi in spis_of(text, kind)], expected)
    hostile(spis_of(text, 0)[1], there)
    code, errors = ours.end()
    check(code == 0 and not errors, f'zdev ends well {code} {errors}')
    there.process.terminate()


if not charon.installed():
    other.stdin.close()
    skip('strongSwan is not installed (scripts/packages install ipsec)')
main(strongswan)
