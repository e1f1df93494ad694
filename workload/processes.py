# SPDX-License-Identifier: Apache-2.0
"""Processes of a run: started here, adopted, reaped with their CPU time, and ended at the end.

This process is a subreaper, so daemons that leave their parents become its children: an LFP instance, the processes of a
TCP/IP stack, supervisors. All CPU time is in seconds."""

import ctypes
import os
import signal
import subprocess
import time

from errors import CellError

PR_SET_CHILD_SUBREAPER = 36
STOP_SECONDS = 15  # a stack may wait 10 s for its last acknowledgement


def children_of():
    """Returns the children of each process."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(name))
    return children


def family(pid, children):
    """Yields a process and its descendants."""
    yield pid
    for child in children.get(pid, []):
        yield from family(child, children)


def cpu_of(pid, children):
    """Returns the CPU time of a process and its descendants: to the nanosecond, and of reaped ones to the tick."""
    total = 0.0
    for member in family(pid, children):
        try:
            for tid in os.listdir(f"/proc/{member}/task"):
                with open(f"/proc/{member}/task/{tid}/schedstat", encoding="ascii") as file:
                    total += int(file.read().split()[0]) / 1e9
            with open(f"/proc/{member}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        except (FileNotFoundError, ProcessLookupError):
            pass
    return total


class Processes:
    """All processes of a run. Nothing else may wait for children."""

    def __init__(self):
        self.ended = {}  # pid: (exit code, CPU time with that of reaped children)
        self.modes = {}  # pid: (its part in user mode, its part in the kernel)
        self.started = set()
        self.adopted_ended = 0.0
        self.carriers = {}  # pid: why the route of the run is at its end without this process
        if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
            raise CellError(f"prctl: {os.strerror(ctypes.get_errno())}")

    def start(self, command, log, **options):
        """Starts a program with its messages in the file log. Returns its Popen, which must not be waited for.
        A terminal's Ctrl-C does not reach the program."""
        options.setdefault("stdin", subprocess.DEVNULL)
        with open(log, "ab") as messages:
            options.setdefault("stdout", messages)
            try:
                process = subprocess.Popen(command, stderr=messages, start_new_session=True, **options)
            except OSError as error:
                raise CellError(f"{command[0]}: {error.strerror}") from None
        self.started.add(process.pid)
        self.ended.pop(process.pid, None)  # of an earlier process with this number
        return process

    def reap(self):
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            self.ended[pid] = (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)
            self.modes[pid] = (usage.ru_utime, usage.ru_stime)
            if pid not in self.started:
                self.adopted_ended += usage.ru_utime + usage.ru_stime
            self.started.discard(pid)  # the next process with this number may be an adopted one

    def carries(self, process, why):
        """From now on each wait for another process is an error, with the text of why(), if this one ends."""
        self.carriers[process.pid] = why

    def is_over(self, process):
        self.reap()
        for pid in [pid for pid in self.carriers if pid in self.ended and pid != process.pid]:
            raise CellError(self.carriers.pop(pid)())  # once: other processes have to be ended after it
        if process.pid in self.ended:
            process.returncode = self.ended[process.pid][0]
            return True
        return False

    def wait(self, process, seconds, name):
        """Waits for the end of a program. Returns its exit code and CPU time."""
        wait_until(lambda: self.is_over(process), seconds, f"{name} does not end")
        return self.ended[process.pid]

    def adopted(self, children):
        return [pid for pid in children.get(os.getpid(), []) if pid not in self.started]

    def adopted_cpu(self, apart=()):
        """Returns the CPU time of all adopted processes, live and ended, without the processes in apart."""
        children = children_of()
        self.reap()
        return self.adopted_ended + sum(cpu_of(pid, children) for pid in self.adopted(children) if pid not in apart)

    def stop(self, process, name):
        """Ends a program by SIGTERM. Returns its exit code and CPU time."""
        self.carriers.pop(process.pid, None)
        if not self.is_over(process):
            os.kill(process.pid, signal.SIGTERM)
        return self.wait(process, STOP_SECONDS, name)

    def stop_all(self):
        """Ends every process that is left: with SIGTERM, then with SIGKILL."""
        for sign, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, STOP_SECONDS)):
            end = time.monotonic() + seconds
            told = set()
            while time.monotonic() < end:
                self.reap()
                left = list(family(os.getpid(), children_of()))[1:]
                if not left:
                    return
                for pid in left:
                    if pid in told:
                        continue
                    told.add(pid)
                    try:
                        os.kill(pid, sign)
                    except ProcessLookupError:
                        pass
                time.sleep(0.01)


def wait_until(condition, seconds, what):
    """Waits until the condition holds. Raises CellError with the text of what after so many seconds."""
    end = time.monotonic() + seconds
    pause = 0.001
    while not condition():
        if time.monotonic() > end:
            raise CellError(f"{what} (waited {seconds} s)")
        time.sleep(pause)
        pause = min(pause * 2, 0.02)
