/* SPDX-License-Identifier: Apache-2.0 */
/* test-publish.c - PUBLISH: right and wrong texts */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lfp/publish.h"

static struct lfp_publish_list list;
static char reason[128];

static int parse(const char *text)
{
	return lfp_publish_parse(&list, text, reason, sizeof(reason));
}

static void test_right(void **state)
{
	const struct lfp_publish *found;
	char addr[INET6_ADDRSTRLEN];

	(void)state;
	assert_int_equal(parse(""), 0);
	assert_int_equal(list.nr, 0);
	assert_int_equal(
		parse(" 8080:80\t127.0.0.1:53:5353/udp [::1]:9000-9010:90-100/tcp 1:65535"), 0);
	assert_int_equal(list.nr, 4);
	found = lfp_publish_find(&list, 80, LFP_PUBLISH_UDP);
	assert_ptr_equal(found, &list.of[0]);
	assert_int_equal(found->host, 8080);
	assert_false(found->has_addr);
	assert_null(lfp_publish_find(&list, 81, LFP_PUBLISH_TCP));
	assert_null(lfp_publish_find(&list, 5353, LFP_PUBLISH_TCP));
	found = lfp_publish_find(&list, 5353, LFP_PUBLISH_UDP);
	assert_string_equal(inet_ntop(AF_INET6, &found->addr, addr, sizeof(addr)),
			    "::ffff:127.0.0.1");
	found = lfp_publish_find(&list, 100, LFP_PUBLISH_TCP);
	assert_ptr_equal(found, &list.of[2]);
	assert_int_equal(found->count, 11);
	assert_null(lfp_publish_find(&list, 101, LFP_PUBLISH_TCP));
	assert_ptr_equal(lfp_publish_find(&list, 65535, LFP_PUBLISH_TCP), &list.of[3]);
	/* The same port, but of another protocol. */
	assert_int_equal(parse("1:80/tcp 2:80/udp"), 0);
	assert_int_equal(parse("1-65535:1-65535"), 0);
}

static void test_wrong(void **state)
{
	static const char *const texts[] = {
		"80",           ":80",           "80:",        "0:80",
		"80:0",         "80:65536",      "80:8o",      "1-2:1",
		"2-1:2-1",      "1-2:1-3",       "80:80/sctp", "80:80/",
		"host:1:1",     "::1:1:1",       "[::1:1:1",   "[::g]:1:1",
		"127.0.0.1:80", "1:1:1:1",       "1:80 2:80",  "1-3:10-12 5:11/tcp",
		"-:1",          "1-:1-",         "80 :80",     "[]:1:1",
		"/tcp",         "1.2.3.4.5:1:1", "+1:1",
	};
	char many[LFP_PUBLISH_MAX * 16] = "", one[32];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (parse(texts[i]) != -EINVAL || !*reason)
			fail_msg("%s is accepted", texts[i]);
		*reason = '\0';
	}
	for (int i = 0; i <= LFP_PUBLISH_MAX; i++) {
		snprintf(one, sizeof(one), "%d:%d ", i + 1, i + 1);
		strcat(many, one);
	}
	assert_int_equal(parse(many), -EINVAL);
	memset(many, '1', 200);
	assert_int_equal(parse(many), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
