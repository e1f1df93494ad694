# SPDX-License-Identifier: Apache-2.0
"""A program on a terminal that pyte emulates: its screen, keys for it, another size, its end."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

try:
    import pyte
except ImportError:
    print("skipped: python3-pyte is not installed")
    sys.exit(77)

PATIENCE = 30


class Terminal:
    """A program that runs on a terminal. Its arguments are those of os.execvpe()."""

    def __init__(self, arguments, rows=24, columns=80, term="xterm", locale="C.UTF-8", keys=True):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if not keys:
                os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.kill(os.getpid(), 19)  # SIGSTOP: until the settings of the terminal are noted
            os.execvpe(arguments[0], arguments, os.environ | {"TERM": term, "LC_ALL": locale})
        os.waitpid(self.pid, os.WUNTRACED)
        self.settings = termios.tcgetattr(self.fd)
        os.kill(self.pid, 18)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines())

    def without_clock(self):
        return re.sub(r"^\d\d:\d\d:\d\d ", "", self.text(), flags=re.MULTILINE)

    def read(self, seconds):
        """Takes what the program writes. Returns false at its end."""
        if self.status is None and select.select([self.fd], [], [], seconds)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                return False
            self.raw += data
            self.stream.feed(data)
        return True

    def wait(self, condition, what):
        """Until condition() is true, which is asked after everything that the program has written, and now and then."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                sys.exit(f"{what} is not seen:\n{self.text()}")
            if not self.read(min(left, 0.05)):
                sys.exit(f"the program has ended before {what}:\n{self.text()}")

    def wait_text(self, text):
        self.wait(lambda: text in self.text(), f"'{text}'")

    def wait_pattern(self, pattern):
        self.wait(lambda: re.search(pattern, self.text(), re.MULTILINE), f"'{pattern}'")

    def keys(self, keys):
        os.write(self.fd, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.screen.reset()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def is_restored(self):
        """Whether the terminal is as it was: settings, cursor, the screen that was there before."""
        on, off = self.raw.rfind(b"\x1b[?1049h"), self.raw.rfind(b"\x1b[?1049l")
        return self.settings == termios.tcgetattr(self.fd) and not self.screen.cursor.hidden and off > on > -1

    def end(self, signal=None):
        """Waits for the end, after a signal. Returns the exit code."""
        if signal:
            os.kill(self.pid, signal)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                while select.select([self.fd], [], [], 0)[0] and self.read(0):
                    pass
                return os.waitstatus_to_exitcode(status)
            self.read(0.02)
        sys.exit(f"the program does not end:\n{self.text()}")
