/* SPDX-License-Identifier: Apache-2.0 */
/* test-rules.c - the rules of POLICY_FILE: what each set of rules says to each call */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"
#include "tests/lfpd/rule-calls.h"

static const struct rule_calls sets[] = {
	{"default allow\n",
	 {{"connect tcp 203.0.113.5 443", "+1"},
	  {"connect udp 2001:db8::1 53", "+1"},
	  {"listen tcp 0.0.0.0 80", "+1"},
	  {"lookup example.org", "+1"},
	  {"lookup -", "+1"}}},
	{"# nothing\n\n  default deny # at all\n",
	 {{"connect tcp 203.0.113.5 443", "-3"},
	  {"connect tcp 127.0.0.1 443", "-3"},
	  {"connect udp 2001:db8::1 53", "-3"},
	  {"listen tcp 0.0.0.0 80", "-3"},
	  {"lookup example.org", "-3"},
	  {"lookup -", "-3"}}},
	/* names */
	{"allow connect *.example.org:443\nallow connect tcp shared.example.com:80,8080-8082\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 443", "+1"},
	  {"connect udp 203.0.113.5 443", "+1"},
	  {"connect tcp 203.0.113.5 80", "+2"},
	  {"connect udp 203.0.113.5 80", "-3"},
	  {"connect tcp 203.0.113.5 8080", "+2"},
	  {"connect tcp 203.0.113.5 8081", "+2"},
	  {"connect tcp 203.0.113.5 8082", "+2"},
	  {"connect tcp 203.0.113.5 8083", "-3"},
	  {"connect tcp 203.0.113.5 79", "-3"},
	  {"connect tcp 203.0.113.6 443", "-3"}, /* found too long ago */
	  {"connect tcp 203.0.113.7 443", "-3"}, /* never found */
	  {"connect tcp 203.0.113.9 443", "-3"}, /* example.org is not below itself */
	  {"connect tcp 2001:db8::5 443", "+1"},
	  {"connect tcp 2001:db8::6 443", "-3"},
	  {"connect tcp 127.0.0.1 443", "-3"},
	  {"connect tcp 192.168.1.1 443", "-3"},
	  {"connect tcp 10.1.2.3 443", "-3"},
	  {"connect tcp 172.16.0.1 443", "-3"},
	  {"connect tcp 169.254.169.254 443", "-3"},
	  {"connect tcp 100.64.0.1 443", "-3"},
	  {"connect tcp ::1 443", "-3"},
	  {"connect tcp fd00::1 443", "-3"},
	  {"connect tcp fe80::1 443", "-3"},
	  {"connect tcp 0.0.0.0 443", "-3"},
	  {"connect tcp :: 443", "-3"},
	  {"connect tcp ::ffff:127.0.0.1 443", "-3"},
	  {"connect tcp ::ffff:203.0.113.5 443", "+1"},
	  {"listen tcp 203.0.113.5 443", "-3"},
	  {"lookup www.example.org", "+1"},
	  {"lookup WWW.Example.ORG", "+1"},
	  {"lookup www.example.org.", "+1"},
	  {"lookup a.b.c.example.org", "+1"},
	  {"lookup example.org", "-3"},
	  {"lookup notexample.org", "-3"},
	  {"lookup www.example.org.evil.com", "-3"},
	  {"lookup shared.example.com", "+2"},
	  {"lookup x.shared.example.com", "-3"},
	  {"lookup -", "-3"}}},
	/* a rule about the address itself allows what its name does not */
	{"allow connect rebound.example.org\nallow connect 192.168.0.0/16\ndefault deny\n",
	 {{"connect tcp 192.168.1.1 443", "+2"},
	  {"connect tcp 10.1.2.3 443", "-3"},
	  {"lookup rebound.example.org", "+1"}}},
	/* a name that is denied is denied wherever it leads */
	{"deny connect rebound.example.org\ndefault allow\n",
	 {{"connect tcp 192.168.1.1 443", "-1"},
	  {"connect tcp 127.0.0.1 1", "-1"},
	  {"connect tcp 203.0.113.5 1", "+2"},
	  {"lookup rebound.example.org", "+2"}}},
	/* the first line that matches */
	{"deny connect 203.0.113.0/28\nallow connect 203.0.113.0/24\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 1", "-1"},
	  {"connect tcp 203.0.113.15 1", "-1"},
	  {"connect tcp 203.0.113.16 1", "+2"},
	  {"connect tcp 203.0.114.16 1", "-3"},
	  {"lookup www.example.org", "-3"}}},
	{"allow connect 203.0.113.0/24\ndeny connect 203.0.113.0/28\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 1", "+1"}, {"connect tcp 203.0.113.16 1", "+1"}}},
	{"deny connect www.example.org\nallow connect 203.0.113.5\nallow connect any\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 1", "-1"},
	  {"connect tcp 203.0.113.6 1", "+3"},
	  {"lookup www.example.org", "+3"},
	  {"lookup -", "+3"}}},
	{"allow connect any:443\ndeny connect 0.0.0.0/0\nallow connect [::/0]:80\ndefault deny\n",
	 {{"connect tcp 198.51.100.1 443", "+1"},
	  {"connect tcp 198.51.100.1 80", "-2"},
	  {"connect tcp ::ffff:198.51.100.1 80", "-2"},
	  {"connect tcp 2001:db8::1 80", "+3"},
	  {"connect tcp 2001:db8::1 81", "-4"},
	  {"connect tcp 2001:db8::1 443", "+1"}}},
	{"allow connect 2001:db8::/32\nallow connect [2001:db9::1]:22\ndefault deny\n",
	 {{"connect tcp 2001:db8:ffff::1 9", "+1"},
	  {"connect tcp 2001:db9::1 22", "+2"},
	  {"connect tcp 2001:db9::1 23", "-3"},
	  {"connect tcp 2001:db9::2 22", "-3"}}},
	/* a prefix of IPv6 says nothing about IPv4 */
	{"allow connect [::/0]:80\nallow connect ::ffff:0:0/100\ndefault deny\n",
	 {{"connect tcp 198.51.100.1 80", "-3"},
	  {"connect tcp ::ffff:198.51.100.1 80", "-3"},
	  {"connect tcp 10.0.0.1 80", "+2"},
	  {"connect tcp 2001:db8::1 80", "+1"}}},
	/* localhost */
	{"allow connect localhost:8080\ndefault deny\n",
	 {{"connect tcp 127.0.0.1 8080", "+1"},
	  {"connect tcp 127.1.2.3 8080", "+1"},
	  {"connect tcp 0.0.0.0 8080", "+1"},
	  {"connect tcp ::1 8080", "+1"},
	  {"connect tcp :: 8080", "+1"},
	  {"connect tcp ::ffff:127.0.0.1 8080", "+1"},
	  {"connect tcp 127.0.0.1 8081", "-2"},
	  {"connect tcp 128.0.0.1 8080", "-2"},
	  {"lookup localhost", "+1"},
	  {"lookup localhost.localdomain", "-2"}}},
	/* listening */
	{"allow listen tcp :8000-8010\nallow listen udp 10.0.0.1:53\ndeny listen any\ndefault allow\n",
	 {{"listen tcp 10.0.0.1 8000", "+1"},
	  {"listen tcp 10.0.0.1 8010", "+1"},
	  {"listen tcp 2001:db8::1 8005", "+1"},
	  {"listen tcp 10.0.0.1 8011", "-3"},
	  {"listen udp 10.0.0.1 8000", "-3"},
	  {"listen udp 10.0.0.1 53", "+2"},
	  {"listen udp 10.0.0.2 53", "-3"},
	  {"listen tcp 10.0.0.1 0", "-3"},
	  {"connect tcp 10.0.0.1 8000", "+4"}}},
	/* a wildcard serves the addresses that are denied, too */
	{"allow listen tcp :80\ndeny listen tcp 10.0.0.1\ndeny listen [2001:db8::/32]:53\ndefault allow\n",
	 {{"listen tcp 10.0.0.1 81", "-2"},
	  {"listen tcp 0.0.0.0 81", "-2"},
	  {"listen tcp ::ffff:0.0.0.0 81", "-2"},
	  {"listen tcp :: 81", "-2"},
	  {"only6 tcp :: 81", "+4"},
	  {"listen tcp 0.0.0.0 80", "+1"},
	  {"listen tcp :: 80", "+1"},
	  {"listen udp 0.0.0.0 81", "+4"},
	  {"listen udp 0.0.0.0 53", "+4"},
	  {"listen udp :: 53", "-3"},
	  {"only6 udp :: 53", "-3"},
	  {"listen tcp 10.0.0.2 81", "+4"},
	  {"listen tcp ::1 81", "+4"},
	  {"connect tcp 0.0.0.0 81", "+4"}}},
	{"deny listen localhost:6000\ndefault allow\n",
	 {{"listen tcp 0.0.0.0 6000", "-1"},
	  {"only6 tcp :: 6000", "-1"},
	  {"listen tcp 10.0.0.1 6000", "+2"},
	  {"listen tcp :: 6001", "+2"}}},
	/* with the name of the server: "held" is an allowed connection whose client has to name it
	 */
	{"allow connect *.example.org:443 sni\nallow connect shared.example.com:443 sni ech\n"
	 "allow connect old.example.org\ndefault deny\n",
	 {{"held tcp 203.0.113.5 443", "+1"},
	  {"connect udp 203.0.113.5 443", "-4"},
	  {"connect tcp 203.0.113.5 80", "-4"},
	  {"lookup www.example.org", "+1"},
	  {"server www.example.org 203.0.113.5 443", "+1"},
	  {"server other.example.org 203.0.113.5 443", "+1"},
	  {"server shared.example.com 203.0.113.5 443", "+2"},
	  {"server evil.example.net 203.0.113.5 443", "-4"},
	  {"server example.org 203.0.113.5 443", "-4"},
	  {"server old.example.org 203.0.113.5 80", "+3"},
	  {"server rebound.example.org 127.0.0.1 443", "-4"},
	  {"ech www.example.org 203.0.113.5 443", "-4"},
	  {"ech old.example.org 203.0.113.5 80", "-4"},
	  {"ech shared.example.com 203.0.113.5 443", "+2"}}},
	{"deny connect evil.example.net\nallow connect www.example.org:443 user 1000 sni\nallow connect any:443\ndefault deny\n",
	 {{"held tcp 203.0.113.5 443 1000", "+2"},
	  {"connect tcp 203.0.113.5 443 7", "+3"},
	  {"server evil.example.net 203.0.113.5 443", "-1"},
	  {"server a.example.net 203.0.113.5 443", "+3"},
	  {"ech www.example.org 203.0.113.5 443", "+3"}}},
	/* the same by HTTP, and neither for the other */
	{"allow connect *.example.org:80 host\nallow connect shared.example.com:80 sni\n"
	 "allow connect old.example.org:80\ndefault deny\n",
	 {{"held tcp 203.0.113.5 80", "+1"},
	  {"connect udp 203.0.113.5 80", "-4"},
	  {"http www.example.org 203.0.113.5 80", "+1"},
	  {"server www.example.org 203.0.113.5 80", "-4"},
	  {"http shared.example.com 203.0.113.5 80", "-4"},
	  {"server shared.example.com 203.0.113.5 80", "+2"},
	  {"http evil.example.net 203.0.113.5 80", "-4"},
	  {"server old.example.org 203.0.113.5 80", "+3"},
	  {"http rebound.example.org 127.0.0.1 80", "-4"}}},
	/* international names: "buecher" with its umlaut, in two cases and forms, and two kinds of
	 * dots */
	{"allow connect b\303\274cher.example\nallow connect *.B\303\234CHER.example.\n"
	 "allow connect u\314\210\343\200\202org\nallow connect stra\303\237e.de:443 sni\n"
	 "allow connect *.XN--p1AI\nallow connect B\303\274CHER.Example\ndefault deny\n",
	 {{"lookup xn--bcher-kva.example", "+1"},
	  {"lookup XN--BCHER-kva.Example.", "+1"},
	  {"lookup www.xn--bcher-kva.example", "+2"},
	  {"lookup bucher.example", "-7"},
	  {"lookup xn--tda.org", "+3"},
	  {"lookup xn--strae-oqa.de", "+4"},
	  {"lookup strasse.de", "-7"},
	  {"server xn--strae-oqa.de 203.0.113.5 443", "+4"},
	  {"lookup a.xn--p1ai", "+5"}}},
	/* users */
	{"allow connect any user 1000\nallow connect any:443 user 0\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 1 1000", "+1"},
	  {"connect tcp 203.0.113.5 1 0", "-3"},
	  {"connect tcp 203.0.113.5 443 0", "+2"},
	  {"connect tcp 203.0.113.5 443 7", "-3"},
	  {"lookup example.org 1000", "+1"},
	  {"lookup example.org 7", "-3"}}},
	{"deny connect any user root\ndefault allow\n",
	 {{"connect tcp 203.0.113.5 1 0", "-1"}, {"connect tcp 203.0.113.5 1 1", "+2"}}},
	/* look-ups alone */
	{"deny lookup *.example.org\nallow lookup any\ndefault deny\n",
	 {{"lookup www.example.org", "-1"},
	  {"lookup example.org", "+2"},
	  {"lookup -", "+2"},
	  {"connect tcp 203.0.113.5 1", "-3"}}},
	{"allow lookup example.org\ndefault deny\n",
	 {{"lookup example.org", "+1"}, {"connect tcp 203.0.113.9 1", "-2"}}},
};

static void says_what_the_first_line_says(void **state)
{
	(void)state;
	assert_true(rule_calls_check(sets, sizeof(sets) / sizeof(sets[0])) > 100);
}

/* Each port of a range, each length of a prefix, against the plain meaning. */
static void agrees_with_the_plain_meaning(void **state)
{
	(void)state;
	for (unsigned int bits = 0; bits <= 32; bits++) {
		struct lfp_reader_error err;
		struct rules *rules = NULL;
		char text[128];
		uint32_t mask = bits ? ~0u << (32 - bits) : 0;

		snprintf(text, sizeof(text), "allow connect 198.51.100.77/%u:%u-%u\ndefault deny\n",
			 bits, 100 + bits, 110 + bits);
		assert_int_equal(rules_parse(&rules, "rules", text, strlen(text), &err), 0);
		for (unsigned int flip = 0; flip < 32; flip++) {
			uint32_t base = 0xc633644du, addr = base ^ 1u << flip;
			struct rules_question question = {
				.act = RULES_CONNECT, .protocol = RULES_TCP, .now = RULE_CALLS_NOW};
			struct sockaddr_in in = {.sin_family = AF_INET,
						 .sin_addr.s_addr = htonl(addr),
						 .sin_port = htons((uint16_t)(99 + bits + flip))};
			bool want = (addr & mask) == (base & mask) && flip >= 1 && flip <= 11;

			assert_true(rules_addr((struct sockaddr *)&in, true, &question.addr,
					       &question.port));
			assert_int_equal(rules_decide(rules, &question).allowed, want);
		}
		rules_free(rules);
	}
}

/* Names are forgotten: the oldest ones, and of one address all but some. */
static void known_names_are_bounded(void **state)
{
	struct known_names many;
	struct in6_addr addr = {.s6_addr = {0x20}};
	char name[32];

	(void)state;
	known_names_init(&many);
	for (unsigned int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "n%u.example", i);
		known_names_add(&many, name, &addr, RULE_CALLS_NOW + 1, 0);
	}
	assert_int_equal(many.table.count, KNOWN_NAMES_OF_ADDR);
	for (unsigned int i = 0; i < KNOWN_NAMES_MAX + 10; i++) {
		memcpy(addr.s6_addr + 8, &i, sizeof(i));
		known_names_add(&many, "a.example", &addr, RULE_CALLS_NOW + 1, 0);
	}
	assert_int_equal(many.table.count, KNOWN_NAMES_MAX);
	known_names_finish(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_the_first_line_says),
		cmocka_unit_test(agrees_with_the_plain_meaning),
		cmocka_unit_test(known_names_are_bounded),
	};

	return cmocka_run_group_tests(tests, rule_calls_set_up, rule_calls_tear_down);
}
