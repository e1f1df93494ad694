# SPDX-License-Identifier: Apache-2.0
"""VSE LDAP Support: ldapadd and ldapsearch on z/VSE's side, slapd on Linux's side."""

import re
import subprocess

import product
from apps.base import SECONDS, App, Feed, compare, halves, letters, step_output
from errors import CellError
from processes import wait_until

PORT = 3890
SUFFIX = "dc=lfp"
ENTRY = 2000  # bytes of an entry's description
AS_ROOT = f"-x -H ldap://%s:{PORT} -D cn=root,{SUFFIX} -w secret"


class Ldap(App):
    key = "ldap"
    slide = "VSE LDAP Support"
    stand_in = "ldapsearch, slapd"
    pattern = "client: adds entries, and reads them"
    needs = ("slapd", "ldapadd", "ldapsearch")
    middles = 2

    def run(self, middle):
        texts = letters(self.size // 2, "ldap").replace("\n", "")
        entries = [texts[at:at + ENTRY] for at in range(0, len(texts), ENTRY)]
        server = self.server()
        as_root = AS_ROOT % self.route.address
        # ldapadd reads its entries from a pipe, which has the second half when lfpd has restarted.
        ldif = [f"dn: {SUFFIX}\nobjectClass: organization\nobjectClass: dcObject\no: test\ndc: lfp\n\n"]
        ldif += [f"dn: cn=e{nr},{SUFFIX}\nobjectClass: person\ncn: e{nr}\nsn: e\ndescription: {text}\n\n" for nr, text in enumerate(entries)]
        half = len(ldif) // 2
        feed = Feed(self, "ldif")
        adding = self.job("LDAPADD", ("ldapadd", f"{as_root} -f ldif"))
        feed.write("".join(ldif[:half]).encode(), adding)
        wait_until(lambda: self.is_there(as_root, half - 3), SECONDS, f"ldapadd does not add entry {half - 3}")
        middle()
        feed.write("".join(ldif[half:]).encode(), adding)
        feed.close()
        self.finished(adding)
        # ldapsearch waits in its output.
        search = self.job("LDAPGET", ("ldapsearch", f"-LLL -o ldif-wrap=no {as_root} -b {SUFFIX} objectClass=person description"),
                          stdout=subprocess.PIPE)
        listing = halves(search, len(texts) // 2, middle)
        self.finished(search)
        found = dict(re.findall(rb"^dn: cn=e(\d+),dc=lfp\ndescription: ([^\n]*)$", step_output(listing), re.MULTILINE))
        if len(found) != len(entries):
            raise CellError(f"{len(found)} of {len(entries)} entries are found")
        got = "".join(found.get(b"%d" % nr, b"").decode() for nr in range(len(entries)))
        self.ended(server)
        return 2 * compare(got.encode(), texts.encode(), "the descriptions")

    def is_there(self, as_root, nr):
        """Asks slapd on Linux's side: ldapadd keeps its messages until it ends."""
        words = [product.program("ldapsearch"), "-LLL", *as_root.split(), "-s", "base", "-b", f"cn=e{nr},{SUFFIX}", "dn"]
        return not subprocess.run(words, capture_output=True, check=False).returncode

    def server(self):
        self.write("slapd.conf", f"""include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
database mdb
maxsize {8 * self.size + (16 << 20)}
suffix "{SUFFIX}"
rootdn "cn=root,{SUFFIX}"
rootpw secret
directory {self.folder}
dbnosync
sizelimit unlimited
""")
        server = self.program(product.program("slapd"), "-d", "0", "-f", "slapd.conf", "-h", f"ldap://0.0.0.0:{PORT}/")
        self.listens(PORT, server)
        return server
