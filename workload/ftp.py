# SPDX-License-Identifier: Apache-2.0
"""The rows "FTP": unmodified vsftpd on z/VSE's side, lftp on Linux's side.

Nothing of a timed transfer is on a disk. z/VSE -> Linux: the server reads a sparse file, the client writes to /dev/null.
Linux -> z/VSE: the client reads a sparse file, the server writes to a file in memory, as vsftpd refuses /dev/null.
A second transfer of random bytes each way is compared by SHA-256."""

import hashlib
import os
import re
import socket
import subprocess

import product
from errors import CellError
from processes import children_of, wait_until
from routes import last_line

PORT = 2121
TRANSFER_SECONDS = 900
CHECKED = 1_000_003  # random bytes that are compared
SETTINGS = ("set net:max-retries 1; set net:timeout 60; set ftp:ssl-allow no; set cmd:fail-exit yes; set xfer:log no; "
            "set xfer:clobber yes; set ftp:passive-mode yes; set ftp:prefer-epsv no")


def sparse(path, size):
    with open(path, "wb") as file:
        file.truncate(size)


def configuration(files, transfers, port):
    """Returns the text of vsftpd's configuration: anonymous users have all rights in the folder files."""
    return f"""listen=YES
listen_ipv6=NO
listen_port={port}
background=NO
anonymous_enable=YES
local_enable=NO
anon_root={files}
no_anon_password=YES
run_as_launching_user=YES
write_enable=YES
anon_upload_enable=YES
anon_other_write_enable=YES
anon_umask=077
anon_world_readable_only=NO
pasv_min_port=2200
pasv_max_port=2299
xferlog_enable=YES
vsftpd_log_file={transfers}
seccomp_sandbox=NO
"""


class Ftp:
    """One direction of one route."""

    def __init__(self, processes, work, route, outward, size):
        self.processes, self.route, self.outward, self.size = processes, route, outward, size
        self.folder = os.path.join(work, "ftp")
        self.files = os.path.join(self.folder, "server")  # z/VSE's side
        self.log = os.path.join(work, f"ftp-{route.name}.log")
        self.transfers = os.path.join(self.folder, "transfers")
        self.server = None

    def measure(self):
        os.makedirs(self.files, exist_ok=True)
        os.chmod(self.folder, 0o755)
        try:
            return self.measured()
        finally:
            for name in os.listdir(self.files):
                os.unlink(os.path.join(self.files, name))

    def measured(self):
        before = self.start()
        carriers = self.route.cpu()
        if self.outward:
            sparse(os.path.join(self.files, "null"), self.size)
            seconds = self.timed(f"get {self.files}/null -o /dev/null")
        else:
            source = os.path.join(self.folder, "null")
            sparse(source, self.size)
            seconds = self.timed(f"put {source} -o {self.files}/null-in")
        moved = self.bytes_moved("DOWNLOAD" if self.outward else "UPLOAD")
        if moved != self.size:
            raise CellError(f"vsftpd moved {moved} of {self.size} bytes")
        after = self.route.cpu()
        _, app = self.stop()
        if self.route.adopted_are == "tcpip":  # it ends with the program, and nothing of it is read before
            after = self.route.cpu()
            carriers["adopted"] = before
        cpu = {name: after[name] - carriers[name] for name in after}
        cpu["app"] = app
        self.compare()
        return {"bytes": self.size, "seconds": seconds, "cpu": cpu, "programs": 1, "digest_bytes": CHECKED}

    def start(self):
        conf = os.path.join(self.folder, "vsftpd.conf")
        with open(conf, "w", encoding="ascii") as file:
            file.write(configuration(self.files, self.transfers, PORT))
        os.chmod(conf, 0o600)
        if os.path.exists(self.transfers):
            os.unlink(self.transfers)
        before = self.route.cpu()["adopted"]
        self.server = self.processes.start([*self.route.prefix(), product.program("vsftpd"), conf], self.log, env=self.route.env)
        wait_until(self.listens, 60, "vsftpd does not listen")
        self.idle()
        return before

    def listens(self):
        if self.processes.is_over(self.server):
            raise CellError(f"vsftpd has ended: {last_line(self.log)}")
        try:
            socket.create_connection((self.route.address, PORT), 5).close()
        except OSError:
            return False
        return True

    def idle(self):
        """Waits until vsftpd has no process for a session: its CPU time then is that of its reaped children, too."""
        wait_until(lambda: not children_of().get(self.server.pid), 30, "a session of vsftpd does not end")

    def stop(self):
        self.idle()
        code, cpu = self.processes.stop(self.server, "vsftpd")
        if code not in (0, -15, 143):
            raise CellError(f"vsftpd ended with {code}: {last_line(self.log)}")
        self.server = None
        self.route.settle()
        return code, cpu

    def lftp(self, commands, **options):
        text = f"{SETTINGS}; open ftp://{self.route.address}:{PORT}; {commands}"
        return self.processes.start([product.program("lftp"), "-c", text], self.log,
                                    env={**os.environ, "HOME": self.folder}, cwd=self.folder, **options)

    def timed(self, command):
        """Runs one command of lftp after the login. Returns its time."""
        # cls logs in. lftp's side reads the clock, because this process may run late on a busy machine.
        client = self.lftp(f"cls -1 >/dev/null\n!date +%s%N\n{command}\n!date +%s%N\n", stdout=subprocess.PIPE)
        with client.stdout as out:
            wait_until(lambda: self.processes.is_over(client), TRANSFER_SECONDS, "lftp does not end")
            marks = out.read().split()
        if client.returncode or len(marks) != 2:
            raise CellError(f"lftp: {last_line(self.log)}")
        seconds = (int(marks[1]) - int(marks[0])) / 1e9
        if seconds <= 0:
            raise CellError("the clock was set during the transfer")
        return seconds

    def bytes_moved(self, word):
        moved = []

        def logged():
            with open(self.transfers, encoding="utf-8", errors="replace") as file:
                moved[:] = re.findall(rf"OK {word}: .*, (\d+) bytes", file.read())
            return moved
        wait_until(logged, 30, f"vsftpd has logged no {word.lower()}")
        return int(moved[-1])

    def compare(self):
        """Transfers random bytes and compares both ends by SHA-256."""
        data = os.urandom(CHECKED)
        here, there = os.path.join(self.folder, "random"), os.path.join(self.files, "random")
        got = os.path.join(self.folder, "got")
        with open(there if self.outward else here, "wb") as file:
            file.write(data)
        self.start()
        client = self.lftp(f"get {there} -o {got}" if self.outward else f"put {here} -o {there}")
        code, _ = self.processes.wait(client, TRANSFER_SECONDS, "lftp")
        if code:
            raise CellError(f"lftp: {last_line(self.log)}")
        self.stop()
        with open(got if self.outward else there, "rb") as file:
            if hashlib.sha256(file.read()).digest() != hashlib.sha256(data).digest():
                raise CellError(f"the SHA-256 of {CHECKED} bytes differs between both ends")

    def clean(self):
        if self.server:
            self.processes.stop(self.server, "vsftpd")
