/* SPDX-License-Identifier: Apache-2.0 */
/* test-endpoint.c - where something may listen: for this host alone */
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/un.h>

#include <cmocka.h>

#include "lfp/endpoint.h"

static void good(void **state)
{
	struct sockaddr_storage addr, other;
	socklen_t len;

	(void)state;
	assert_int_equal(lfp_endpoint("/run/metrics", &addr, &len), 0);
	assert_int_equal(addr.ss_family, AF_UNIX);
	assert_string_equal(((struct sockaddr_un *)&addr)->sun_path, "/run/metrics");
	assert_int_equal(lfp_endpoint("127.0.0.1:9100", &addr, &len), 0);
	assert_int_equal(addr.ss_family, AF_INET);
	assert_int_equal(ntohs(((struct sockaddr_in *)&addr)->sin_port), 9100);
	assert_int_equal(len, sizeof(struct sockaddr_in));
	assert_int_equal(lfp_endpoint("9100", &other, &len), 0);
	assert_memory_equal(&addr, &other, sizeof(addr));
	assert_int_equal(lfp_endpoint("127.3.2.1:1", &addr, &len), 0);
	assert_int_equal(lfp_endpoint("[::1]:65535", &addr, &len), 0);
	assert_int_equal(addr.ss_family, AF_INET6);
	assert_int_equal(len, sizeof(struct sockaddr_in6));
}

static void bad(void **state)
{
	static const char *const texts[] = {"",
					    "0",
					    "65536",
					    "-1",
					    "9100 ",
					    "9100x",
					    ":9100",
					    "127.0.0.1",
					    "127.0.0.1:",
					    "127.0.0.1:0",
					    "127.0.0.1:65536",
					    "0.0.0.0:9100",
					    "10.0.0.1:9100",
					    "[::]:9100",
					    "::1:9100",
					    "[::1]",
					    "localhost:9100",
					    "run/metrics",
					    "127.0.0.1: 9100"};
	char path[120];
	struct sockaddr_storage addr;
	socklen_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (lfp_endpoint(texts[i], &addr, &len) != -EINVAL)
			fail_msg("'%s' was taken", texts[i]);
	memset(path, '/', sizeof(path));
	path[108] = '\0';
	assert_int_equal(lfp_endpoint(path, &addr, &len), -EINVAL);
	path[107] = '\0';
	assert_int_equal(lfp_endpoint(path, &addr, &len), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
