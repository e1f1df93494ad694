/* SPDX-License-Identifier: Apache-2.0 */
/* test-rules-upstream.c - rules that send connections through upstreams, and the names that proxies
 * get */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lfpd/policy/known-names.h"
#include "lfpd/policy/rules.h"
#include "tests/lfpd/rule-calls.h"

static const struct rule_calls sets[] = {
	/* Limits decide about nothing; test-metered.c has what they do. */
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
	 "ask-upstream w connect any:80\nask-upstream p connect udp www.example.org:443 limit rate 5\n"
	 "ask-upstream p connect tcp any:22\ndefault ask-upstream p\n",
	 {{"connect udp 203.0.113.5 443", ">4 p www.example.org"},
	  {"connect tcp 203.0.113.5 443", ">6 p shared.example.com"},
	  {"connect udp 203.0.113.5 80", ">6 p shared.example.com"},
	  {"connect udp 203.0.113.7 53", ">6 p -"},
	  {"listen udp 10.0.0.1 80", "-6"}}},
	/* a server is allowed by its own way only */
	{"upstream p http://10.0.0.1\nask-upstream p connect www.example.org sni\n"
	 "allow connect shared.example.com\ndefault deny\n",
	 {{"held tcp 203.0.113.5 443", ">2 p www.example.org"},
	  {"by p www.example.org 203.0.113.5 443", ">2 p -"},
	  {"by p shared.example.com 203.0.113.5 443", "-3"},
	  {"server www.example.org 203.0.113.5 443", "-2"},
	  {"server shared.example.com 203.0.113.5 443", "+3"}}},
};

static void says_which_upstream(void **state)
{
	(void)state;
	assert_true(rule_calls_check(sets, sizeof(sets) / sizeof(sets[0])) > 30);
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
						  .now = RULE_CALLS_NOW};
		struct rules *rules;

		assert_int_equal(rules_parse(&rules, "rules", texts[i], strlen(texts[i]), &err), 0);
		rule_calls_addr("203.0.113.7", true, &question.addr);
		for (int last = 0; last < 2; last++) {
			known_names_init(&two);
			for (int k = 0; k < 2; k++) {
				uint32_t uid = 1u + (uint32_t)(k != last);

				known_names_add(&two, names[uid], &question.addr,
						RULE_CALLS_NOW + 1, uid);
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
		cmocka_unit_test(says_which_upstream),
		cmocka_unit_test(proxies_get_names_of_the_user),
	};

	return cmocka_run_group_tests(tests, rule_calls_set_up, rule_calls_tear_down);
}
