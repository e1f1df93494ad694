/* SPDX-License-Identifier: Apache-2.0 */
/* test-learn.c - rules that are made from the log of connections */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd-admin/learn.h"

#define COLUMNS                                                                                    \
	"ok\nlog\ton\ncolumns\tevent:s\tprogram:s\tprotocol:s\tname:s\taddress:s\tport:n\t"        \
	"local_address:s\tlocal_port:n\trefused_by:s\tresult:s\n"
#define HEAD                                                                                       \
	" records in the log of instance LINR02 need. Read them before use: a\n"                   \
	"# rule about a name also allows what shares its address, see lfpd-policy(5).\n"

static void expect(const char *rows_text, const char *nr, const char *rules)
{
	char answer[8192], wanted[8192], *text = NULL;
	struct rows rows;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	snprintf(answer, sizeof(answer), "%s%s", COLUMNS, rows_text);
	assert_int_equal(rows_parse(answer, &rows), 0);
	assert_int_equal(learn_rules(&rows, "LINR02", out), 0);
	fclose(out);
	snprintf(wanted, sizeof(wanted), "# Rules that %s" HEAD "%sdefault deny\n", nr, rules);
	assert_string_equal(text, wanted);
	free(text);
	rows_finish(&rows);
}

static void peers(void **state)
{
	(void)state;
	expect("", "0", "");
	/* names before addresses, ports joined, a look-up that a rule for connections covers */
	expect("row\tlookup\tcurl\t\twww.example.org\t203.0.113.5\t\t\t\t\tOK\n"
	       "row\tconnect\tcurl\ttcp\tWWW.example.org.\t203.0.113.5\t443\t\t\t\tOK\n"
	       "row\tconnect\tgit\ttcp\twww.example.org\t203.0.113.5\t80\t\t\t\tECONNREFUSED\n"
	       "row\tconnect\tgit\ttcp\twww.example.org\t203.0.113.5\t81\t\t\t\tOK\n"
	       "row\tconnect\tgit\ttcp\twww.example.org\t203.0.113.5\t443\t\t\t\tOK\n"
	       "row\tend\tgit\ttcp\twww.example.org\t203.0.113.5\t443\t\t\t\tOK\n"
	       "row\tconnect\tx\tudp\t\t2001:db8::1\t7\t\t\t\tOK\n"
	       "row\tsend\tx\tudp\t\t198.51.100.1\t53\t\t\t\tOK\n"
	       "row\tconnect\tx\ttcp\t\t127.0.0.2\t80\t\t\t\tOK\n"
	       "row\tconnect\tx\ttcp\tlocalhost\t::1\t81\t\t\t\tOK\n"
	       "row\tconnect\tx\ttcp\tdb.example.net\t10.0.0.1\t5432\t\t\t\tOK\n"
	       "row\tlookup\tx\t\tdb.example.net\t10.0.0.1\t\t\t\t\tOK\n"
	       "row\tlookup\tx\t\tno.example.net\t\t\t\t\t\tEAI_NONAME\n"
	       "row\tbind\tsrv\ttcp\t\t\t\t0.0.0.0\t8080\t\tOK\n"
	       "row\tbind\tsrv\ttcp\t\t\t\t::\t8081\t\tOK\n"
	       "row\tbind\tsrv\ttcp\t\t\t\t127.0.0.1\t9000\t\tOK\n"
	       "row\tbind\tsrv\ttcp\t\t\t\t127.0.0.1\t\t\tOK\n"
	       "row\tlisten\tsrv\ttcp\t\t\t\t0.0.0.0\t8080\t\tOK\n",
	       "18",
	       "# 4 calls by git, curl\nallow connect tcp www.example.org:80-81,443\n"
	       "# 1 call by x, found as db.example.net\nallow connect tcp 10.0.0.1:5432\n"
	       "# 2 calls by x\nallow connect tcp localhost:80-81\n"
	       "# 1 call by x; this host's name servers need no rule\n#allow connect udp 198.51.100.1:53\n"
	       "# 1 call by x\nallow connect udp [2001:db8::1]:7\n"
	       "# 2 calls by srv\nallow listen tcp :8080-8081\n"
	       "# 1 call by srv\nallow listen tcp localhost:9000\n"
	       "# 1 call by x\nallow lookup db.example.net\n");
}

static void domains(void **state)
{
	(void)state;
	expect("row\tconnect\ta\ttcp\ta.example.org\t203.0.113.1\t443\t\t\t\tOK\n"
	       "row\tconnect\tb\ttcp\tb.example.org\t203.0.113.2\t443\t\t\t\tOK\n"
	       "row\tconnect\tc\ttcp\tc.example.org\t203.0.113.3\t443\t\t\t\tOK\n"
	       "row\tconnect\td\ttcp\td.example.org\t203.0.113.4\t80\t\t\t\tOK\n"
	       "row\tconnect\tx\ttcp\texample.org\t203.0.113.5\t443\t\t\t\tOK\n"
	       "row\tconnect\tf\ttcp\ta.example.net\t203.0.113.6\t443\t\t\t\tOK\n"
	       "row\tconnect\tf\ttcp\tb.example.net\t203.0.113.7\t443\t\t\t\tOK\n"
	       "row\tconnect\tg\ttcp\ta.co.uk\t203.0.113.8\t443\t\t\t\tOK\n"
	       "row\tconnect\tg\ttcp\tb.co.uk\t203.0.113.9\t443\t\t\t\tOK\n"
	       "row\tconnect\tg\ttcp\tc.co.uk\t203.0.113.10\t443\t\t\t\tOK\n",
	       "10",
	       "# 1 call by g\nallow connect tcp a.co.uk:443\n"
	       "# 1 call by f\nallow connect tcp a.example.net:443\n"
	       "# 3 calls by a, b, c, to 3 names: a.example.org b.example.org c.example.org\n"
	       "allow connect tcp *.example.org:443\n"
	       "# 1 call by g\nallow connect tcp b.co.uk:443\n"
	       "# 1 call by f\nallow connect tcp b.example.net:443\n"
	       "# 1 call by g\nallow connect tcp c.co.uk:443\n"
	       "# 1 call by d\nallow connect tcp d.example.org:80\n"
	       "# 1 call by x\nallow connect tcp example.org:443\n");
}

/* Refused calls are for a person to decide; a limit is no matter of rules. Names are the programs'
 * choice. */
static void refused_and_hostile(void **state)
{
	(void)state;
	expect("row\tconnect\tx\ttcp\t\t203.0.113.1\t22\t\t\trule\tECONNREFUSED\n"
	       "row\tconnect\tx\ttcp\t\t203.0.113.2\t22\t\t\tlimit\tENFILE\n"
	       "row\tlookup\tx\t\tevil.example\t\t\t\t\trule\tEAI_NONAME\n"
	       "row\tconnect\tx y\ttcp\ta b allow any\t203.0.113.3\t22\t\t\t\tOK\n"
	       "row\tlookup\tx\t\ta#b\t203.0.113.4\t\t\t\t\tOK\n"
	       "row\tconnect\tx\ttcp\t..\tnonsense\t22\t\t\t\tOK\n",
	       "6",
	       "# 1 call by x y, found as a b allow any\nallow connect tcp 203.0.113.3:22\n"
	       "# 1 call by x; refused by the present rules\n#allow connect tcp 203.0.113.1:22\n"
	       "# 1 call by x; refused by the present rules\n#allow lookup evil.example\n");
}

/* More ports than a line takes become several lines. */
static void many_ports(void **state)
{
	char rows[8192] = "", rules[2048] = "# 32 calls by x\nallow connect tcp 203.0.113.1:";

	(void)state;
	for (int i = 0; i < 40; i++) {
		snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows),
			 "row\tconnect\tx\ttcp\t\t203.0.113.1\t%d\t\t\t\tOK\n", 1000 + 2 * i);
		snprintf(rules + strlen(rules), sizeof(rules) - strlen(rules), "%s%d%s",
			 i && i != 32 ? "," : "", 1000 + 2 * i,
			 i == 31   ? "\n# 8 calls by x\nallow connect tcp 203.0.113.1:"
			 : i == 39 ? "\n"
				   : "");
	}
	expect(rows, "40", rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peers),
		cmocka_unit_test(domains),
		cmocka_unit_test(refused_and_hostile),
		cmocka_unit_test(many_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
