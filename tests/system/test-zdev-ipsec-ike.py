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
import shutil
import signal
import socket
import subprocess
import sys
import time

from ipsec import (Capture, Side, check, children, enter, main, other, run, skip, top, transfer, tshark, wireshark_sa,
                   work)

MB = int(os.environ.get('IPSEC_BYTES', 1 << 20))
CHARON = '/usr/lib/ipsec/charon'
# Version of the outer addresses, that of the inner ones, strongSwan's proposal, names of the algorithms for tshark
KINDS = [(4, 4, 'aes128-sha1', 'cbc', 'sha1'), (4, 6, 'aes256-sha256', 'cbc256', 'sha2'), (4, 4, 'aes128gcm16', 'gcm', ''),
         (6, 6, 'aes128-sha1', 'cbc', 'sha1'), (6, 4, 'aes256-sha256', 'cbc256', 'sha2'), (6, 6, 'aes128gcm16', 'gcm', '')]
DAEMON = '''charon {
  load_modular = no
  load = aes sha1 sha2 hmac kdf nonce random openssl gcm vici kernel-libipsec kernel-netlink socket-default
  filelog { log { path = %s/%d.log
    flush_line = yes
    default = 1
    chd = 4
    } }
  plugins { vici { socket = unix://%s/%d.vici
    } }
}
'''


def inner(kind):
    return f'10.8.1{kind}.' if KINDS[kind][1] == 4 else f'fd18:{kind}::'


def connections(self):
    """A file of swanctl: two connections, each with three children."""
    text = 'connections {\n'
    for version, outer in ((4, '10.8.0.'), (6, 'fd08::')):
        mine, peer = f'{outer}{self}', f'{outer}{3 - self}'
        text += (f'v{version} {{\n version = 2\n proposals = aes128-sha256-x25519\n local_addrs = {mine}\n remote_addrs = {peer}\n'
                 f'local {{\n auth = psk\n id = {mine}\n }}\n remote {{\n auth = psk\n id = {peer}\n }}\n children {{\n')
        for kind, (outer_version, inner_version, proposal, _, _) in enumerate(KINDS):
            bits = 32 if inner_version == 4 else 128
            if outer_version == version:
                text += (f'kind{kind} {{\n mode = tunnel\n local_ts = {inner(kind)}{self}/{bits}\n'
                         f'remote_ts = {inner(kind)}{3 - self}/{bits}\n esp_proposals = {proposal}\n }}\n')
        text += '}\n }\n'
    return text + '}\nsecrets { ike-1 {\n secret = "a test"\n } }\n'


class Charon:
    """A charon, and swanctl for it."""

    def __init__(self, self_nr):
        self.prefix, self.nr = enter if self_nr == 2 else (), self_nr
        self.log = os.path.join(work, f'{self_nr}.log')
        path = os.path.join(work, f'{self_nr}.conf')
        with open(path, 'w') as file:
            file.write(DAEMON % (work, self_nr, work, self_nr))
        with open(path + '.swanctl', 'w') as file:
            file.write(connections(self_nr))
        # Its pid file is always below /run.
        self.process = subprocess.Popen([*self.prefix, 'unshare', '--mount', 'sh', '-c',
                                         f'mount -t tmpfs t /run && exec {CHARON}'],
                                        env={**os.environ, 'STRONGSWAN_CONF': path}, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        children.append(self.process)
        deadline = time.monotonic() + 20
        while self.swanctl('--load-all', '--noprompt', '--file', path + '.swanctl').returncode:
            if time.monotonic() > deadline or self.process.poll() is not None:
                sys.exit(f'FAILED: charon {self_nr} does not start: {self.read()}')
            time.sleep(0.05)

    def swanctl(self, *words):
        return run('swanctl', *words, '--uri', f'unix://{work}/{self.nr}.vici', enter=self.prefix)

    def read(self):
        with open(self.log, errors='replace') as file:
            return file.read()

    def counts(self):
        """Packets in and out, by the name of a child."""
        found = {}
        for part in re.split(r'\n  (?=kind\d: )', self.swanctl('--list-sas').stdout)[1:]:
            found[part.split(':')[0]] = {way: int(packets) for way, packets in re.findall(
                r'(in|out) +[0-9a-f]+, +\d+ bytes, +(\d+) packets', part)}
        return found


def negotiate():
    """Returns the text of the rules for side 1, whose charon is gone, and the charon of side 2."""
    here, there = Charon(1), Charon(2)
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
    check(transfer(inner(kind), MB), what + ': 1 MB there and back')

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


def hostile(frames, spi, there):
    """strongSwan refuses a packet of zdev's that comes again, and one that was changed. Nothing else was refused before."""
    def refused():
        return [line for line in there.read().splitlines() if '[ESP]' in line and 'src ' not in line]
    check(not refused(), f'strongSwan refused no packet of zdev: {refused()[:3]}')
    last = [frame[14:] for frame in frames if frame[12:14] == b'\x08\x00' and frame[42:46] == spi.to_bytes(4, 'big')][-1]
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
    capture = Capture()
    expected = sum(one(kind, text, ours, there) for kind in range(len(KINDS)))
    path = os.path.join(work, 'ike.pcap')
    capture.end(path)
    hostile(capture.frames, spis_of(text, 0)[1], there)
    keys = keys_of(text)
    tshark(path, [wireshark_sa(KINDS[kind][0], KINDS[kind][3], KINDS[kind][4], spi, keys[spi]['Encrypt'],
                               keys[spi].get('Auth', ''))
                  for kind in range(len(KINDS)) for spi in spis_of(text, kind)], expected)
    code, errors = ours.end()
    check(code == 0 and not errors, f'zdev ends well {code} {errors}')
    there.process.terminate()


if not os.access(CHARON, os.X_OK) or not shutil.which('swanctl'):
    other.stdin.close()
    skip('strongSwan is not installed (scripts/packages install ipsec)')
main(strongswan)
