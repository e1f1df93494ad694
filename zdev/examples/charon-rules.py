# SPDX-License-Identifier: Apache-2.0
"""Turns the security associations that strongSwan's charon has negotiated into rules for zdev ipsec

    charon-rules.py [--udp-port=PORT] LOG RULES

charon must write its log LOG with "chd = 4", which includes the keys. Each CHILD_SA in it becomes a rule and an action of the same
name in the new file RULES, in tunnel mode; with --udp-port, ESP is in UDP. So zdev ipsec can take the place of charon's own data path:
end charon by SIGKILL, so that its peer keeps the associations, and start zdev ipsec. No association is renegotiated after that.
"""
import os
import re
import sys

ENCRYPT = {'AES_CBC': 'AES_CBC', 'AES_GCM_16': 'AES_GCM_16', '3DES_CBC': '3DES', 'NULL': 'NULL'}
AUTH = {'HMAC_SHA1_96': 'HMAC_SHA1', 'HMAC_SHA2_256_128': 'HMAC_SHA2_256_128', 'HMAC_MD5_96': 'HMAC_MD5', '': 'NULL'}
SALT = 4  # bytes behind a key for GCM


class Thread:
    """What the lines of one thread of charon have said so far."""

    def __init__(self):
        self.initiator = False
        self.encrypt = self.auth = ''
        self.keys = {}
        self.open = None  # [bytes that are missing, digits], of a key that is being read
        self.spi, self.addr = {}, {}
        self.way = ''


def fail(text):
    sys.exit('charon-rules.py: ' + text)


def read_key(thread, text):
    """Reads a line with up to 16 bytes in hexadecimal digits."""
    count = min(16, thread.open[0])
    digits = text.split(':', 1)[1].split()[:count]
    if len(digits) != count:
        fail(f'the line "{text}" has no {count} bytes')
    thread.open[1].extend(digits)
    thread.open[0] -= count
    if not thread.open[0]:
        thread.open = None


def selector(text):
    """An address or range of a traffic selector, as a word of the rules."""
    if not re.fullmatch(r'[0-9a-f.:]+/\d+', text):
        fail(f'the traffic selector {text} is not supported: one range of addresses each way')
    return text


def action(name, thread, here, there, udp_port):
    """The text of a rule and its action."""
    if thread.encrypt not in ENCRYPT or thread.auth not in AUTH:
        fail(f'{name}: {thread.encrypt} with {thread.auth or "no HMAC"} is not supported')
    lines = [f'IpFilterRule {name}', '{', f'  IpSourceAddrSet {selector(here)}', f'  IpDestAddrSet {selector(there)}',
             '  IpGenericFilterAction', '  {', '    IpFilterAction IpSec', '  }', f'  IpManVpnActionRef {name}', '}',
             f'IpManVpnAction {name}', '{', f'  LocalSecurityEndpointAddr {thread.addr["outbound"][0]}',
             f'  RemoteSecurityEndpointAddr {thread.addr["outbound"][1]}', '  HowToEncap Tunnel']
    key_bytes = len(thread.keys['encryption', 'initiator']) - (SALT if 'GCM' in thread.encrypt else 0)
    how = ENCRYPT[thread.encrypt] + (f' KeyLength {8 * key_bytes}' if thread.encrypt.startswith('AES') else '')
    lines += [f'  HowToEncrypt {how}', f'  HowToAuth ESP {AUTH[thread.auth]}']
    if udp_port:
        lines.append(f'  UdpEncapPort {udp_port}')
    for kind, word in (('encryption', 'Encrypt'), ('integrity', 'Auth')):
        for way, words in (('outbound', 'OutboundSa'), ('inbound', 'InboundSa')):
            key = thread.keys.get((kind, 'initiator' if (way == 'outbound') == thread.initiator else 'responder'))
            if key:
                lines.append(f'  {word}{words} {thread.spi[way]} 0x{"".join(key).lower()}')
    return '\n'.join([*lines, '}', ''])


def read_line(thread, text, udp_port):
    """Takes one line of the log. Returns the text of an action, at the end of a negotiation."""
    exchange = re.search(r'parsed (?:IKE_AUTH|CREATE_CHILD_SA) (request|response)', text)
    key = re.fullmatch(r'(encryption|integrity) (initiator|responder) key => (\d+) bytes @ .*', text)
    using = re.fullmatch(r'using (\S+) for (encryption|integrity)', text)
    adding = re.fullmatch(r'adding (inbound|outbound) ESP SA', text)
    spi = re.fullmatch(r'SPI (0x[0-9a-f]+), src (\S+) dst (\S+)', text)
    done = re.fullmatch(r'CHILD_SA (\S+)\{\d+\} established with SPIs \S+ \S+ and TS (\S+) === (\S+)', text)
    if thread.open and re.match(r'\d+:', text):
        read_key(thread, text)
    elif exchange:
        thread.initiator = exchange[1] == 'response'
    elif using and using[2] == 'encryption':
        thread.encrypt, thread.auth, thread.keys = using[1], '', {}
    elif using:
        thread.auth = using[1]
    elif key:
        thread.keys[key[1], key[2]] = digits = []
        thread.open = [int(key[3]), digits]
    elif adding:
        thread.way = adding[1]
    elif spi:
        thread.spi[thread.way], thread.addr[thread.way] = int(spi[1], 16), (spi[2], spi[3])
    elif done:
        if ('encryption', 'initiator') not in thread.keys:
            fail(f'CHILD_SA {done[1]}: the log has no keys (charon needs "chd = 4")')
        return action(done[1], thread, done[2], done[3], udp_port)
    return ''


def main():
    words = sys.argv[1:]
    udp_port = 0
    if words and words[0].startswith('--udp-port='):
        udp_port = int(words.pop(0).split('=')[1])
    if len(words) != 2:
        sys.exit(__doc__)
    threads, actions = {}, []
    with open(words[0], encoding='utf-8', errors='replace') as log:
        for line in log:
            parts = re.match(r'.*?(\d+)\[[A-Z]+\] +(.*)', line.rstrip())
            if parts:
                actions.append(read_line(threads.setdefault(parts[1], Thread()), parts[2].strip(), udp_port))
    if not any(actions):
        fail(f'{words[0]} has no CHILD_SA')
    # zdev ipsec refuses keys that others may read.
    with open(os.open(words[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), 'w') as rules:
        rules.write(''.join(actions))


main()
