# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces with a zdev ipsec in each, for the tests of zdev ipsec

Side 1 is the namespace of the test itself, side 2 another one. Interface va of the first leads to vb of the second. A test ends by
main(), which runs its parts.
"""
import atexit
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
zdev = os.path.join(top, os.environ.get('O_SAN') or os.environ.get('O', 'build'), 'bin', 'zdev')
SO_RCVBUFFORCE = 33  # of asm-generic/socket.h
MARK = 90
passed = failed = 0
children = []  # are killed in the end


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(('ok: ' if good else 'FAILED: ') + what, flush=True)


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def run(*words, enter=()):
    """Runs a command, in the other namespace with @enter."""
    return subprocess.run([*enter, *words], capture_output=True, text=True)


if os.environ.get('IPSEC_TEST_NET') != 'yes':
    if os.geteuid() or not os.path.exists('/dev/net/tun'):
        skip('raw sockets and /dev/net/tun need root')
    os.environ['IPSEC_TEST_NET'] = 'yes'
    os.execvp('unshare', ['unshare', '--net', '--', sys.executable, *sys.argv])

work = tempfile.mkdtemp(prefix='ipsec-test.')
atexit.register(shutil.rmtree, work)
other = subprocess.Popen(['unshare', '--net', '--', 'sh', '-c', 'echo ready; read end'], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
other.stdout.readline()
enter = ('nsenter', '-t', str(other.pid), '-n', '--')
KEYS = {'cbc': '000102030405060708090a0b0c0d0e0f', 'cbc256': bytes(range(32)).hex(), 'gcm': bytes(range(20)).hex(),
        '3des': '0123456789abcdef23456789abcdef01456789abcdef0123', 'null': '',
        'sha1': bytes(range(100, 120)).hex(), 'sha2': bytes(range(100, 132)).hex()}
ENCRYPT = {'cbc': 'AES_CBC KeyLength 128', 'cbc256': 'AES_CBC KeyLength 256', 'gcm': 'AES_GCM_16 KeyLength 128',
           '3des': '3DES', 'null': 'NULL', 'ah': 'DoNot',
           'cbc+ah': 'AES_CBC KeyLength 128', 'gcm+ah': 'AES_GCM_16 KeyLength 128'}
AUTH = {'sha1': 'HMAC_SHA1', 'sha2': 'HMAC_SHA2_256_128', '': 'NULL'}


def setup():
    run('ip', 'link', 'set', 'lo', 'up')
    made = run('ip', 'link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb', 'netns', str(other.pid))
    if made.returncode:
        skip('no veth pair: ' + made.stderr)
    for self, dev, prefix in ((1, 'va', ()), (2, 'vb', enter)):
        run('ip', 'link', 'set', 'lo', 'up', enter=prefix)
        run('ip', 'addr', 'add', f'10.8.0.{self}/24', 'dev', dev, enter=prefix)
        run('ip', 'addr', 'add', f'fd08::{self}/64', 'dev', dev, 'nodad', enter=prefix)
        run('ip', 'addr', 'add', f'10.8.1.{self}/32', 'dev', 'lo', enter=prefix)
        run('ip', 'addr', 'add', f'fd18::{self}/128', 'dev', 'lo', 'nodad', enter=prefix)
        run('ip', 'link', 'set', dev, 'up', enter=prefix)
        # In transport mode packets in the clear and protected ones have the same addresses.
        for family in ('-4', '-6'):
            run('ip', family, 'rule', 'add', 'not', 'fwmark', str(MARK), 'lookup', '100', enter=prefix)


AROUND = 100000  # added to the SPI of ESP: that of AH around it


def sa_lines(encrypt, auth, out, spi, key=''):
    word = 'OutboundSa' if out else 'InboundSa'
    lines = []
    if auth:
        lines.append(f'Auth{word} {spi + AROUND * encrypt.endswith("+ah")} 0x{KEYS[auth]}')
    encrypt = encrypt.removesuffix('+ah')
    if encrypt != 'ah' and KEYS[encrypt]:
        lines.append(f'Encrypt{word} {spi} 0x{key or KEYS[encrypt]}')
    return lines


def rules(self, version, mode, encrypt, auth, spi, more=(), replacements=0):
    """The file of one side. SPI @spi leads to side 1, @spi + 1 to side 2."""
    peer = 3 - self
    outer = '10.8.0.' if version == 4 else 'fd08::'
    inner = outer if mode == 'Transport' else '10.8.1.' if version == 4 else 'fd18::'
    text = ['AllowWeak Yes', 'IpFilterRule all', '{', f'IpSourceAddr {inner}{self}', f'IpDestAddr {inner}{peer}',
            'IpGenericFilterAction', '{', 'IpFilterAction IpSec', '}', 'IpManVpnActionRef A', '}', 'IpManVpnAction A', '{',
            f'LocalSecurityEndpointAddr {outer}{self}', f'RemoteSecurityEndpointAddr {outer}{peer}',
            f'HowToEncap {mode}', f'HowToEncrypt {ENCRYPT[encrypt]}',
            f'HowToAuth {"AH" if encrypt.endswith("ah") else "ESP"} {AUTH[auth]}', *more]
    for generation in range(replacements + 1):
        here = spi + 2 * generation
        text += ['Replacement', '{'] if generation else []
        text += sa_lines(encrypt, auth, False, here + self - 1) + sa_lines(encrypt, auth, True, here + peer - 1)
        text += ['}'] if generation else []
    return '\n'.join([*text, '}', '']), inner


class Side:
    """A zdev ipsec."""

    def __init__(self, self_nr, text, options=(), first='VLFZ056I'):
        self.path = os.path.join(work, f'rules{self_nr}')
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as file:
            file.write(text)
        prefix = enter if self_nr == 2 else ()
        self.process = subprocess.Popen([*prefix, zdev, 'ipsec', '--tun=z0', f'--mark={MARK}', *options, self.path],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        children.append(self.process)
        line = self.process.stderr.readline()
        if first not in line:
            sys.exit('FAILED: zdev ipsec: ' + line + self.process.stderr.read())

    def ask(self, command):
        """Sends a command, and returns its answer. The switches are asked for, too, as the end of the answer."""
        self.say(command)
        self.say('NETSTAT CONFIG')
        lines = []
        while True:
            line = self.process.stdout.readline()
            if line.startswith('GLOBAL CONFIGURATION') or not line:
                break
            lines.append(line)
        self.switches = [self.process.stdout.readline() for _ in range(3)]
        return lines

    def say(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()

    def end(self):
        self.say('STOP')
        errors = self.process.stderr.read()
        return self.process.wait(), errors

    def counts(self):
        """The counters of the last line, and of each SA by its SPI."""
        sas, line = {}, ''
        for line in self.ask('SA'):
            words = line.split()
            values = {k: int(v) for k, _, v in (w.partition('=') for w in words) if v}
            if 'SPI' in words:
                sas[int(words[words.index('SPI') + 1])] = values
        return values, sas


SERVER = '''
import socket, sys
s = socket.create_server((sys.argv[1], 7777), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print("listening", flush=True)
c = s.accept()[0]
while True:
    d = c.recv(1 << 16)
    if not d: break
    c.sendall(d)
c.close()
'''
SINK = SERVER.replace('c.sendall(d)', 'pass')


def transfer(inner, size, during=None):
    """Sends bytes to side 2, which sends them back. Returns whether they are the same."""
    server = subprocess.Popen([*enter, sys.executable, '-c', SERVER, inner + '2'], stdout=subprocess.PIPE)
    children.append(server)
    server.stdout.readline()
    data = os.urandom(1 << 16) * (size >> 16)
    back = bytearray()
    with socket.create_connection((inner + '2', 7777), 10, source_address=(inner + '1', 0)) as conn:
        conn.settimeout(30)

        def send():
            conn.sendall(data)
            conn.shutdown(socket.SHUT_WR)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            while True:
                part = conn.recv(1 << 16)
                if not part:
                    break
                back += part
                if during:
                    during(len(back))
        except OSError as error:
            print('transfer:', error)
        sender.join()
    server.wait()
    return bytes(back) == data


class Capture:
    """All frames of va, in a file for tshark."""

    def __init__(self):
        self.frames, self.ending = [], False
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.socket.bind(('va', 0))
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while not self.ending:
            if select.select([self.socket], [], [], 0.05)[0]:
                self.frames.append(self.socket.recv(65536))

    def end(self, path):
        self.ending = True
        self.thread.join()
        while select.select([self.socket], [], [], 0)[0]:
            self.frames.append(self.socket.recv(65536))
        with open(path, 'wb') as file:
            file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65536, 1))
            for frame in self.frames:
                file.write(struct.pack('<IIII', 0, 0, len(frame), len(frame)) + frame)


def begin(version, mode, encrypt, auth, spi, more=(), options=(), replacements=0):
    text, inner = rules(1, version, mode, encrypt, auth, spi, more, replacements)
    sides = [Side(1, text, options), Side(2, rules(2, version, mode, encrypt, auth, spi, more, replacements)[0])]
    family = '-6' if version == 6 else '-4'
    run('ip', family, 'route', 'add', inner + '2', 'dev', 'z0', 'src', inner + '1', 'table', '100')
    run('ip', family, 'route', 'add', inner + '1', 'dev', 'z0', 'src', inner + '2', 'table', '100', enter=enter)
    return sides, inner


def end(sides, what):
    codes = [side.end() for side in sides]
    check(all(code == 0 and not errors for code, errors in codes), f'{what}: both sides end well {codes}')


def switches(opt='', ziip=True):
    """Writes the TCP/IP profile and member IEAOPT00. Returns the options that name them."""
    profile, member = os.path.join(work, 'profile'), os.path.join(work, 'IEAOPT00')
    with open(profile, 'w') as file:
        file.write('; TCP/IP profile\n' + 'GLOBALCONFIG ZIIP IPSECURITY\n' * ziip)
    with open(member, 'w') as file:
        file.write(opt + '\n')
    return '--tcpip=' + profile, '--opt=' + member


def appl(report, name):
    """APPL% of a row of a text report: a number, or N/A."""
    line = next(line for line in report.splitlines() if f'  {name} ' in line and 'SERVICE CLASS' not in line)
    value = line.split(f'  {name} ')[1].split()[0]
    return value if value == 'N/A' else float(value)


ENCRYPT_NAMES = {'cbc': 'AES-CBC [RFC3602]', 'cbc256': 'AES-CBC [RFC3602]', 'gcm': 'AES-GCM with 16 octet ICV [RFC4106]',
                 '3des': 'TripleDES-CBC [RFC2451]', 'null': 'NULL'}
AUTH_NAMES = {'sha1': 'HMAC-SHA-1-96 [RFC2404]', 'sha2': 'HMAC-SHA-256-128 [RFC4868]', '': 'NULL'}


def wireshark_sa(version, encrypt, auth, spi, key, auth_key):
    """A line of Wireshark's table of SAs. Keys are hexadecimal digits."""
    return (f'"IPv{version}","*","*","{spi:#010x}","{ENCRYPT_NAMES[encrypt]}","{"0x" + key if key else ""}",'
            f'"{AUTH_NAMES[auth]}","{"0x" + auth_key if auth_key else ""}"')


def tshark(path, table, expected, unchecked=()):
    """Checks each frame with ESP by the SAs of @table. @expected: the least number of frames. @unchecked: SPIs without an ICV."""
    if run('sh', '-c', 'command -v tshark').returncode:
        print('skipped: tshark is not installed (scripts/packages install watch)')
        return
    words = ['tshark', '-r', path, '-o', 'esp.enable_encryption_decode:TRUE', '-o', 'esp.enable_authentication_check:TRUE',
             '-o', 'tcp.check_checksum:TRUE']
    for line in table:
        words += ['-o', 'uat:esp_sa:' + line]
    got = run(*words, '-Y', 'esp', '-T', 'fields', '-e', 'esp.icv_good', '-e', 'esp.spi', '-e', 'tcp.checksum.status',
              '-e', 'tcp.checksum', '-e', 'ah.spi')
    lines = [line.split('\t') for line in got.stdout.splitlines()]
    good = sum(line[0].split(',')[0] in ('1', 'True') or int(line[1], 16) in unchecked for line in lines)
    # The kernel writes 0xffff for a sum of 0 (net/core/dev.c, skb_checksum_help()), which tshark calls wrong.
    tcp = sum(len(line) > 3 and (line[2] == '1' or int(line[3] or '0', 16) == 0xFFFF) for line in lines)
    # Single packets may follow after the counters were read.
    check(good == len(lines) >= expected, f'tshark: esp.icv_good in {good} of {len(lines)} frames, {expected} were counted')
    check(tcp == len(lines), f'tshark: {tcp} of {len(lines)} decrypted frames have a good TCP checksum')


def main(*parts):
    """Makes the namespaces, runs the parts of a test, and ends the program."""
    try:
        setup()
        for part in parts:
            part()
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
        other.stdin.close()
        other.wait()
    print(f'{passed} passed, {failed} failed, 0 skipped')
    sys.exit(failed != 0)
