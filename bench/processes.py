# SPDX-License-Identifier: Apache-2.0
"""Processes that are measured: their network, CPUs and priority, and the CPU time that they use."""
import os
import subprocess
import sys

from namespaces import use_cubic

FIFO_PRIORITY = 10
fifo = False  # may it be used? The main program sets it


def own_network():
    """Again in a network namespace, in which cubic is what TCP uses on loopback: the route says so, as the
    namespace's own choice is among those that the machine allows to everybody."""
    if os.environ.get("LFP_BENCH_NET"):
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        use_cubic()
        return
    os.environ["LFP_BENCH_NET"] = "1"
    space = ["--net"] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps", "--net"]
    os.execvp("unshare", ["unshare", *space, "--", sys.executable, *sys.argv])


def descendants():
    """The children of each process, and theirs."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(name))
    return children


def family(pid, children):
    yield pid
    for child in children.get(pid, []):
        yield from family(child, children)


def threads(pid):
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    except FileNotFoundError:
        return []


def cpu_seconds(pid, children):
    """CPU time of a process and its descendants, to the nanosecond, and of those that have ended, to the tick."""
    total = 0
    for member in family(pid, children):
        try:
            for tid in threads(member):
                with open(f"/proc/{member}/task/{tid}/schedstat") as file:
                    total += int(file.read().split()[0]) / 1e9
            with open(f"/proc/{member}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            total += (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        except (FileNotFoundError, ProcessLookupError):
            pass  # a thread that closes foreign descriptors, or a child; it has ended
    return total


def place(pid, cpus, realtime=True):
    """On these CPUs, and to be measured: undisturbed, if that is allowed."""
    for tid in threads(pid):
        try:
            os.sched_setaffinity(tid, cpus)
            if not fifo:
                continue
            if realtime:
                os.sched_setscheduler(tid, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
            else:
                os.sched_setscheduler(tid, os.SCHED_OTHER, os.sched_param(0))
                os.setpriority(os.PRIO_PROCESS, tid, -20)
        except ProcessLookupError:
            pass


def may_use_fifo():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        return True
    except OSError:
        return False
