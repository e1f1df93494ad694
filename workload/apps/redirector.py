# SPDX-License-Identifier: Apache-2.0
"""The VSAM Redirector: a COBOL program with an indexed file on z/VSE's side; its file handler has the records in PostgreSQL on Linux's."""

import os
import subprocess

import product
from apps import postgres
from apps.base import SECONDS, App, compare, halves, step_output
from processes import wait_until

RECORD = 504
NUMBERS = 62
LOCK = 19
FILE = "MASTER"


class Redirector(App):
    key = "redirector"
    slide = "VSAM Redirector"
    stand_in = "GnuCOBOL, PostgreSQL"
    pattern = "client: a request for each record"
    needs = ("cobc", "cc", *postgres.NEEDS)
    middles = 2

    def run(self, middle):
        self.compiled("master", os.path.join(product.PROGRAMS, "master.cbl"), product.compile_redirected)
        records = self.size // (2 * RECORD)
        database = postgres.Database(self)
        server = database.start(on_vse=False)
        # The database waits with the answer to one WRITE, until this session ends.
        half = f"{records // 2 * 48271 % 99999989:08d}".encode().hex()
        self.sql(database, f"""set client_min_messages = warning; drop table if exists {FILE};
create table {FILE} (key bytea primary key, record bytea not null);
create or replace function hold() returns trigger language plpgsql as $$begin perform pg_advisory_xact_lock({LOCK}); return new; end$$;
create trigger hold before insert on {FILE} for each row when (new.key = '\\x{half}') execute function hold()""")
        holder = self.program(*database.psql("-f", "-"), stdin=subprocess.PIPE)
        holder.stdin.write(f"select pg_advisory_lock({LOCK});\n".encode())
        holder.stdin.flush()
        self.locks(database, 1, holder)
        job = self.job("REDIRECT", ("master", f"ENVAR(REDIRECT={self.route.address}:{postgres.PORT})/{records}"), stdout=subprocess.PIPE)
        self.locks(database, 2, job)
        middle()
        holder.stdin.close()
        self.finished(holder)
        want = after(records)
        listing = halves(job, len(want) // 2, middle)
        self.finished(job)
        done = compare(step_output(listing), want, "the records of the job")
        rows = self.sql(database, f"select convert_from(record, 'SQL_ASCII') from {FILE} order by key")
        compare(rows, want, "the rows of the database")
        self.ended(server)
        return done + records * RECORD

    def locks(self, database, number, process):
        """Waits until so many have or want the lock."""
        def are_there():
            if self.processes.is_over(process):
                return True  # its end is told where it has to be finished
            return self.sql(database, f"select count(*) from pg_locks where locktype = 'advisory' and objid = {LOCK}") == b"%d\n" % number
        wait_until(are_there, SECONDS, "no WRITE waits for the lock")

    @staticmethod
    def sql(database, text):
        done = subprocess.run(database.psql("-c", text), capture_output=True, check=False)
        if done.returncode:
            raise postgres.CellError(f"psql: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout


def after(records):
    """Returns the lines that master.cbl lists."""
    x, rows = 1, {}

    def data():
        nonlocal x
        numbers = []
        for _ in range(NUMBERS):
            x = (x * 25173 + 13849) % 65536
            numbers.append(f"{x:08d}")
        return "".join(numbers)
    keys = [f"{nr * 48271 % 99999989:08d}" for nr in range(1, records + 1)]
    for key in keys:
        rows[key] = data()
    for key in keys[::3]:
        rows[key] = data()
    for key in keys[::10]:
        del rows[key]
    return "".join(key + rows[key] + "\n" for key in sorted(rows)).encode()
