#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run CPython's own tests, and compare a run on LFP with one on the kernel's sockets.

python-suite.py run RESULTS JOBS SECONDS NAME...
    Run these test modules, or packages, class by class in JOBS processes; "-PATTERN" leaves tests out, "=NAME" is one test.
    RESULTS gets a line for each test: its result, its duration and its name; RESULTS.log gets the errors.
    A test that takes longer than SECONDS is ended with its process, as "hangs"; a test that ends its process
    is "crashes".

python-suite.py again NATIVE LFP LIST
    Print the tests that deserve another run on LFP: they fail there quickly, pass in NATIVE and are not in LIST. Some of
    CPython's tests have races of their own on a busy machine. Tests that time out, hang or crash do not count, and more than
    five failures get no other run.

python-suite.py compare NATIVE LFP LIST
    Tests that pass in NATIVE must pass in LFP, or be in LIST: lines "PATTERN  reason", where PATTERN is a
    name, or one with "*". At most 3 % may be listed, and nothing that hangs, unless its reason begins with "waits: ":
    the test waits for what the reason says.
"""
import collections
import faulthandler
import fnmatch
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

MOST_LISTED = 0.03
MOST_AGAIN = 5
SOON = 20  # seconds; the tests' own time limits are longer


# A process that runs tests: it reads names from its standard input, a class a line

class Result(unittest.TestResult):
    """Says what happens as it happens, so that nothing is lost if the process ends"""

    def __init__(self, said, log, limit):
        super().__init__()
        self.said, self.log, self.limit = said, log, limit

    def say(self, *words):
        print(*words, file=self.said, flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.began, self.result = time.monotonic(), "passes"
        self.say("begins", test.id())
        faulthandler.dump_traceback_later(self.limit, exit=True, file=self.log)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        self.say(self.result, f"{time.monotonic() - self.began:.2f}", test.id())
        super().stopTest(test)

    def bad(self, test, error):
        self.result = "fails"
        print(f"=== {test.id()}\n{self._exc_info_to_string(error, test)}", file=self.log, flush=True)

    def addError(self, test, error):
        if isinstance(test, unittest.suite._ErrorHolder):  # a class or module cannot be prepared or cleared away
            print(f"=== {test.id()}\n{self._exc_info_to_string(error, test)}", file=self.log, flush=True)
        else:
            self.bad(test, error)

    def addFailure(self, test, error):
        self.bad(test, error)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.bad(test, error)

    def addSkip(self, test, reason):
        if not isinstance(test, unittest.suite._ErrorHolder):
            self.result = "skipped"

    def addExpectedFailure(self, test, error):
        self.result = "skipped"

    def addUnexpectedSuccess(self, test):
        self.result = "fails"


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def prepare():
    from test import support
    support.use_resources = {"cpu", "subprocess", "walltime"}  # but not the public network
    support.verbose = 0
    # Time limits inside the tests, in seconds; longer for a slow machine, as "regrtest --timeout" sets them.
    # Modules copy these numbers when they are loaded, which is later.
    support.LOOPBACK_TIMEOUT = 60.0
    support.SHORT_TIMEOUT = 100.0
    from asyncio import constants
    constants.SSL_HANDSHAKE_TIMEOUT = 200.0


def work(log_file, limit):
    said = os.fdopen(os.dup(1), "w")
    log, limit = open(log_file, "a"), float(limit)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    prepare()
    for line in sys.stdin:
        suite = unittest.defaultTestLoader.loadTestsFromNames(line.split())
        suite.run(Result(said, log, limit))
        print("done", file=said, flush=True)


def classes_of(module):
    """The names of the tests of each class of a module, or of the test modules of a package"""
    try:
        loaded = importlib.import_module(module)
        suite = unittest.defaultTestLoader.loadTestsFromModule(loaded)
    except unittest.SkipTest as reason:
        print(f"{module}: {reason}")
        return
    if hasattr(loaded, "__path__"):
        for found in pkgutil.iter_modules(loaded.__path__):
            if found.name.startswith("test_"):
                yield from classes_of(f"{module}.{found.name}")
        return
    classes = collections.defaultdict(list)
    for test in tests_of(suite):
        if not isinstance(test, unittest.FunctionTestCase):
            classes[type(test)].append(test.id())
    yield from classes.values()


class Runner:
    def __init__(self, results, jobs, limit, wanted):
        self.log, self.limit = results + ".log", limit
        self.results = open(results, "w")
        self.lock = threading.Lock()
        self.jobs = jobs
        self.queue = []
        prepare()
        without = [name[1:] for name in wanted if name.startswith("-")]
        for module in wanted:
            if module.startswith("-"):
                continue
            if module.startswith("="):
                self.queue.append([module[1:]])
                continue
            for names in classes_of(module):
                names = [name for name in names if not any(fnmatch.fnmatchcase(name, p) for p in without)]
                self.queue += [names] if names else []

    def write(self, line):
        with self.lock:
            print(line, file=self.results, flush=True)

    def one_class(self, process, names):
        """The names that are left if the process ends before the last"""
        process.stdin.write(" ".join(names) + "\n")
        process.stdin.flush()
        left, running, began = list(names), None, 0
        for line in process.stdout:
            word, *rest = line.split()
            if word == "done":
                return []
            if word == "begins":
                running, began = rest[0], time.monotonic()
                continue
            self.write(line.rstrip("\n"))
            left.remove(rest[-1])
            running = None
        if running is None:
            running = left[0]
        took = time.monotonic() - began
        self.write(f"{'hangs' if took >= float(self.limit) - 0.5 else 'crashes'} {took:.2f} {running}")
        left.remove(running)
        return left

    def worker(self):
        process = None
        while True:
            with self.lock:
                if not self.queue:
                    break
                names = self.queue.pop(0)
            while names:
                process = process or subprocess.Popen(
                    [sys.executable, __file__, "work", self.log, self.limit], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, text=True, cwd=tempfile.mkdtemp(dir=os.environ.get("TMPDIR")))
                names = self.one_class(process, names)
                if names:
                    process.wait()
                    process = None
                elif process.poll() is not None:
                    process = None
        if process:
            process.stdin.close()
            process.wait()

    def run(self):
        self.queue.sort(key=lambda names: -len(names))
        threads = [threading.Thread(target=self.worker) for _ in range(self.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def run(results, jobs, limit, *wanted):
    Runner(results, int(jobs), limit, wanted).run()
    return 0


def read_results(file, limit=None):
    """The last result of each test; as "late" if it took longer than the limit"""
    results = {}
    for line in open(file):
        word, took, name = line.split()
        results[name] = "late" if limit and float(took) > limit else word
    return results


def read_list(file):
    patterns = {}
    for line in open(file):
        line = line.strip()
        if line and not line.startswith("#"):
            pattern, _, reason = line.partition(" ")
            if not reason.strip():
                sys.exit(f"{file}: {pattern} has no reason")
            patterns[pattern] = reason.strip()
    return patterns


def is_listed(name, listed):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in listed)


def again(native_file, lfp_file, list_file):
    native, lfp, listed = read_results(native_file), read_results(lfp_file, SOON), read_list(list_file)
    good = [name for name in native if native[name] == "passes"]
    failed = [name for name in good if lfp.get(name, "fails") == "fails" and not is_listed(name, listed)]
    if len(failed) <= MOST_AGAIN:
        for name in failed:
            print(name)
    return 0


def compare(native_file, lfp_file, list_file):
    native, lfp, listed = read_results(native_file), read_results(lfp_file), read_list(list_file)
    good = [name for name in native if native[name] == "passes"]
    used = collections.Counter()
    counts = collections.Counter()
    bad = []
    for name in sorted(good):
        result = lfp.get(name, "is not run")
        pattern = next((p for p in listed if fnmatch.fnmatchcase(name, p)), None)
        if result == "passes":
            counts["pass"] += 1
            if pattern:
                print(f"passes now, though it is listed: {name}")
            continue
        counts["not"] += 1
        if pattern is None:
            bad.append(f"{result}, and is not listed: {name}")
        elif result == "crashes" or result == "hangs" and not listed[pattern].startswith("waits: "):
            bad.append(f"{result}, which no list excuses: {name}")
        else:
            used[pattern] += 1
    print(f"{len(native)} tests: {len(good)} pass natively, {counts['pass']} of them on LFP, {counts['not']} do not "
          f"({sum(used.values())} of these are listed)")
    if sum(used.values()) > MOST_LISTED * len(good):
        bad.append(f"more than {MOST_LISTED:.0%} are listed")
    if not good:
        bad.append("nothing passes natively")
    for line in bad:
        print(line)
    return bool(bad)


if __name__ == "__main__":
    verbs = {"run": run, "work": work, "again": again, "compare": compare}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    sys.exit(verbs[sys.argv[1]](*sys.argv[2:]))
