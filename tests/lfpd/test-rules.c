/* SPDX-License-Identifier: Apache-2.0 */
/* test-rules.c - the rules of POLICY_FILE: what each set of rules says to each call */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/upstream.h"

#define NOW 1000u
#define UID 1000u

/* Names that lfpd has found, and until when. */
static const struct {
	const char *name, *addr;
	uint64_t until;
} found[] = {
	{"www.example.org", "203.0.113.5", NOW + 1},
	{"shared.example.com", "203.0.113.5", NOW + 1},
	{"v6.example.org", "2001:db8::5", NOW + 1},
	{"old.example.org", "203.0.113.6", NOW},
	{"rebound.example.org", "127.0.0.1", NOW + 1},
	{"rebound.example.org", "192.168.1.1", NOW + 1},
	{"rebound.example.org", "10.1.2.3", NOW + 1},
	{"rebound.example.org", "172.16.0.1", NOW + 1},
	{"rebound.example.org", "169.254.169.254", NOW + 1},
	{"rebound.example.org", "100.64.0.1", NOW + 1},
	{"rebound.example.org", "::1", NOW + 1},
	{"rebound.example.org", "fd00::1", NOW + 1},
	{"rebound.example.org", "fe80::1", NOW + 1},
	{"example.org", "203.0.113.9", NOW + 1},
};

static struct known_names known;

static void to_addr(const char *text, bool destination, struct in6_addr *out)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	uint16_t port;

	if (inet_pton(AF_INET, text, &in.sin_addr) == 1) {
		assert_true(rules_addr((struct sockaddr *)&in, destination, out, &port));
		return;
	}
	assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	assert_true(rules_addr((struct sockaddr *)&in6, destination, out, &port));
}

static int setup(void **state)
{
	struct in6_addr addr;

	(void)state;
	known_names_init(&known);
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
		to_addr(found[i].addr, true, &addr);
		known_names_add(&known, found[i].name, &addr, found[i].until, UID);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	known_names_finish(&known);
	return 0;
}

/* "connect tcp ADDR PORT UID", "listen udp ADDR PORT UID", "lookup NAME UID". "only6" is "listen"
 * with IPV6_V6ONLY, "held" is "connect" where the client has to name its server,
 * "server NAME ADDR PORT" is the question then, "http" the same by HTTP, "ech" the same with ECH,
 * and "by UPSTREAM NAME ADDR PORT" the same for a connection through an upstream. */
static struct rules_verdict decide(const struct rules *rules, const char *call)
{
	struct rules_question question = {.known = &known, .now = NOW, .uid = UID};
	char act[16] = "", protocol[16] = "", where[300] = "", name[RULES_NAME_MAX];
	char server[300] = "", addr[50] = "";
	unsigned int port = 0, uid = UID;
	struct rules_verdict verdict;
	bool is_held = false;

	if (sscanf(call, "lookup %299s %u", where, &uid) >= 1) {
		question.act = RULES_LOOKUP;
		if (strcmp(where, "-")) {
			assert_true(rules_name(name, where, strlen(where)));
			question.name = name;
		}
	} else if (sscanf(call, "by %15s %299s %49s %u", act, server, addr, &port) == 4) {
		question.act = RULES_CONNECT;
		question.protocol = RULES_TCP;
		question.server = server;
		question.upstream = rules_upstream(rules, act);
		question.naming = RULES_BY_TLS;
		question.port = (uint16_t)port;
		to_addr(addr, true, &question.addr);
	} else if (sscanf(call, "server %299s %49s %u", server, addr, &port) == 3 ||
		   sscanf(call, "http %299s %49s %u", server, addr, &port) == 3 ||
		   sscanf(call, "ech %299s %49s %u", server, addr, &port) == 3) {
		question.act = RULES_CONNECT;
		question.protocol = RULES_TCP;
		question.server = server;
		question.naming = *call == 'h' ? RULES_BY_HTTP : RULES_BY_TLS;
		question.is_encrypted = *call == 'e';
		question.port = (uint16_t)port;
		to_addr(addr, true, &question.addr);
	} else {
		assert_true(sscanf(call, "%15s %15s %299s %u %u", act, protocol, where, &port,
				   &uid) >= 4);
		question.v6only = !strcmp(act, "only6");
		is_held = !strcmp(act, "held");
		question.act = strcmp(act, "connect") && !is_held ? RULES_LISTEN : RULES_CONNECT;
		question.protocol = strcmp(protocol, "udp") ? RULES_TCP : RULES_UDP;
		question.port = (uint16_t)port;
		to_addr(where, question.act == RULES_CONNECT, &question.addr);
	}
	question.uid = uid;
	verdict = rules_decide(rules, &question);
	if (!!verdict.naming != is_held)
		print_error("%s: naming is %d\n", call, verdict.naming);
	assert_int_equal(!!verdict.naming, is_held);
	return verdict;
}

/* A set of rules; then calls, each with the number of the line that decides, as "+3" or "-3". */
struct set {
	const char *rules;
	struct {
		const char *call, *line;
	} calls[48];
};

static const struct set sets[] = {
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
	{"allow connect any:443\ndeny connect 0.0.0.0/0\nallow connect ::/0:80\ndefault deny\n",
	 {{NULL, "3"}}}, /* no ports behind an address of IPv6 without brackets */
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
	{"allow connect any:80 host\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect udp a.example:80 host\ndefault deny\n", {{NULL, "1"}}},
	{"deny connect a.example:80 host\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect a.example:80 host ech\ndefault deny\n", {{NULL, "1"}}},
	/* Limits decide about nothing; test-metered.c has what they do. */
	{"allow connect any:443 limit connections 10\n"
	 "allow connect www.example.org:80 user 1000 limit rate 1M per task\n"
	 "allow connect tcp www.example.org:81 sni ech limit rate 500k connections 1000000 per user\n"
	 "allow connect udp any:53 limit rate 1\n"
	 "allow connect any:82 user 1 group 2 task 3 program /a sni limit connections 1\n"
	 "default deny\n",
	 {{NULL, "5"}}},
	{"allow connect any:443 limit connections 10\n"
	 "allow connect www.example.org:80 user 1000 limit rate 1M per task\n"
	 "allow connect udp any:53 limit rate 1\n"
	 "upstream p http://10.0.0.1\n"
	 "ask-upstream p connect any:85 limit rate 1 connections 1 per user\n"
	 "default deny\n",
	 {{"connect tcp 203.0.113.5 443", "+1"},
	  {"connect tcp 203.0.113.5 80", "+2"},
	  {"connect udp 203.0.113.5 53", "+3"},
	  {"connect tcp 203.0.113.5 85", ">5 p shared.example.com"},
	  {"connect tcp 203.0.113.5 53", "-6"}}},
	{"allow connect any limit\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit 10\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit connections\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit connections 0\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit connections 1000001\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit connections 1K\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit connections 1 connections 2\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 0\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1099511627777\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate -1\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1 rate 2\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1 per\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1 per group\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1 per user more\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any limit rate 1 user 5\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect udp any limit connections 1\ndefault deny\n", {{NULL, "1"}}},
	{"deny connect any limit rate 1\ndefault deny\n", {{NULL, "1"}}},
	{"allow listen any limit rate 1\ndefault deny\n", {{NULL, "1"}}},
	{"allow lookup any limit rate 1\ndefault deny\n", {{NULL, "1"}}},
	{"default allow limit rate 1\n", {{NULL, "1"}}},
	{"allow connect a.example:80 sni host\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:443 sni\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect 10.0.0.0/8:443 sni\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect udp a.example:443 sni\ndefault deny\n", {{NULL, "1"}}},
	{"deny connect a.example:443 sni\ndefault deny\n", {{NULL, "1"}}},
	{"allow lookup a.example sni\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect a.example ech\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect a.example sni ech more\ndefault deny\n", {{NULL, "1"}}},
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
	/* upstreams: '>' is a connection through one, with its name and the name that its proxy
	 * gets */
	{"upstream p socks5h://10.0.0.1\nupstream q http://[::1]:8080/ timeout 5\n"
	 "upstream r socks5://proxy.example:9\n"
	 "ask-upstream q connect shared.example.com:443\nask-upstream p connect tcp *.example.org user 1000\n"
	 "ask-upstream p connect 203.0.113.0/24:80\nask-upstream r connect any:81\n"
	 "allow connect udp 203.0.113.5\nask-upstream p connect any:82\ndefault deny\n",
	 {{"connect tcp 203.0.113.5 443", ">4 q shared.example.com"},
	  {"connect tcp 203.0.113.5 22", ">5 p www.example.org"},
	  {"connect tcp 203.0.113.5 22 7", "-10"},
	  {"connect tcp 203.0.113.5 80 7", ">6 p -"}, /* the rule is about the address */
	  {"connect tcp 203.0.113.5 81 7", ">7 r -"}, /* socks5:// sends addresses */
	  {"connect tcp 203.0.113.5 82 7", ">9 p -"}, /* another user has found the names */
	  {"connect tcp 203.0.113.7 82", ">9 p -"},
	  {"connect udp 203.0.113.7 82", ">9 p -"},
	  {"connect udp 203.0.113.6 80", ">6 p -"},
	  {"connect udp 203.0.113.5 443", "+8"},
	  {"connect udp 203.0.113.6 443", "-10"},
	  {"connect tcp 10.1.2.3 22", "-10"},
	  {"lookup www.example.org", "+5"},
	  {"lookup shared.example.com", "+4"},
	  {"listen tcp 10.0.0.1 80", "-10"}}},
	{"upstream p http://10.0.0.1\ndeny connect shared.example.com\ndefault ask-upstream p\n",
	 {{"connect tcp 203.0.113.5 443", "-2"},
	  {"connect tcp 203.0.113.9 443", ">3 p example.org"},
	  {"connect tcp 127.0.0.1 1", ">3 p rebound.example.org"},
	  {"connect udp 203.0.113.9 443", "-3"},
	  {"listen tcp 10.0.0.1 80", "-3"},
	  {"lookup example.org", "+3"},
	  {"lookup -", "+3"}}},
	/* datagrams go through proxies of SOCKS5 */
	{"upstream p socks5h://10.0.0.1\nupstream w http://10.0.0.1\n"
	 "ask-upstream w connect any:80\nask-upstream p connect udp www.example.org:443\n"
	 "ask-upstream p connect tcp any:22\nask-upstream p connect any:9 sni\ndefault deny\n",
	 {{NULL, "6"}}},
	{"upstream p socks5h://10.0.0.1\nupstream w http://10.0.0.1\n"
	 "ask-upstream w connect any:80\nask-upstream p connect udp www.example.org:443 limit rate 5\n"
	 "ask-upstream p connect tcp any:22\ndefault ask-upstream p\n",
	 {{"connect udp 203.0.113.5 443", ">4 p www.example.org"},
	  {"connect tcp 203.0.113.5 443", ">6 p shared.example.com"},
	  {"connect udp 203.0.113.5 80", ">6 p shared.example.com"},
	  {"connect udp 203.0.113.7 53", ">6 p -"},
	  {"listen udp 10.0.0.1 80", "-6"}}},
	{"upstream p socks5://10.0.0.1\nask-upstream p connect udp any limit connections 1\n"
	 "default deny\n",
	 {{NULL, "2"}}},
	/* a server is allowed by its own way only */
	{"upstream p http://10.0.0.1\nask-upstream p connect www.example.org sni\n"
	 "allow connect shared.example.com\ndefault deny\n",
	 {{"held tcp 203.0.113.5 443", ">2 p www.example.org"},
	  {"by p www.example.org 203.0.113.5 443", ">2 p -"},
	  {"by p shared.example.com 203.0.113.5 443", "-3"},
	  {"server www.example.org 203.0.113.5 443", "-2"},
	  {"server shared.example.com 203.0.113.5 443", "+3"}}},
	{"upstream p\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p p\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p/q http://a\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p https://a\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a/b\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a:0\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://[::1\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://[a]\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a:b@c\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a timeout\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a timeout 0\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a credentials /none/there\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a\nupstream p http://b\ndefault deny\n", {{NULL, "2"}}},
	{"ask-upstream p connect any\nupstream p http://a\ndefault deny\n", {{NULL, "1"}}},
	{"upstream p http://a\nask-upstream p connect udp any\ndefault deny\n", {{NULL, "2"}}},
	{"upstream p http://a\nask-upstream p listen any\ndefault deny\n", {{NULL, "2"}}},
	{"upstream p http://a\nask-upstream\ndefault deny\n", {{NULL, "2"}}},
	{"upstream p http://a\ndefault ask-upstream q\n", {{NULL, "2"}}},
	/* wrong lines: the number of the line */
	{"", {{NULL, "0"}}},
	{"allow connect any\n", {{NULL, "1"}}},
	{"default deny\nallow connect any\n", {{NULL, "2"}}},
	{"default\n", {{NULL, "1"}}},
	{"default perhaps\n", {{NULL, "1"}}},
	{"default deny all\n", {{NULL, "1"}}},
	{"permit connect any\ndefault deny\n", {{NULL, "1"}}},
	{"\nallow\ndefault deny\n", {{NULL, "2"}}},
	{"allow any\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect tcp\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:0\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:65536\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:10-5\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:1,,2\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:x\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any:\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect 10.0.0.0/33\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect 10.0.0.0/-1\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect ::/129\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect [::1\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect [::1]x\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect *example.org\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect *.\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect a..b\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect b\303(cher.example\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect xn--b\303\274cher.example\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect *.\303\274..example\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect \303\274.exam!ple\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect \303\274aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.org\n"
	 "default deny\n",
	 {{NULL, "1"}}},
	{"allow listen www.example.org:80\ndefault deny\n", {{NULL, "1"}}},
	{"allow lookup 10.0.0.1\ndefault deny\n", {{NULL, "1"}}},
	{"allow lookup example.org:53\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any user\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any user no-such-user-here\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any any\ndefault deny\n", {{NULL, "1"}}},
	{"allow connect any user 1 2 3 4 5 6\ndefault deny\n", {{NULL, "1"}}},
};

static void says_what_the_first_line_says(void **state)
{
	unsigned int calls = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct set *set = &sets[i];
		struct lfp_reader_error err = {.line = -1};
		struct rules *rules = NULL;
		int rc = rules_parse(&rules, "rules", set->rules, strlen(set->rules), &err);

		if (!set->calls[0].call) {
			if (rc != -EINVAL || err.line != atoi(set->calls[0].line))
				print_error("%s: %d, line %d: %s\n", set->rules, rc, err.line,
					    err.text);
			assert_int_equal(rc, -EINVAL);
			assert_int_equal(err.line, atoi(set->calls[0].line));
			continue;
		}
		if (rc)
			print_error("%s\n", err.text);
		assert_int_equal(rc, 0);
		for (size_t k = 0; k < 48 && set->calls[k].call; k++, calls++) {
			struct rules_verdict verdict = decide(rules, set->calls[k].call);
			const char *name = verdict.upstream_name;
			char got[320];

			snprintf(got, sizeof(got), "%c%u", verdict.allowed ? '+' : '-',
				 verdict.line);
			if (verdict.allowed && verdict.upstream)
				snprintf(got, sizeof(got), ">%u %s %s", verdict.line,
					 verdict.upstream->name, name ? name : "-");
			if (strcmp(got, set->calls[k].line))
				print_error("%s%s\n", set->rules, set->calls[k].call);
			assert_string_equal(got, set->calls[k].line);
		}
		rules_free(rules);
	}
	assert_true(calls > 100);
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
				.act = RULES_CONNECT, .protocol = RULES_TCP, .now = NOW};
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
		known_names_add(&many, name, &addr, NOW + 1, 0);
	}
	assert_int_equal(many.table.count, KNOWN_NAMES_OF_ADDR);
	for (unsigned int i = 0; i < KNOWN_NAMES_MAX + 10; i++) {
		memcpy(addr.s6_addr + 8, &i, sizeof(i));
		known_names_add(&many, "a.example", &addr, NOW + 1, 0);
	}
	assert_int_equal(many.table.count, KNOWN_NAMES_MAX);
	known_names_finish(&many);
}

/* Names that other users have found for an address do not reach a proxy, which looks them up
 * itself. */
static void proxies_get_names_of_the_user(void **state)
{
	static const char *const texts[] = {
		"upstream p socks5h://127.0.0.1\nask-upstream p connect any\ndefault deny\n",
		"upstream p socks5h://127.0.0.1\nask-upstream p connect *.example\ndefault deny\n",
	};
	static const char *const names[] = {NULL, "good.example", "evil.example", NULL};
	struct lfp_reader_error err;
	struct known_names two;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct rules_question question = {.act = RULES_CONNECT,
						  .protocol = RULES_TCP,
						  .port = 443,
						  .known = &two,
						  .now = NOW};
		struct rules *rules;

		assert_int_equal(rules_parse(&rules, "rules", texts[i], strlen(texts[i]), &err), 0);
		to_addr("203.0.113.7", true, &question.addr);
		for (int last = 0; last < 2; last++) {
			known_names_init(&two);
			for (int k = 0; k < 2; k++) {
				uint32_t uid = 1u + (uint32_t)(k != last);

				known_names_add(&two, names[uid], &question.addr, NOW + 1, uid);
			}
			for (question.uid = 1; question.uid <= 3; question.uid++) {
				const char *name = rules_decide(rules, &question).upstream_name;

				assert_string_equal(name ? name : "-", names[question.uid]
									       ? names[question.uid]
									       : "-");
			}
			known_names_finish(&two);
		}
		rules_free(rules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proxies_get_names_of_the_user),
		cmocka_unit_test(says_what_the_first_line_says),
		cmocka_unit_test(agrees_with_the_plain_meaning),
		cmocka_unit_test(known_names_are_bounded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
