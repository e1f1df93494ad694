# SPDX-License-Identifier: Apache-2.0
"""strongSwan's daemon charon in each of the namespaces of ipsec.py, with its data path in user space, libipsec"""
import os
import re
import shutil
import subprocess
import sys
import time

from ipsec import children, enter, run, work

CHARON = '/usr/lib/ipsec/charon'
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


def installed():
    return os.access(CHARON, os.X_OK) and shutil.which('swanctl')


def connections(self, outers, kids):
    """A file of swanctl. @outers: addresses of the sides, without the last part. @kids of each: name, inner addresses, bits of
    these, and strongSwan's proposal."""
    text = 'connections {\n'
    for nr, (outer, children_of) in enumerate(zip(outers, kids)):
        mine, peer = f'{outer}{self}', f'{outer}{3 - self}'
        text += (f'c{nr} {{\n version = 2\n proposals = aes128-sha256-x25519\n local_addrs = {mine}\n remote_addrs = {peer}\n'
                 f'local {{\n auth = psk\n id = {mine}\n }}\n remote {{\n auth = psk\n id = {peer}\n }}\n children {{\n')
        for name, inner, bits, proposal in children_of:
            text += (f'{name} {{\n mode = tunnel\n local_ts = {inner}{self}/{bits}\n'
                     f'remote_ts = {inner}{3 - self}/{bits}\n esp_proposals = {proposal}\n }}\n')
        text += '}\n }\n'
    return text + '}\nsecrets { ike-1 {\n secret = "a test"\n } }\n'


class Charon:
    """A charon, and swanctl for it."""

    def __init__(self, self_nr, outers, kids):
        self.prefix, self.nr = enter if self_nr == 2 else (), self_nr
        self.log = os.path.join(work, f'{self_nr}.log')
        path = os.path.join(work, f'{self_nr}.conf')
        with open(path, 'w') as file:
            file.write(DAEMON % (work, self_nr, work, self_nr))
        with open(path + '.swanctl', 'w') as file:
            file.write(connections(self_nr, outers, kids))
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
        for part in re.split(r'\n  (?=\w+: #)', self.swanctl('--list-sas').stdout)[1:]:
            found[part.split(':')[0]] = {way: int(packets) for way, packets in re.findall(
                r'(in|out) +[0-9a-f]+, +\d+ bytes, +(\d+) packets', part)}
        return found
