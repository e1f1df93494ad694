# SPDX-License-Identifier: Apache-2.0
"""kill-moments.py LFP-RUN STACKS COUNT SEED: kills a process of lfp-run --private at COUNT random moments

Each time one of lfp-run (the program later), the processes around it, lfpd, the keeper, the sweeper, the supervisor and
the waiter is killed, from the first moment on. After that, and after the end of the program, nothing may be left: no
process, no directory, and so no socket, and no namespace, which only processes and mounts hold.
"""
import os, random, signal, subprocess, sys, time

lfp_run, stacks, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = random.Random(seed)
PROGRAM = ["bash", "-c", "exec 3<>/dev/tcp/10.0.0.1/7000; echo runs; exec cat"]
KINDS = [["--mode=both"], ["--mode=seccomp"], ["--mode=both", "--summary"], ["--mode=preload", "--deny", "any:1"]]

def marked(mark):
    """The processes with this mark in their environment, which forks and new programs inherit."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as f:
                if mark in f.read().split(b"\0"):
                    found.append(int(name))
        except OSError:
            pass
    return found

def describe(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f"{pid} {f.read().replace(bytes(1), b' ').decode()}"
    except OSError:
        return f"{pid} gone"

def namespaces():
    """Network namespaces that a mount holds."""
    with open("/proc/self/mountinfo") as f:
        return sum("nsfs" in line for line in f)

def left(mark):
    rest = [describe(pid) for pid in marked(mark)]
    return rest + (os.listdir(stacks) if os.path.isdir(stacks) else [])

def wait_for(seconds, check):
    end = time.monotonic() + seconds
    while not (done := check()) and time.monotonic() < end:
        time.sleep(0.005)
    return done

def start(kind, mark):
    env = dict(os.environ, LFP_TEST_MARK=mark.split(b"=")[1].decode())
    return subprocess.Popen([lfp_run, "--private", *kind, "--", *PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, env=env, start_new_session=True)

def end(child):
    try:
        child.stdin.close()
    except BrokenPipeError:
        pass
    child.wait(60)
    child.stdout.close()

def one(number, kind, longest):
    mark = b"LFP_TEST_MARK=%d.%d" % (os.getpid(), number)
    delay, mounts = rng.uniform(0, longest), namespaces()
    child = start(kind, mark)
    time.sleep(delay)
    # Another process of the instance may be there a moment later; the choice is from those of now.
    there = sorted(marked(mark)) or [child.pid]
    victim = there[rng.randrange(len(there))]
    what = describe(victim)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    # With lfp-run or the program all ends; else the program goes on until it has read all of its input.
    ends_alone = victim == child.pid and not kind[-1] == "--summary"
    if not ends_alone:
        end(child)
    gone = wait_for(60, lambda: not left(mark))
    if ends_alone:
        end(child)
    if not gone or namespaces() != mounts:
        print(f"FAILED: {number}: {' '.join(kind)} after {1000 * delay:.1f} ms, killed {what}: left: {left(mark)}, "
              f"{namespaces() - mounts} namespaces in mounts", flush=True)
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)
        return False
    return True

# The moments lie between nothing and half as much again as a start takes.
times = {}
for index, kind in enumerate(KINDS):
    began = time.monotonic()
    child = start(kind, b"LFP_TEST_MARK=%d.first%d" % (os.getpid(), index))
    assert child.stdout.readline() == b"runs\n", kind
    times[index] = 1.5 * (time.monotonic() - began)
    end(child)
good = sum(one(number, KINDS[number % len(KINDS)], times[number % len(KINDS)]) for number in range(count))
print(f"{good} of {count} moments left nothing (seed {seed})")
sys.exit(good != count)
