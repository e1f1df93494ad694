#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Time limit: 120 s
"""zdev hsi: definitions right and wrong, a machine that lacks something, bytes both ways, displays and counters, Ctrl-C"""
import atexit
import ctypes
import fcntl
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
zdev = os.path.join(top, os.environ.get('O_SAN') or os.environ.get('O', 'build'), 'bin', 'zdev')
examples = os.path.join(top, 'zdev/examples')
PAPER = ('mq-profile.tcpip', 'ifcfg-hsi0', 'mq-linux.commands')
CLONE_NEWNET = 0x40000000
MB = 1 << 20
passed = failed = 0
children = []


def check(good, what):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print(('ok: ' if good else 'FAILED: ') + what, flush=True)


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def finish():
    print(f'{passed} passed, {failed} failed, 0 skipped')
    sys.exit(bool(failed))


def until(condition, what, seconds=20):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > deadline:
            sys.exit(f'FAILED: {what}')
        time.sleep(0.01)
    return found


@atexit.register
def end_children():
    for child in children:
        if child.poll() is None:
            child.kill()


def ends(what, code, said, *words, prefix=(), folder=examples):
    """zdev ends with this code and a message with these words."""
    done = subprocess.run([*prefix, zdev, *words], capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL,
                          timeout=30)
    good = done.returncode == code and said in done.stdout + done.stderr
    check(good, what)
    if not good:
        print(f'  exit {done.returncode}: {done.stdout}{done.stderr}')


def definitions():
    ends('the definitions of the paper are right', 0, 'VLFZ063W mq-profile.tcpip:18:1: ROUTE has the mask 255.255.255.0, and '
         'interface hsi0 the mask 255.255.255.240 (ifcfg-hsi0:6:1).', 'hsi', '--check', *PAPER)
    ends('the address that both systems have is told', 0, 'HOME gives 9.20.122.97 to link GE1, and Linux has it on interface eth0',
         'hsi', '--check', *PAPER)
    work = tempfile.mkdtemp(prefix='hsi-test.')
    atexit.register(shutil.rmtree, work)
    for name in PAPER:
        shutil.copy(os.path.join(examples, name), work)
    profile = open(os.path.join(work, PAPER[0]), encoding='ascii').read()

    def broken(what, old, new, code, said):
        assert old in profile
        with open(os.path.join(work, 'broken'), 'w', encoding='latin-1') as file:
            file.write(profile.replace(old, new))
        ends(what, code, said, 'hsi', 'broken', *PAPER[1:], folder=work)
    broken('an MTU of 0 is refused at its place', 'MTU 8192', 'MTU 0', 78, "VLFZ061E broken:18:44: '0' is not a number of bytes from 576 to 65535.")
    broken('a mask with a hole', '255.255.255.0 =', '255.0.255.0 =', 78, "VLFZ061E broken:18:16: '255.0.255.0' is neither a subnet mask nor HOST.")
    broken('an unknown statement', 'START IUTIQDE1', 'PORT 23', 78, "VLFZ061E broken:6:1: 'PORT' is not ")
    broken('a text that ends too early', 'LINK HSOCKE1 IPAQIDIO IUTIQDE1', 'LINK', 78, "VLFZ061E broken:6:1: 'START' is not the name of a link.")
    broken('bytes that are no text', 'DEVICE', '\0\xff', 78, "VLFZ061E broken:4:1: the byte X'00' is no printable character.")
    broken('no START', 'START IUTIQDE1', '', 78, 'VLFZ062E The definitions make no network: device IUTIQDE1 has no START statement.')
    ends('a missing file', 69, 'VLFZ060E Cannot open definitions none: No such file or directory.', 'hsi', 'none', *PAPER[1:])
    ends('a folder', 69, 'VLFZ061E .: cannot be read.', 'hsi', '.', *PAPER[1:])
    ends('only one system', 64, 'usage: zdev hsi', 'hsi', PAPER[0])
    ends('a frame of 0 bytes', 64, "zdev: '0' is not a frame of HiperSockets: 16K, 24K, 40K or 64K", 'hsi', '--frame=0', *PAPER)
    with open(os.path.join(work, 'broken'), 'w', encoding='ascii') as file:
        file.write(profile.replace('MTU 8192', 'MTU 9000'))
    ends('an MTU that frames have no room for', 78, 'the MTU of this ROUTE is 9000, and frames of 16384 bytes have 8192 at most.', 'hsi',
         '--frame=16K', 'broken', *PAPER[1:], folder=work)


def lacking():
    """What a machine may lack; each time zdev says what it is."""
    ends('without root', 69, 'VLFZ064E Cannot set up a new network namespace: Operation not permitted. Root is needed', 'hsi', *PAPER,
         prefix=('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all'))
    ends('without /dev/net/tun', 69, 'VLFZ064E Cannot set up /dev/net/tun: No such file or directory.', 'hsi', *PAPER,
         prefix=('unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /dev/net && exec "$@"', 'sh'))
    ends('no such namespace', 69, 'VLFZ064E Cannot set up network namespace /none: No such file or directory.', 'hsi', '--zos-net=/none',
         *PAPER)
    ends('one namespace for both', 69, 'VLFZ064E Cannot set up both ends in one network namespace: Invalid argument.', 'hsi',
         '--zos-net=/proc/self/ns/net', '--linux-net=/proc/self/ns/net', *PAPER, prefix=('unshare', '--net'))
    ends('what is no namespace', 69, 'VLFZ064E Cannot set up network namespace /dev/null: Invalid argument.', 'hsi',
         '--linux-net=/dev/null', *PAPER)


class Network:
    def __init__(self, *words, profile=PAPER[0]):
        self.process = subprocess.Popen([zdev, 'hsi', *words, profile, *PAPER[1:]], cwd=examples, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        children.append(self.process)
        for line in self.process.stderr:
            if 'VLFZ065I' in line:
                self.zos, self.linux = re.findall(r'(/proc/\d+/task/\d+/ns/net)', line)
                return
        sys.exit('FAILED: zdev hsi does not start')

    def ask(self, command):
        self.process.stdin.write(command + '\n')
        self.process.stdin.flush()
        answer = ''
        while (line := self.process.stdout.readline()) != '\n':
            if not line:
                sys.exit(f'FAILED: zdev hsi ends at {command}')
            answer += line
        return answer

    def counters(self):
        return json.loads(self.ask('COUNTERS'))

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(20)


def inside(namespace, make):
    """Runs make() in a network namespace and returns its result."""
    libc, made = ctypes.CDLL(None, use_errno=True), []

    def run():
        fd = os.open(namespace, os.O_RDONLY)
        if libc.setns(fd, CLONE_NEWNET):
            sys.exit('FAILED: setns')
        os.close(fd)
        made.append(make())
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return made[0]


def statistics(namespace, interface):
    """Returns what the kernel counts: (RX bytes, RX packets, TX bytes, TX packets)."""
    said = subprocess.run(['nsenter', '--net=' + namespace, 'ip', '-s', '-j', 'link', 'show', interface], capture_output=True, text=True,
                          check=True).stdout
    of = json.loads(said)[0]['stats64']
    return tuple(of[way][what] for way in ('rx', 'tx') for what in ('bytes', 'packets'))


def transfer(network, size):
    """Sends so many bytes each way at once, over one connection to z/OS's port 2424."""
    listener = inside(network.zos, lambda: socket.create_server(('::', 2424), family=socket.AF_INET6, dualstack_ipv6=True))
    near = inside(network.linux, lambda: socket.create_connection(('10.1.2.1', 2424), timeout=30))
    far, _ = listener.accept()
    data = (os.urandom(size), os.urandom(size))
    got = [hashlib.sha256(), hashlib.sha256()]

    def send(sock, bytes_of):
        sock.sendall(bytes_of)
        sock.shutdown(socket.SHUT_WR)

    def receive(sock, digest):
        while part := sock.recv(1 << 18):
            digest.update(part)
    threads = [threading.Thread(target=send, args=(near, data[0])), threading.Thread(target=send, args=(far, data[1])),
               threading.Thread(target=receive, args=(far, got[0])), threading.Thread(target=receive, args=(near, got[1]))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    right = all(digest.digest() == hashlib.sha256(sent).digest() for digest, sent in zip(got, data))
    return right, listener, near, far


def value(text, name):
    return int(re.search(rf'^ *{re.escape(name)} += (\d+)$', text, re.M)[1])


def is_same(network):
    """The counters of zdev, of NETSTAT, of ifconfig and of ip -s link; None while packets are on their way."""
    counters = network.counters()
    kernel = {'zos': statistics(network.zos, 'HSOCKE1'), 'linux': statistics(network.linux, 'hsi0')}
    link, interface = network.ask('NETSTAT -d -K HSOCKE1'), network.ask('ifconfig hsi0')
    if counters != network.counters():
        return None
    ours = {end: tuple(of[name] for name in ('bytes_in', 'packets_in', 'bytes_out', 'packets_out')) for end, of in counters.items()}
    netstat = tuple(value(link, name) for name in ('BytesIn', 'Inbound Packets', 'BytesOut', 'Outbound Packets'))
    ifconfig = tuple(int(re.search(pattern, interface)[1]) for pattern in
                     (r'RX bytes:(\d+)', r'RX packets:(\d+)', r'TX bytes:(\d+)', r'TX packets:(\d+)'))
    return ours == kernel and netstat == ours['zos'] and ifconfig == ours['linux']


def carries():
    network = Network()
    right, listener, near, far = transfer(network, 8 * MB)
    check(right, '8 MB arrive each way')
    check(until(lambda: is_same(network) is not None and is_same(network), 'the counters differ'),
          'NETSTAT, ifconfig, COUNTERS and ip -s link have the same bytes and packets')
    counters = network.counters()
    zos, linux = counters['zos'], counters['linux']
    lost = (zos['discarded_out'], linux['discarded_out'])
    check(zos['packets_in'] + zos['no_protocol'] + lost[1] == linux['packets_out'] and linux['packets_in'] + lost[0] == zos['packets_out'],
          f'each packet has arrived or is counted as lost {lost}')
    check(zos['bytes_out'] - zos['discarded_out_bytes'] == linux['bytes_in'], "and each byte of z/OS's")
    mean = zos['bytes_out'] / zos['packets_out'], linux['bytes_out'] / linux['packets_out']
    check(max(mean) <= 8192, f"the route's MTU holds both ways: {mean[0]:.0f} and {mean[1]:.0f} bytes a packet, not the paper's 12316")
    routes = subprocess.run(['nsenter', '--net=' + network.zos, 'ip', 'route'], capture_output=True, text=True, check=True).stdout
    check('10.1.2.0/24 dev HSOCKE1 scope link mtu 8192' in routes, "z/OS's route is that of its ROUTE")
    routes = subprocess.run(['nsenter', '--net=' + network.linux, 'ip', 'route'], capture_output=True, text=True, check=True).stdout
    check('9.20.39.97 dev hsi0 scope link metric 1' in routes and '10.1.2.0/28 dev hsi0' in routes, "Linux's routes are those of ifcfg and route")
    name = open('/proc/self/comm', encoding='ascii').read().strip()[:8]
    sockets = network.ask(f'NETSTAT -a -E {name}')
    check(re.search(rf'^{name.upper()} +[0-9A-F]{{8}} Listen\n  Local Socket: ::\.\.2424\n  Foreign Socket: ::\.\.0\n', sockets, re.M),
          'NETSTAT -a -E has the listening socket of a client')
    again = inside(network.linux, lambda: socket.create_connection(('10.1.2.1', 2424), timeout=30))
    taken, (address, port, *_) = listener.accept()
    check(address == '::ffff:10.1.2.2' and re.search(
        rf'^{name.upper()} +[0-9A-F]{{8}} Establsh\n  Local Socket: ::ffff:10\.1\.2\.1\.\.2424\n'
        rf'  Foreign Socket: ::ffff:10\.1\.2\.2\.\.{port}\n', network.ask(f'NETSTAT -a -E {name}'), re.M),
        'and a connection, whose mapped addresses are whole')
    check('Establsh' not in network.ask('NETSTAT -a -E nobody'), 'and none of another one')
    for sock in (listener, near, far, again, taken):
        sock.close()
    check(network.end(signal.SIGTERM) == 0, 'SIGTERM ends zdev hsi')


def interrupted():
    """Ctrl-C in the middle of a transfer: nothing is left in namespaces that were there before."""
    spaces = [subprocess.Popen(['unshare', '--net', 'sh', '-c', 'echo ready; exec sleep 100'], stdout=subprocess.PIPE) for _ in range(2)]
    children.extend(spaces)
    for space in spaces:
        space.stdout.readline()
    paths = [f'/proc/{space.pid}/ns/net' for space in spaces]
    network = Network('--zos-net=' + paths[0], '--linux-net=' + paths[1])
    check([os.stat(path).st_ino for path in paths] == [os.stat(path).st_ino for path in (network.zos, network.linux)],
          'the given namespaces are used')
    listener = inside(paths[0], lambda: socket.create_server(('10.1.2.1', 2424)))
    near = inside(paths[1], lambda: socket.create_connection(('10.1.2.1', 2424)))
    far, _ = listener.accept()

    def flood():
        try:
            while True:
                near.sendall(bytes(1 << 16))
        except OSError:
            pass
    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    for _ in range(20):
        far.recv(1 << 16)
    again = subprocess.run([zdev, 'hsi', '--zos-net=' + paths[0], '--linux-net=' + paths[1], *PAPER], cwd=examples, capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, timeout=20)
    check(again.returncode == 69 and 'VLFZ064E Cannot set up TUN interface HSOCKE1: Device or resource busy.' in again.stderr,
          'a second network in the same namespaces is refused')
    check(network.end(signal.SIGINT) == 0, 'Ctrl-C in the middle of a transfer ends zdev hsi')
    left = [subprocess.run(['nsenter', '--net=' + path, 'ip', '-o', 'link'], capture_output=True, text=True, check=True).stdout
            for path in paths]
    check(all(text.count('\n') == 1 for text in left), 'no interface is left')
    check('hsi0' not in subprocess.run(['nsenter', '--net=' + paths[1], 'ip', 'route'], capture_output=True, text=True, check=True).stdout,
          'and no route')
    near.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    network = Network('--zos-net=' + paths[0], '--linux-net=' + paths[1])
    network.end(signal.SIGKILL)
    check('hsi0' not in subprocess.run(['nsenter', '--net=' + paths[1], 'ip', '-o', 'link'], capture_output=True, text=True, check=True).stdout,
          'nor is one left when zdev hsi is killed')
    network = Network('--zos-net=' + paths[0], '--linux-net=' + paths[1])
    subprocess.run(['nsenter', '--net=' + paths[1], 'ip', 'link', 'del', 'hsi0'], check=True)
    check(network.process.wait(20) == 1 and 'VLFZ067E The network has failed' in network.process.stderr.read(),
          'an interface that somebody deletes ends zdev hsi with a message')


def groups():
    """The kernel writes no blank behind a name of more than nine characters."""
    with tempfile.NamedTemporaryFile('w', encoding='ascii') as profile:
        profile.write(open(os.path.join(examples, PAPER[0]), encoding='ascii').read().replace('HSOCKE1', 'HIPERSOCKETSE1'))
        profile.flush()
        network = Network(profile=profile.name)
        member = inside(network.zos, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton('239.1.2.3') + socket.inet_aton('10.1.2.1'))
        check(re.search(r'^    239\.1\.2\.3 +0000000001$', network.ask('NETSTAT -d -K HIPERSOCKETSE1'), re.M),
              'NETSTAT -d has the multicast groups of a link with a long name')
        member.close()
        network.end(signal.SIGTERM)


def unread():
    """Ctrl-C while nobody reads the answers."""
    network = Network()
    out = network.process.stdout.fileno()
    for _ in range(2 * fcntl.fcntl(out, fcntl.F_GETPIPE_SZ) // len(network.ask('NETSTAT -d -K HSOCKE1'))):
        network.process.stdin.write('NETSTAT -d -K HSOCKE1\n')
    network.process.stdin.flush()
    until(lambda: struct.unpack('i', fcntl.ioctl(out, termios.FIONREAD, bytes(4)))[0] > fcntl.fcntl(out, fcntl.F_GETPIPE_SZ) // 2,
          'no answers come')
    check(network.end(signal.SIGINT) == 0, 'Ctrl-C ends zdev hsi, also while nobody reads its answers')


def commands():
    network = Network()
    for command in ('HOLD MOON', 'NETSTAT -d -K GE1', 'ifconfig eth0', 'WHAT', 'NETSTAT', 'x' * 300, 'a b c d e f', 'HOLD'):
        network.process.stdin.write(command + '\n')
    network.process.stdin.write('\nSTOP\n')
    network.process.stdin.flush()
    check(network.process.wait(20) == 0, 'STOP ends zdev hsi')
    said = network.process.stderr.read()
    for words in ("'MOON' is neither ZOS nor LINUX.", 'link GE1 is not HSOCKE1.', 'interface eth0 is not hsi0.', "'WHAT' is not a command",
                  'NETSTAT needs -d -K LINK', 'the command is longer than', 'the command has more than 5 words', "'HOLD' is not a command"):
        check('VLFZ066E ' + words in said, 'a wrong command: ' + words)


definitions()
if os.geteuid() or not os.path.exists('/dev/net/tun'):
    print('not tested: a network, which needs root and /dev/net/tun')
    finish()
lacking()
carries()
interrupted()
groups()
unread()
commands()
finish()
