# SPDX-License-Identifier: Apache-2.0
"""The installed product and the programs of others: where they are, and their versions."""

import glob
import os
import platform
import shutil
import subprocess

from errors import CellError, MissingError

HERE = os.path.dirname(os.path.realpath(__file__))
# PREFIX/share/vselfpd/workload, or O/workload in a build tree
PREFIX = os.path.realpath(os.path.join(HERE, "../../.." if os.path.basename(os.path.dirname(HERE)) == "vselfpd" else ".."))
PROGRAMS = os.path.join(HERE, "programs")
SEARCH = [os.path.join(PREFIX, "bin"), os.path.join(PREFIX, "sbin"), *os.environ.get("PATH", "").split(":"),
          "/usr/sbin", "/sbin", *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
PACKAGES = {"vsftpd": "vsftpd", "lftp": "lftp", "cobc": "gnucobol3", "cc": "gcc", "ip": "iproute2", "tc": "iproute2",
            "telnetd": "inetutils-telnetd", "java": "default-jdk-headless", "javac": "default-jdk-headless", "nginx": "nginx-light",
            "postgres": "postgresql", "psql": "postgresql-client", "initdb": "postgresql", "slapd": "slapd", "ldapadd": "ldap-utils",
            "ldapsearch": "ldap-utils", "zeep": "python3-zeep", "libfaketime": "libfaketime",
            "zdev": "zdev", "mosquitto": "mosquitto"}
UNPACKED = {"lfp-stack": "no package has it: make stack install-stack, see mux.conf(5)"}


def program(name):
    """Returns the path of a program. Raises CellError with a remedy if it is missing."""
    path = shutil.which(name, path=":".join(SEARCH))
    if not path:
        raise missing(name)
    return path


def missing(name):
    """Returns the error about something that is not installed."""
    remedy = f"Debian's package {PACKAGES[name]}" if name in PACKAGES else UNPACKED.get(name)
    return MissingError(f"{name} is not installed" + (f" ({remedy})" if remedy else ""))


def library():
    """Returns the folder of libvsesock.so."""
    for pattern in ("lib", "lib64", "lib/*-linux-gnu*"):
        for folder in sorted(glob.glob(os.path.join(PREFIX, pattern))):
            if os.path.exists(os.path.join(folder, "libvsesock.so")):
                return folder
    raise CellError(f"libvsesock.so is not below {PREFIX}/lib: the files for developers (libvsesock-dev) are missing")


def examples(name):
    """Returns a folder of the examples for developers."""
    folder = os.path.join(PREFIX, "share/vselfpd/examples", name)
    if not os.path.isdir(folder):
        raise CellError(f"{folder} is missing: it is with the files for developers (libvsesock-dev)")
    return folder


def definitions():
    """Returns the folder of zdev's examples, which has the definitions of IBM's paper about MQ."""
    folder = os.path.join(PREFIX, "share/zdev/examples")
    if not os.path.exists(os.path.join(folder, "mq-profile.tcpip")):
        raise CellError(f"{folder}/mq-profile.tcpip is missing: it is part of the package zdev")
    return folder


def compile_c(source, output, native):
    """Compiles a program for LE/C's sockets, or the same source for Linux's."""
    command = [program("cc"), "-O2", "-o", output, source]
    if not native:
        folder = library()
        command[2:2] = ["-I", os.path.join(PREFIX, "include/vsesock/lec")]
        command += [f"-L{folder}", "-lvsesock", f"-Wl,-rpath,{folder}"]
    compiled(command)


def compile_cobol(source, output):
    compiled([program("cobc"), "-x", "-O", "-o", output, source])


def compile_redirected(source, output):
    """Compiles a COBOL program whose indexed files are in a database. LE/C's headers are for one of its parts only."""
    folder, part = library(), f"{output}-db.o"
    compiled([program("cc"), "-O2", "-c", "-I", os.path.join(PREFIX, "include/vsesock/lec"), "-o", part, os.path.join(PROGRAMS, "redirector-db.c")])
    compiled([program("cobc"), "-x", "-O", "-fcallfh=REDIRECT", "-o", output, f"-L{folder}", "-lvsesock", "-Q", f"-Wl,-rpath,{folder}",
              source, os.path.join(PROGRAMS, "redirector.c"), part])


def compiled(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CellError(f"{os.path.basename(command[0])} cannot compile {source_of(command)}: "
                        f"{(done.stderr or done.stdout).strip().splitlines()[0]}")


def source_of(command):
    """Returns the name of the first source that a compiler gets."""
    return next((os.path.basename(word) for word in command if word.endswith((".c", ".cbl", ".java"))), "its source")


def said(name, *words):
    """Returns the first line that a program prints, or None if it is missing."""
    try:
        done = subprocess.run([program(name), *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if name == "vsftpd":  # it writes to its standard input
            done = subprocess.run(["sh", "-c", f"exec {program(name)} {' '.join(words)} 0>&1"], capture_output=True, text=True, check=False)
    except (CellError, OSError):
        return None
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0].strip() if lines else None


def machine():
    """Describes the machine, its kernel, the versions of the programs and their placement."""
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith(("model name", "vendor_id")) and ":" in line:
                model = line.split(":", 1)[1].strip()
                if line.startswith("model name"):
                    break
    cpus = sorted(os.sched_getaffinity(0))
    return {
        "processor": model, "architecture": platform.machine(), "kernel": platform.release(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "cpus": cpus,
        "placement": f"the kernel's scheduler places all processes on {len(cpus)} CPUs",
        "load": os.getloadavg()[0],
        "versions": {name: text for name, text in {
            "lfpd": said("lfpd", "--version"), "telnetd": said("telnetd", "--version"), "vsftpd": said("vsftpd", "-v"), "lftp": said("lftp", "--version"),
            "cobc": said("cobc", "--version"), "cc": said("cc", "--version"), "python": platform.python_version(),
        }.items() if text},
    }
