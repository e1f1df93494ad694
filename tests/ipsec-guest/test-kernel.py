#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 300 s
"""zdev ipsec with the ESP and AH of Debian's kernel, in a guest under QEMU, as the other side

1 MB by TCP there and back through each kind; then packets that both sides have to drop and count. `make check-ipsec-guest`.
"""
import os
import select
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

here = os.path.dirname(os.path.abspath(__file__))
top = os.path.dirname(os.path.dirname(here))
out = os.path.abspath(os.path.join(top, os.environ.get('O', 'build')))
zdev = os.path.join(os.path.join(top, os.environ['O_SAN']) if os.environ.get('O_SAN') else out, 'bin', 'zdev')
MARK = 90
SIZE = int(os.environ.get('IPSEC_BYTES', 1 << 20))  # each way, in each mode
passed = failed = 0
children = []
KEY, GCM, SHA1, SHA2 = bytes(range(16)).hex(), bytes(range(20)).hex(), bytes(range(100, 120)).hex(), bytes(range(100, 132)).hex()
# name: HowToEncrypt, its key, HowToAuth, its key, the kernel's algorithms for ESP and for AH
KINDS = {
    'cbc-sha1': ('AES_CBC KeyLength 128', KEY, 'ESP HMAC_SHA1', SHA1,
                 f'enc "cbc(aes)" 0x{KEY} auth-trunc "hmac(sha1)" 0x{SHA1} 96', ''),
    'cbc-sha2': ('AES_CBC KeyLength 128', KEY, 'ESP HMAC_SHA2_256_128', SHA2,
                 f'enc "cbc(aes)" 0x{KEY} auth-trunc "hmac(sha256)" 0x{SHA2} 128', ''),
    'gcm': ('AES_GCM_16 KeyLength 128', GCM, 'ESP NULL', '', f'aead "rfc4106(gcm(aes))" 0x{GCM} 128', ''),
    'ah': ('DoNot', '', 'AH HMAC_SHA1', SHA1, '', f'auth-trunc "hmac(sha1)" 0x{SHA1} 96'),
    'gcm+ah': ('AES_GCM_16 KeyLength 128', GCM, 'AH HMAC_SHA1', SHA1, f'aead "rfc4106(gcm(aes))" 0x{GCM} 128',
               f'auth-trunc "hmac(sha1)" 0x{SHA1} 96'),
}


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(('ok: ' if good else 'FAILED: ') + what, flush=True)


def ip(*words):
    return subprocess.run(['ip', *words], capture_output=True, text=True)


if os.environ.get('IPSEC_TEST_NET') != 'yes':
    if os.geteuid() or not os.path.exists('/dev/net/tun'):
        print('skipped: raw sockets and /dev/net/tun need root')
        sys.exit(77)
    made = subprocess.run([os.path.join(here, 'initrd')], env={**os.environ, 'O': out}, capture_output=True, text=True)
    if made.returncode:
        print(('skipped: ' if made.returncode == 77 else 'FAILED: ') + made.stdout.strip() + made.stderr)
        sys.exit(made.returncode)
    os.environ['IPSEC_TEST_NET'] = 'yes'
    os.execvp('unshare', ['unshare', '--net', '--', sys.executable, *sys.argv])


class Guest:
    """A shell on the console of the guest."""

    def __init__(self):
        kernel = os.path.join(out, 'ipsec-guest', 'kernel', 'boot')
        kernel = os.path.join(kernel, next(name for name in os.listdir(kernel) if name.startswith('vmlinuz-')))
        self.process = subprocess.Popen(
            ['nice', '-n', '5', 'qemu-system-x86_64', '-accel', 'tcg', '-m', '256', '-nographic', '-no-reboot', '-kernel', kernel,
             '-initrd', os.path.join(out, 'ipsec-guest', 'initrd.gz'), '-append', 'console=ttyS0 quiet panic=-1',
             '-netdev', 'tap,id=n,ifname=tap0,script=no,downscript=no', '-device', 'virtio-net-pci,netdev=n'],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text, self.nr = b'', 0
        self.until(b'GUEST-READY', 120)

    def until(self, mark, seconds=30):
        deadline = time.monotonic() + seconds
        while mark not in self.text:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                sys.exit(f'FAILED: the guest does not answer: {self.text[-2000:]!r}')
            part = os.read(self.process.stdout.fileno(), 65536)
            if not part:
                sys.exit(f'FAILED: the guest has ended: {self.text[-2000:]!r}')
            self.text += part
        before, _, self.text = self.text.partition(mark)
        return before.decode(errors='replace').replace('\r', '')

    def run(self, *commands):
        """Runs them as one, and returns the output; they have to succeed."""
        self.nr += 1
        # The mark is put together by the guest, so that no echo of the command has it.
        line = ' && '.join(commands) + f'; echo "E""ND{self.nr}:$?."\n'
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        text = self.until(f'END{self.nr}:'.encode())
        code = self.until(b'.')
        if code != '0':
            sys.exit(f'FAILED: in the guest: {line}{text}')
        return text

    def counters(self):
        return {w[0]: int(w[1]) for w in (line.split() for line in self.run('cat /proc/net/xfrm_stat').splitlines()) if len(w) == 2}

    def end(self):
        self.process.kill()
        self.process.wait()


class Ours:
    def __init__(self, text):
        path = os.path.join(work, 'rules')
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as file:
            file.write(text)
        self.process = subprocess.Popen([zdev, 'ipsec', '--tun=z0', '--mtu=1400', f'--mark={MARK}', path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children.append(self.process)
        line = self.process.stderr.readline()
        if 'VLFZ056I' not in line:
            sys.exit('FAILED: zdev ipsec: ' + line)

    def counts(self):
        """The counters of the whole."""
        self.process.stdin.write('SA\n')
        self.process.stdin.flush()
        line = ''
        while not line.startswith('all:'):
            line = self.process.stdout.readline()
        return {k: int(v) for k, _, v in (w.partition('=') for w in line.split()) if v}

    def end(self):
        self.process.stdin.write('STOP\n')
        self.process.stdin.flush()
        errors = self.process.stderr.read()
        return self.process.wait() == 0 and not errors


def begin(guest, version, mode, kind):
    """Both ends of one kind. SPIs of ESP: 1000 to the host, 1001 to the guest; AH around it has 1000 more."""
    encrypt, key, how, auth_key, esp, ah = KINDS[kind]
    outer = '10.9.0.' if version == 4 else 'fd09::'
    inner = outer if mode == 'Transport' else '10.9.1.' if version == 4 else 'fd19::'
    auth_more = 1000 if esp and ah else 0
    lines = ['IpFilterRule all', '{', f'IpSourceAddr {inner}1', f'IpDestAddr {inner}2', 'IpGenericFilterAction', '{',
             'IpFilterAction IpSec', '}', 'IpManVpnActionRef A', '}', 'IpManVpnAction A', '{',
             f'LocalSecurityEndpointAddr {outer}1', f'RemoteSecurityEndpointAddr {outer}2', f'HowToEncap {mode}',
             f'HowToEncrypt {encrypt}', f'HowToAuth {how}']
    for word, value, more in (('Auth', auth_key, auth_more), ('Encrypt', key, 0)):
        if value:
            lines += [f'{word}InboundSa {1000 + more} 0x{value}', f'{word}OutboundSa {1001 + more} 0x{value}']
    commands = ['/bin/ip xfrm state flush', '/bin/ip xfrm policy flush']
    layers = [(p, m, a, s) for p, m, a, s in (('esp', mode.lower(), esp, 0),
                                              ('ah', 'transport' if esp else mode.lower(), ah, auth_more)) if a]
    for spi, src, dst in ((1000, 2, 1), (1001, 1, 2)):
        for protocol, how_to, algorithms, more in layers:
            commands.append(f'/bin/ip xfrm state add src {outer}{src} dst {outer}{dst} proto {protocol} spi {spi + more} '
                            f'mode {how_to} replay-window 32 {algorithms}')
    for way, src, dst in (('out', 2, 1), ('in', 1, 2)):
        tmpl = ' '.join(f'tmpl src {outer}{src} dst {outer}{dst} proto {p} mode {m}' for p, m, *_ in layers)
        bits = 32 if version == 4 else 128
        # In IPv6, neighbours find each other without IPSec.
        commands.append(f'/bin/ip xfrm policy add src {inner}{src}/{bits} dst {inner}{dst}/{bits} proto 6 dir {way} {tmpl}')
    guest.run(*commands)
    ours = Ours('\n'.join([*lines, '}', '']))
    ip('-6' if version == 6 else '-4', 'route', 'add', inner + '2', 'dev', 'z0', 'src', inner + '1', 'table', '100')
    return ours, inner


def transfer(guest, inner, size):
    """Sends bytes to the guest, which sends them back. Returns whether they are the same."""
    guest.run(f'(nc -l -p 7777 -e cat >/dev/null 2>&1 &)', 'sleep 0.1')
    data, back = os.urandom(size), bytearray()
    family = socket.AF_INET6 if ':' in inner else socket.AF_INET
    deadline = time.monotonic() + 20
    while True:  # until the server listens
        conn = socket.socket(family, socket.SOCK_STREAM)
        conn.settimeout(20 + 2 * (SIZE >> 20))  # sendall() as a whole; the guest is emulated
        conn.bind((inner + '1', 0))
        try:
            conn.connect((inner + '2', 7777))
            break
        except ConnectionRefusedError:
            conn.close()
            if time.monotonic() > deadline:
                raise

    def send():
        conn.sendall(data)
        conn.shutdown(socket.SHUT_WR)
    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    try:
        while len(back) < size:
            part = conn.recv(1 << 16)
            if not part:
                break
            back += part
    except OSError as error:
        print('transfer:', error)
    conn.close()
    return bytes(back) == data


def bad_packets(packets):
    """Replayed, old, tampered and with another SPI: the names and the packets."""
    last = packets[-1]
    new = bytearray(last)
    new[24:28] = struct.pack('>I', struct.unpack('>I', last[24:28])[0] + 1000)
    wrong = bytearray(last)
    wrong[20:24] = struct.pack('>I', 77777)
    return {'replayed': last, 'old': packets[0], 'tampered': bytes(new), 'wrong SPI': bytes(wrong)}


def until(get, want, seconds=10):
    deadline = time.monotonic() + seconds
    while True:
        got = get()
        if got == want or time.monotonic() > deadline:
            return got
        time.sleep(0.05)


def hostile(guest):
    ours, inner = begin(guest, 4, 'Tunnel', 'cbc-sha1')
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    capture.setsockopt(socket.SOL_SOCKET, 33, 32 << 20)  # SO_RCVBUFFORCE
    capture.bind(('tap0', 0))
    check(transfer(guest, inner, 1 << 18), 'before the stranger')
    captured = []
    while select.select([capture], [], [], 0)[0]:
        captured.append(capture.recv(65536))
    ways = {spi: [f[14:] for f in captured if f[12:14] == b'\x08\x00' and f[23] == 50 and
                  struct.unpack('>I', f[34:38])[0] == spi] for spi in (1000, 1001)}
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_MARK, MARK)
    before = guest.counters()
    for packet in bad_packets(ways[1001]).values():
        raw.sendto(packet, ('10.9.0.2', 0))
    want = {'XfrmInStateProtoError': 1, 'XfrmInStateSeqError': 2, 'XfrmInNoStates': 1}

    def theirs():
        after = guest.counters()
        return {name: after[name] - before[name] for name in want}
    got = until(theirs, want)
    check(got == want, f"the guest's kernel drops tampered, replayed and old, wrong SPI: {got}")
    before_ours = ours.counts()
    for packet in bad_packets(ways[1000]).values():
        raw.sendto(packet, ('10.9.0.1', 0))
    want_ours = {'replayed': 1, 'old': 1, 'integrity': 1, 'unknown-spi': 1}

    def mine():
        after = ours.counts()
        return {name: after.get(name, 0) - before_ours.get(name, 0) for name in want_ours}
    got = until(mine, want_ours)
    check(got == want_ours, f'zdev drops the same of the guest, each for its reason: {got}')
    check(transfer(guest, inner, 1 << 16), 'and the path goes on')
    check(ours.end(), 'zdev ends well')


def main():
    ip('link', 'set', 'lo', 'up')
    if ip('tuntap', 'add', 'tap0', 'mode', 'tap').returncode:
        print('skipped: no TAP interface')
        return 77
    for addr, dev in (('10.9.0.1/24', 'tap0'), ('fd09::1/64', 'tap0'), ('10.9.1.1/32', 'lo'), ('fd19::1/128', 'lo')):
        ip('addr', 'add', addr, 'dev', dev, *(('nodad',) if ':' in addr else ()))
    ip('link', 'set', 'tap0', 'up')
    for family in ('-4', '-6'):
        ip(family, 'rule', 'add', 'not', 'fwmark', str(MARK), 'lookup', '100')
    guest = Guest()
    try:
        for version in (4, 6):
            for mode in ('Tunnel', 'Transport'):
                for kind in ('cbc-sha1' if version == 4 else 'cbc-sha2', 'gcm', 'ah' if mode == 'Transport' else 'gcm+ah'):
                    what = f'IPv{version} {mode} {kind}'
                    ours, inner = begin(guest, version, mode, kind)
                    check(transfer(guest, inner, SIZE), f'{what}: {SIZE >> 20} MB there and back')
                    counts = ours.counts()
                    check(counts['sent'] > SIZE // 1400 < counts['delivered'], f'{what}: by the SAs, {counts}')
                    check(ours.end(), f'{what}: zdev ends well')
        hostile(guest)
    finally:
        guest.end()
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
    print(f'{passed} passed, {failed} failed, 0 skipped')
    return failed != 0


with tempfile.TemporaryDirectory() as work:
    code = main()
sys.exit(code)
