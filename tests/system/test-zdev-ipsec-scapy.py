#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 300 s
"""zdev ipsec with scapy as the other side: packets each way through ESP and AH of two implementations

Datagrams go through zdev; scapy, on the other end of a veth pair, opens each one, turns its payload round, protects it and
sends it back through zdev. With the environment variable IPSEC_PACKETS there are more of them.
"""
import os
import socket
import subprocess
import sys
import tempfile

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
zdev = os.path.join(top, os.environ.get('O_SAN') or os.environ.get('O', 'build'), 'bin', 'zdev')
PACKETS = int(os.environ.get('IPSEC_PACKETS', 100))
MARK, WINDOW, AROUND = 90, 40, 5000
KEY, GCM, SHA1, SHA2 = bytes(range(16)), bytes(range(20)), bytes(range(100, 120)), bytes(range(100, 132))
# Version, mode, HowToEncrypt, HowToAuth, scapy's names, keys, number of packets
KINDS = [
    (4, 'Tunnel', 'AES_CBC KeyLength 128', 'ESP HMAC_SHA1', 'AES-CBC', KEY, 'HMAC-SHA1-96', SHA1, 10 * PACKETS),
    (4, 'Transport', 'AES_CBC KeyLength 128', 'ESP HMAC_SHA2_256_128', 'AES-CBC', KEY, 'SHA2-256-128', SHA2, PACKETS),
    (4, 'Tunnel', 'AES_GCM_16 KeyLength 128', 'ESP NULL', 'AES-GCM', GCM, None, b'', PACKETS),
    (4, 'Transport', 'DoNot', 'AH HMAC_SHA1', None, b'', 'HMAC-SHA1-96', SHA1, PACKETS),
    (4, 'Tunnel', 'DoNot', 'AH HMAC_SHA2_256_128', None, b'', 'SHA2-256-128', SHA2, PACKETS),
    (6, 'Tunnel', 'AES_CBC KeyLength 128', 'ESP HMAC_SHA1', 'AES-CBC', KEY, 'HMAC-SHA1-96', SHA1, PACKETS),
    (6, 'Transport', 'AES_GCM_16 KeyLength 128', 'ESP NULL', 'AES-GCM', GCM, None, b'', PACKETS),
    (6, 'Transport', 'DoNot', 'AH HMAC_SHA1', None, b'', 'HMAC-SHA1-96', SHA1, PACKETS),
    (4, 'Tunnel', 'AES_CBC KeyLength 128', 'AH HMAC_SHA1', 'AES-CBC', KEY, 'HMAC-SHA1-96', SHA1, PACKETS),
    (4, 'Transport', 'AES_GCM_16 KeyLength 128', 'AH HMAC_SHA2_256_128', 'AES-GCM', GCM, 'SHA2-256-128', SHA2, PACKETS),
    (6, 'Tunnel', 'AES_CBC KeyLength 128', 'AH HMAC_SHA1', 'AES-CBC', KEY, 'HMAC-SHA1-96', SHA1, PACKETS),
]


def addresses(version, mode):
    outer = '10.8.0.' if version == 4 else 'fd08::'
    return outer, outer if mode == 'Transport' else '10.8.1.' if version == 4 else 'fd18::'


def peer(kind):
    """The other side, in its own namespace: ends when its standard input does."""
    import logging
    import warnings
    logging.getLogger('scapy').setLevel(logging.ERROR)
    warnings.simplefilter('ignore')
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.ipsec import AH, ESP, SecurityAssociation
    from scapy.packet import Raw
    version, mode, _, how, crypt, crypt_key, auth, auth_key, _ = KINDS[kind]
    outer, inner = addresses(version, mode)
    header = IP if version == 4 else IPv6
    protocol = AH if how.startswith('AH') else ESP

    around = protocol is AH and crypt  # AH around ESP

    def association(spi, src, dst):
        tunnel = header(src=outer + src, dst=outer + dst) if mode == 'Tunnel' else None
        if not around:
            return [SecurityAssociation(protocol, spi=spi, crypt_algo=crypt, crypt_key=crypt_key, auth_algo=auth,
                                        auth_key=auth_key, tunnel_header=tunnel)]
        return [SecurityAssociation(ESP, spi=spi + AROUND, crypt_algo=crypt, crypt_key=crypt_key, tunnel_header=tunnel),
                SecurityAssociation(AH, spi=spi, auth_algo=auth, auth_key=auth_key)]
    get, put = association(1001, '1', '2'), association(1000, '2', '1')

    def opened(packet):
        for sa in reversed(get):
            packet = header(bytes(sa.decrypt(packet)))  # raises if it is not as it has to be
        return packet

    def sealed(packet):
        packet = header(bytes(put[0].encrypt(packet)))
        if not around:
            return packet
        # scapy's own encrypt() signs the ESP that it finds in a packet instead of the AH around it.
        sa, data = put[1], bytes(packet.payload)
        packet.remove_payload()
        if version == 4:
            packet.proto = 51
            del packet.len, packet.chksum
        else:
            packet.nh = 51
            del packet.plen
        ah = AH(nh=50, spi=sa.spi, seq=sa.seq_num, icv=bytes(sa.auth_algo.icv_size))
        ah.payloadlen = len(ah) // 4 - 2
        sa.seq_num += 1
        return sa.auth_algo.sign(packet / ah / Raw(data), sa.auth_key)
    ether = 0x0800 if version == 4 else 0x86dd
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ether))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    sock.bind(('vb', 0))
    print('ready', flush=True)
    while True:
        frame, where = sock.recvfrom(65536)
        if where[2] == socket.PACKET_OUTGOING:
            continue
        packet = header(frame[14:])
        if protocol not in packet:
            continue
        plain = opened(packet)
        back = header(src=inner + '2', dst=inner + '1') / UDP(sport=2222, dport=1111) / Raw(bytes(plain[UDP].payload)[::-1])
        # An address of a veth pair's other end is in the frame that has come.
        sock.send(frame[6:12] + frame[:6] + frame[12:14] + bytes(sealed(back)))


if len(sys.argv) > 1:
    peer(int(sys.argv[1]))

if subprocess.run([sys.executable, '-c', 'import scapy.layers.ipsec'], capture_output=True).returncode:
    # Debian's modules belong to Debian's interpreter.
    if not subprocess.run(['/usr/bin/python3', '-c', 'import scapy.layers.ipsec'], capture_output=True).returncode:
        os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])
    print('skipped: python3-scapy is not installed (scripts/packages install watch)')
    sys.exit(77)
if os.environ.get('IPSEC_TEST_NET') != 'yes':
    if os.geteuid() or not os.path.exists('/dev/net/tun'):
        print('skipped: raw sockets and /dev/net/tun need root')
        sys.exit(77)
    os.environ['IPSEC_TEST_NET'] = 'yes'
    os.execvp('unshare', ['unshare', '--net', '--', sys.executable, *sys.argv])

passed = failed = 0
other = subprocess.Popen(['unshare', '--net', '--', 'sh', '-c', 'echo ready; read end'], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
other.stdout.readline()
enter = ('nsenter', '-t', str(other.pid), '-n', '--')


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(('ok: ' if good else 'FAILED: ') + what, flush=True)


def ip(*words, prefix=()):
    return subprocess.run([*prefix, 'ip', *words], capture_output=True, text=True)


def setup():
    ip('link', 'set', 'lo', 'up')
    if ip('link', 'add', 'va', 'type', 'veth', 'peer', 'name', 'vb', 'netns', str(other.pid)).returncode:
        print('skipped: no veth pair')
        sys.exit(77)
    ip('link', 'set', 'vb', 'address', '02:00:00:00:00:02', 'up', prefix=enter)
    ip('link', 'set', 'va', 'up')
    for addr, dev in (('10.8.0.1/24', 'va'), ('fd08::1/64', 'va'), ('10.8.1.1/32', 'lo'), ('fd18::1/128', 'lo')):
        ip('addr', 'add', addr, 'dev', dev, *(('nodad',) if ':' in addr else ()))
    for addr in ('10.8.0.2', 'fd08::2'):
        ip('neigh', 'add', addr, 'lladdr', '02:00:00:00:00:02', 'dev', 'va', 'nud', 'permanent')
    for family in ('-4', '-6'):
        ip(family, 'rule', 'add', 'not', 'fwmark', str(MARK), 'lookup', '100')


def rules(kind):
    version, mode, encrypt, how, _, crypt_key, _, auth_key, _ = kind
    outer, inner = addresses(version, mode)
    lines = ['IpFilterRule all', '{', f'IpSourceAddr {inner}1', f'IpDestAddr {inner}2', 'IpGenericFilterAction', '{',
             'IpFilterAction IpSec', '}', 'IpManVpnActionRef A', '}', 'IpManVpnAction A', '{',
             f'LocalSecurityEndpointAddr {outer}1', f'RemoteSecurityEndpointAddr {outer}2', f'HowToEncap {mode}',
             f'HowToEncrypt {encrypt}', f'HowToAuth {how}']
    for word, key in (('Auth', auth_key), ('Encrypt', crypt_key)):
        more = AROUND if how.startswith('AH') and word == 'Encrypt' else 0
        if key:
            lines += [f'{word}InboundSa {1000 + more} 0x{key.hex()}', f'{word}OutboundSa {1001 + more} 0x{key.hex()}']
    return '\n'.join([*lines, '}', '']), inner


def exchange(inner, nr):
    """Returns the number of datagrams that came back turned round."""
    sock = socket.socket(socket.AF_INET6 if ':' in inner else socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((inner + '1', 1111))
    sock.settimeout(10)
    pending, good = {}, 0
    try:
        for i in range(nr):
            data = i.to_bytes(4, 'big') + os.urandom(i * 13 % 1200)
            sock.sendto(data, (inner + '2', 2222))
            pending[data[::-1]] = i
            while len(pending) >= WINDOW or (i + 1 == nr and pending):
                del pending[sock.recv(65536)]
                good += 1
    except (OSError, KeyError) as error:
        print('exchange:', repr(error), len(pending), 'are missing')
    sock.close()
    return good


def one(number, kind):
    version, mode, encrypt, how, *_, nr = kind
    what = f'IPv{version} {mode} {encrypt}, {how}'
    text, inner = rules(kind)
    path = os.path.join(work, 'rules')
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 'w') as file:
        file.write(text)
    process = subprocess.Popen([zdev, 'ipsec', '--tun=z0', '--mtu=1400', f'--mark={MARK}', path], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    scapy = subprocess.Popen([*enter, sys.executable, __file__, str(number)], stdout=subprocess.PIPE)
    try:
        line = process.stderr.readline()
        check('VLFZ056I' in line, f'{what}: {line.strip()}')
        scapy.stdout.readline()
        ip('-6' if version == 6 else '-4', 'route', 'add', inner + '2', 'dev', 'z0', 'src', inner + '1', 'table', '100')
        good = exchange(inner, nr)
        check(good == nr, f'{what}: {good} of {nr} packets each way')
        process.stdin.write('STOP\n')
        process.stdin.flush()
        errors = process.stderr.read()
        check(process.wait() == 0 and not errors, f'{what}: ends well {errors}')
    finally:
        for child in (process, scapy):
            child.kill()
            child.wait()


with tempfile.TemporaryDirectory() as work:
    try:
        setup()
        for number, kind in enumerate(KINDS):
            one(number, kind)
    finally:
        other.stdin.close()
        other.wait()
print(f'{passed} passed, {failed} failed, 0 skipped')
sys.exit(failed != 0)
