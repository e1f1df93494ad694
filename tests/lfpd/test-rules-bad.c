/* SPDX-License-Identifier: Apache-2.0 */
/* test-rules-bad.c - wrong lines of POLICY_FILE: each is refused with its number */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lfpd/policy/rules.h"

static const struct {
	const char *rules;
	int line; /* the wrong one; 0: the file as a whole */
} cases[] = {
	{"allow connect any:443\ndeny connect 0.0.0.0/0\nallow connect ::/0:80\ndefault deny\n",
	 3}, /* no ports behind an address of IPv6 without brackets */
	{"allow connect any:80 host\ndefault deny\n", 1},
	{"allow connect udp a.example:80 host\ndefault deny\n", 1},
	{"deny connect a.example:80 host\ndefault deny\n", 1},
	{"allow connect a.example:80 host ech\ndefault deny\n", 1},
	{"allow connect any:443 limit connections 10\n"
	 "allow connect www.example.org:80 user 1000 limit rate 1M per task\n"
	 "allow connect tcp www.example.org:81 sni ech limit rate 500k connections 1000000 per user\n"
	 "allow connect udp any:53 limit rate 1\n"
	 "allow connect any:82 user 1 group 2 task 3 program /a sni limit connections 1\n"
	 "default deny\n",
	 5},
	{"allow connect any limit\ndefault deny\n", 1},
	{"allow connect any limit 10\ndefault deny\n", 1},
	{"allow connect any limit connections\ndefault deny\n", 1},
	{"allow connect any limit connections 0\ndefault deny\n", 1},
	{"allow connect any limit connections 1000001\ndefault deny\n", 1},
	{"allow connect any limit connections 1K\ndefault deny\n", 1},
	{"allow connect any limit connections 1 connections 2\ndefault deny\n", 1},
	{"allow connect any limit rate\ndefault deny\n", 1},
	{"allow connect any limit rate 0\ndefault deny\n", 1},
	{"allow connect any limit rate 1099511627777\ndefault deny\n", 1},
	{"allow connect any limit rate -1\ndefault deny\n", 1},
	{"allow connect any limit rate 1 rate 2\ndefault deny\n", 1},
	{"allow connect any limit rate 1 per\ndefault deny\n", 1},
	{"allow connect any limit rate 1 per group\ndefault deny\n", 1},
	{"allow connect any limit rate 1 per user more\ndefault deny\n", 1},
	{"allow connect any limit rate 1 user 5\ndefault deny\n", 1},
	{"allow connect udp any limit connections 1\ndefault deny\n", 1},
	{"deny connect any limit rate 1\ndefault deny\n", 1},
	{"allow listen any limit rate 1\ndefault deny\n", 1},
	{"allow lookup any limit rate 1\ndefault deny\n", 1},
	{"default allow limit rate 1\n", 1},
	{"allow connect a.example:80 sni host\ndefault deny\n", 1},
	{"allow connect any:443 sni\ndefault deny\n", 1},
	{"allow connect 10.0.0.0/8:443 sni\ndefault deny\n", 1},
	{"allow connect udp a.example:443 sni\ndefault deny\n", 1},
	{"deny connect a.example:443 sni\ndefault deny\n", 1},
	{"allow lookup a.example sni\ndefault deny\n", 1},
	{"allow connect a.example ech\ndefault deny\n", 1},
	{"allow connect a.example sni ech more\ndefault deny\n", 1},
	{"upstream p socks5h://10.0.0.1\nupstream w http://10.0.0.1\n"
	 "ask-upstream w connect any:80\nask-upstream p connect udp www.example.org:443\n"
	 "ask-upstream p connect tcp any:22\nask-upstream p connect any:9 sni\ndefault deny\n",
	 6},
	{"upstream p socks5://10.0.0.1\nask-upstream p connect udp any limit connections 1\n"
	 "default deny\n",
	 2},
	{"upstream p\ndefault deny\n", 1},
	{"upstream p p\ndefault deny\n", 1},
	{"upstream p/q http://a\ndefault deny\n", 1},
	{"upstream p https://a\ndefault deny\n", 1},
	{"upstream p http://\ndefault deny\n", 1},
	{"upstream p http://a/b\ndefault deny\n", 1},
	{"upstream p http://a:0\ndefault deny\n", 1},
	{"upstream p http://[::1\ndefault deny\n", 1},
	{"upstream p http://[a]\ndefault deny\n", 1},
	{"upstream p http://a:b@c\ndefault deny\n", 1},
	{"upstream p http://a timeout\ndefault deny\n", 1},
	{"upstream p http://a timeout 0\ndefault deny\n", 1},
	{"upstream p http://a credentials /none/there\ndefault deny\n", 1},
	{"upstream p http://a\nupstream p http://b\ndefault deny\n", 2},
	{"ask-upstream p connect any\nupstream p http://a\ndefault deny\n", 1},
	{"upstream p http://a\nask-upstream p connect udp any\ndefault deny\n", 2},
	{"upstream p http://a\nask-upstream p listen any\ndefault deny\n", 2},
	{"upstream p http://a\nask-upstream\ndefault deny\n", 2},
	{"upstream p http://a\ndefault ask-upstream q\n", 2},
	{"", 0},
	{"allow connect any\n", 1},
	{"default deny\nallow connect any\n", 2},
	{"default\n", 1},
	{"default perhaps\n", 1},
	{"default deny all\n", 1},
	{"permit connect any\ndefault deny\n", 1},
	{"\nallow\ndefault deny\n", 2},
	{"allow any\ndefault deny\n", 1},
	{"allow connect\ndefault deny\n", 1},
	{"allow connect tcp\ndefault deny\n", 1},
	{"allow connect any:0\ndefault deny\n", 1},
	{"allow connect any:65536\ndefault deny\n", 1},
	{"allow connect any:10-5\ndefault deny\n", 1},
	{"allow connect any:1,,2\ndefault deny\n", 1},
	{"allow connect any:x\ndefault deny\n", 1},
	{"allow connect any:\ndefault deny\n", 1},
	{"allow connect 10.0.0.0/33\ndefault deny\n", 1},
	{"allow connect 10.0.0.0/-1\ndefault deny\n", 1},
	{"allow connect ::/129\ndefault deny\n", 1},
	{"allow connect [::1\ndefault deny\n", 1},
	{"allow connect [::1]x\ndefault deny\n", 1},
	{"allow connect *example.org\ndefault deny\n", 1},
	{"allow connect *.\ndefault deny\n", 1},
	{"allow connect a..b\ndefault deny\n", 1},
	{"allow connect b\303(cher.example\ndefault deny\n", 1},
	{"allow connect xn--b\303\274cher.example\ndefault deny\n", 1},
	{"allow connect *.\303\274..example\ndefault deny\n", 1},
	{"allow connect \303\274.exam!ple\ndefault deny\n", 1},
	{"allow connect \303\274aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.org\n"
	 "default deny\n",
	 1},
	{"allow listen www.example.org:80\ndefault deny\n", 1},
	{"allow lookup 10.0.0.1\ndefault deny\n", 1},
	{"allow lookup example.org:53\ndefault deny\n", 1},
	{"allow connect any user\ndefault deny\n", 1},
	{"allow connect any user no-such-user-here\ndefault deny\n", 1},
	{"allow connect any any\ndefault deny\n", 1},
	{"allow connect any user 1 2 3 4 5 6\ndefault deny\n", 1},
};

static void wrong_lines_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].rules;
		struct lfp_reader_error err = {.line = -1};
		struct rules *rules = NULL;
		int rc = rules_parse(&rules, "rules", text, strlen(text), &err);

		if (rc != -EINVAL || err.line != cases[i].line)
			print_error("%s: %d, line %d: %s\n", text, rc, err.line, err.text);
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(err.line, cases[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_lines_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
