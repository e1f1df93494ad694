# SPDX-License-Identifier: Apache-2.0
"""The TCP/IP-TOOLS of IPv6/VSE: vsftpd on z/VSE's side with lftp on Linux's, and then lftp on z/VSE's side with vsftpd on Linux's."""

import os
import subprocess

import ftp
import product
from apps.base import SECONDS, App, Feed, compare, halves, letters, step_output
from processes import wait_until

PORT = 2121


class Tools(App):
    key = "tools"
    slide = "TCP/IP-TOOLS (FTP server/client)"
    stand_in = "vsftpd, lftp"
    pattern = "server, then client, of FTP"
    needs = ("vsftpd", "lftp")
    middles = 4

    def run(self, middle):
        size = self.size // 4
        files = self.path("files")
        os.mkdir(files)
        self.write("vsftpd.conf", ftp.configuration(files, self.path("transfers"), PORT), 0o600)
        done = 0
        for on_vse in ("server", "client"):
            if on_vse == "server":
                server = self.job("VSFTPD", ("vsftpd", "vsftpd.conf"))
            else:
                server = self.program(product.program("vsftpd"), "vsftpd.conf")
            self.listens(PORT, server)
            data = letters(size, on_vse).encode()
            self.write("files/down", data)
            # The client reads half, and has to wait with its output.
            got = self.lftp(on_vse, "FTPGET", "cat down", stdout=subprocess.PIPE)
            text = halves(got, size // 2, middle)
            self.finished(got)
            done += compare(step_output(text) if on_vse == "client" else text, data, f"a file that comes, {on_vse} on z/VSE's side")
            # The client sends a file that has half of its data.
            feed = Feed(self, "pipe")
            sent = self.lftp(on_vse, "FTPPUT", "put pipe -o up")
            feed.write(data[:size // 2], sent)
            wait_until(lambda: self.has_come("up"), SECONDS, "no upload begins")
            middle()
            feed.write(data[size // 2:], sent)
            feed.close()
            self.finished(sent)
            with open(os.path.join(files, "up"), "rb") as file:
                done += compare(file.read(), data, f"a file that goes, {on_vse} on z/VSE's side")
            os.unlink(os.path.join(files, "up"))
            self.ended(server)
        return done

    def has_come(self, name):
        path = os.path.join(self.folder, "files", name)
        return os.path.exists(path) and os.path.getsize(path)

    def lftp(self, on_vse, name, command, **options):
        self.write("commands", f"{ftp.SETTINGS}\nopen ftp://{self.route.address}:{PORT}\ncd {self.path('files')}\n{command}\n")
        if on_vse == "client":
            return self.job(name, ("lftp", "-f commands"), **options)
        return self.program(product.program("lftp"), "-f", "commands", env={**os.environ, "HOME": self.folder}, **options)
