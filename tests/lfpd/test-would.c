/* SPDX-License-Identifier: Apache-2.0 */
/* test-would.c - the verdicts of "lfpd-ctl check --would" */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfp/exit.h"
#include "lfp/number.h"
#include "lfp/system.h"
#include "lfpd/policy/policy.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/would.h"

static const char text[] = "allow connect tcp www.example.org:443 sni\n"
			   "allow listen tcp :80 user 0\n"
			   "deny connect 203.0.113.0/24\n"
			   "allow connect any user 7\n"
			   "allow listen udp [2001:db8::1]:1000-2000\n"
			   "allow connect old.example.org:80\n"
			   "default deny\n";

static const struct {
	const char *call;
	int code;
	const char *says; /* the whole answer */
} calls[] = {
	{"connect tcp 203.0.113.5:443 user 7", LFP_EXIT_FAILURE,
	 "denied   connect tcp 203.0.113.5:443: line 3\n"},
	{"connect udp 198.51.100.1:53 user 7", LFP_EXIT_OK,
	 "allowed  connect udp 198.51.100.1:53: line 4\n"},
	{"connect 198.51.100.1:53 user 8", LFP_EXIT_FAILURE,
	 "denied   connect tcp 198.51.100.1:53: default, line 7\n"},
	{"connect www.example.org:443 user 8 at 198.51.100.1", LFP_EXIT_OK,
	 "allowed  lookup www.example.org: line 1\n"
	 "allowed  connect tcp 198.51.100.1:443 (www.example.org): line 1, if TLS names the server "
	 "www.example.org (line 1)\n"},
	{"connect udp www.example.org:443 user 8 at 198.51.100.1", LFP_EXIT_FAILURE,
	 "allowed  lookup www.example.org: line 1\n"
	 "denied   connect udp 198.51.100.1:443 (www.example.org): default, line 7\n"},
	{"connect old.example.org:80 user 8 at 192.168.1.1", LFP_EXIT_FAILURE,
	 "allowed  lookup old.example.org: line 6\n"
	 "denied   connect tcp 192.168.1.1:80 (old.example.org): default, line 7; line 6 does not "
	 "allow the private address\n"},
	{"connect old.example.org:81 user 8 at 192.168.1.1", LFP_EXIT_FAILURE,
	 "allowed  lookup old.example.org: line 6\n"
	 "denied   connect tcp 192.168.1.1:81 (old.example.org): default, line 7\n"},
	{"connect www.example.org:443 user 8 at 10.0.0.1", LFP_EXIT_FAILURE,
	 "allowed  lookup www.example.org: line 1\n"
	 "denied   connect tcp 10.0.0.1:443 (www.example.org): default, line 7; line 1 does not "
	 "allow the private address\n"},
	{"connect evil.example:80 user 8 at 198.51.100.1", LFP_EXIT_FAILURE,
	 "denied   lookup evil.example: default, line 7\n"},
	{"lookup WWW.Example.Org. user 8", LFP_EXIT_OK,
	 "allowed  lookup WWW.Example.Org.: line 1\n"},
	{"listen udp [2001:db8::1]:1500 user 8", LFP_EXIT_OK,
	 "allowed  listen udp [2001:db8::1]:1500: line 5\n"},
	{"bind :80 user 0", LFP_EXIT_OK,
	 "allowed  listen tcp 0.0.0.0:80: line 2\nallowed  listen tcp [::]:80: line 2\n"},
	{"listen 127.0.0.1 user 8", LFP_EXIT_FAILURE,
	 "denied   listen tcp 127.0.0.1:0: default, line 7\n"},
	{"", LFP_EXIT_USAGE, ""},
	{"reach 127.0.0.1:80", LFP_EXIT_USAGE, ""},
	{"connect", LFP_EXIT_USAGE, ""},
	{"connect tcp 127.0.0.1", LFP_EXIT_USAGE, ""},
	{"connect any:80", LFP_EXIT_USAGE, ""},
	{"connect 127.0.0.1:0", LFP_EXIT_USAGE, ""},
	{"connect [::1:80", LFP_EXIT_USAGE, ""},
	{"lookup www.example.org:80", LFP_EXIT_USAGE, ""},
	{"listen www.example.org:80", LFP_EXIT_USAGE, ""},
	{"connect 127.0.0.1:80 user", LFP_EXIT_USAGE, ""},
	{"connect 127.0.0.1:80 sni x", LFP_EXIT_USAGE, ""},
	{"connect 127.0.0.1:80 user nobody-of-that-name", LFP_EXIT_USAGE, ""},
};

static void expect(const struct would *would, const char *call, int code, const char *says)
{
	char copy[256], *words[16] = {NULL}, *save = NULL, *out = NULL;
	size_t nr = 0, len;
	FILE *stream = open_memstream(&out, &len);

	assert_non_null(stream);
	assert_true(strlen(call) < sizeof(copy));
	strcpy(copy, call);
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		words[nr++] = word;
	assert_int_equal(would_ask(would, words, stream), code);
	fclose(stream);
	assert_string_equal(out, says);
	free(out);
}

static void verdicts(void **state)
{
	struct lfp_reader_error err;
	struct rules *rules;

	(void)state;
	assert_int_equal(rules_parse(&rules, "rules", text, strlen(text), &err), 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		expect(&(struct would){.rules = rules}, calls[i].call, calls[i].code,
		       calls[i].says);
	rules_free(rules);
}

static void privileged_ports(void **state)
{
	static const char all[] = "default allow\n";
	char start_text[LFP_SYSTEM_NAME];
	struct lfp_reader_error err;
	unsigned long start = 0;
	struct rules *rules;

	(void)state;
	if (!lfp_system_line(start_text, "/proc/sys/net/ipv4/ip_unprivileged_port_start") ||
	    lfp_number(start_text, 81, 65535, &start))
		skip(); /* all ports are anybody's here */
	assert_int_equal(rules_parse(&rules, "rules", all, strlen(all), &err), 0);
	expect(&(struct would){.rules = rules}, "listen 127.0.0.1:80 user 8", LFP_EXIT_FAILURE,
	       "denied   listen tcp 127.0.0.1:80: a privileged port, which needs root or a rule\n");
	expect(&(struct would){.rules = rules}, "listen 127.0.0.1:80 user 0", LFP_EXIT_OK,
	       "allowed  listen tcp 127.0.0.1:80: default, line 1\n");
	rules_free(rules);
	expect(&(struct would){.rules = NULL}, "listen 127.0.0.1:80 user 8", LFP_EXIT_OK,
	       "allowed  listen tcp 127.0.0.1:80\n");
	expect(&(struct would){.ports_of_root = true}, "listen 127.0.0.1:80 user 8",
	       LFP_EXIT_FAILURE,
	       "denied   listen tcp 127.0.0.1:80: a privileged port, which needs root or a rule\n");
}

/* z/VSE is one host here: 10.0.0.1. */
static void host_id(void **state)
{
	static const char all[] = "deny listen 10.0.0.1:81\ndefault allow\n";
	static const char *const calls_there[][2] = {
		{"connect 127.0.0.1:18080", "denied   connect tcp 127.0.0.1:18080: "
					    "RESTRICT_TO_HOSTID = yes, ALLOW_LOOPBACK = no\n"},
		{"connect udp [2001:db8::1]:53", "denied   connect udp [2001:db8::1]:53: "
						 "RESTRICT_TO_HOSTID = yes without VSE_HOSTID6\n"},
		{"listen 10.0.0.2:8080",
		 "denied   listen tcp 10.0.0.2:8080: RESTRICT_TO_HOSTID = yes\n"},
		{"listen :81", "denied   listen tcp 10.0.0.1:81: line 1\n"},
	};
	struct policy policy = {.restricted = true, .hostid = {htonl(0x0a000001)}};
	struct lfp_reader_error err;
	struct would would = {.policy = &policy};
	struct rules *rules;

	(void)state;
	assert_int_equal(rules_parse(&rules, "rules", all, strlen(all), &err), 0);
	would.rules = rules;
	for (size_t i = 0; i < sizeof(calls_there) / sizeof(calls_there[0]); i++)
		expect(&would, calls_there[i][0], LFP_EXIT_FAILURE, calls_there[i][1]);
	expect(&would, "connect 10.0.0.1:80", LFP_EXIT_OK,
	       "allowed  connect tcp 10.0.0.1:80: default, line 2\n");
	policy.loopback = true;
	expect(&would, "connect 127.0.0.1:18080", LFP_EXIT_OK,
	       "allowed  connect tcp 127.0.0.1:18080: default, line 2\n");
	rules_free(rules);
}

static void limits(void **state)
{
	static const char limited[] = "allow connect tcp any:80 limit connections 1 per user\n"
				      "allow connect tcp any:81 limit connections 2 rate 500K\n"
				      "default deny\n";
	struct lfp_reader_error err;
	struct rules *rules;

	(void)state;
	assert_int_equal(rules_parse(&rules, "rules", limited, strlen(limited), &err), 0);
	expect(&(struct would){.rules = rules}, "connect 10.0.0.1:80", LFP_EXIT_OK,
	       "allowed  connect tcp 10.0.0.1:80: line 1, limit connections 1 per user (see "
	       "lfpd-admin limits)\n");
	expect(&(struct would){.rules = rules}, "connect 10.0.0.1:81", LFP_EXIT_OK,
	       "allowed  connect tcp 10.0.0.1:81: line 2, limit connections 2 per task, limit rate "
	       "512000 per task (see lfpd-admin limits)\n");
	rules_free(rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(privileged_ports),
		cmocka_unit_test(host_id),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
