# SPDX-License-Identifier: Apache-2.0
"""A database of PostgreSQL for the applications that have one: on z/VSE's side as a job, or on Linux's side."""

import os
import pwd
import subprocess

import product
from apps.base import SECONDS, said
from errors import CellError
from processes import wait_until

PORT = 5432
NEEDS = ("postgres", "initdb", "psql")


def as_owner():
    """Returns the words before postgres, which refuses to run as root."""
    if os.geteuid():
        return []
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise product.missing("the user postgres") from None
    return [product.program("setpriv"), "--reuid", "postgres", "--regid", "postgres", "--init-groups", "--"]


class Database:
    """The same files serve all applications of a run, one after the other."""

    def __init__(self, app):
        self.app = app
        self.folder = os.path.join(app.runner.work, "pg")
        if not os.path.exists(self.folder):
            self.make()

    def make(self):
        os.makedirs(self.folder)
        if not os.geteuid():
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        done = subprocess.run([*as_owner(), product.program("initdb"), "-D", os.path.join(self.folder, "data"), "-U", "lfp", "-A", "trust", "--no-sync",
                               "-E", "SQL_ASCII", "--locale", "C"], capture_output=True, text=True, check=False, cwd=self.folder)
        if done.returncode:
            raise CellError(f"initdb: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
        with open(os.path.join(self.folder, "data/pg_hba.conf"), "a", encoding="ascii") as file:
            file.write(f"host all all {self.app.route.address}/32 trust\n")

    def words(self):
        return ["-D", f"{self.folder}/data", "-p", str(PORT), "-h", "0.0.0.0", "-k", self.folder, "-c", "fsync=off", "-c", "shared_buffers=16MB"]

    def start(self, on_vse):
        """Starts the database. Returns its process."""
        postgres = os.path.realpath(product.program("postgres"))
        if on_vse:
            server = self.app.job("DB2", (postgres, " ".join(self.words())), before=as_owner())
        else:
            server = self.app.program(*as_owner(), postgres, *self.words())
        self.app.listens(PORT, server)

        def answers():
            if self.app.processes.is_over(server):
                raise CellError(f"postgres has ended: {said(server.listing)}")
            return not subprocess.run(self.psql("-c", "select 1"), capture_output=True, check=False).returncode
        wait_until(answers, SECONDS, "postgres does not answer")
        return server

    def psql(self, *words):
        return [product.program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.app.route.address, "-p", str(PORT), "-U", "lfp",
                *words, "postgres"]
