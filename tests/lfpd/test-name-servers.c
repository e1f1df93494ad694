/* SPDX-License-Identifier: Apache-2.0 */
/* test-name-servers.c - the name servers of the host, if the list can't be read for a while */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lfpd/policy/name-servers.h"

static struct name_servers servers;
static const struct in6_addr none = {.s6_addr = {0xfd, [15] = 1}};

/* Nothing can be opened between a call with 0 and one with 1. */
static void allow_open(bool allowed)
{
	static struct rlimit before;
	struct rlimit limit;

	if (allowed) {
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		return;
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void a_failed_read_is_tried_again(void **state)
{
	(void)state;
	if (access("/etc/resolv.conf", R_OK) < 0)
		skip();
	memset(&servers, 0, sizeof(servers));
	allow_open(false);
	name_servers_has(&servers, 5000, &none, 53);
	allow_open(true);
	assert_int_equal(servers.nr, 0);
	/* Not within the second. */
	name_servers_has(&servers, 5500, &none, 53);
	assert_int_equal(servers.nr, 0);
	name_servers_has(&servers, 6000, &none, 53);
	assert_int_not_equal(servers.nr, 0);
}

static void a_failed_read_forgets_nothing(void **state)
{
	unsigned int nr;

	(void)state;
	if (access("/etc/resolv.conf", R_OK) < 0)
		skip();
	memset(&servers, 0, sizeof(servers));
	name_servers_has(&servers, 5000, &none, 53);
	nr = servers.nr;
	assert_int_not_equal(nr, 0);
	servers.file.st_size++; /* as if the file had changed */
	allow_open(false);
	assert_true(name_servers_has(&servers, 7000, &servers.of[0].addr, servers.of[0].port));
	allow_open(true);
	assert_int_equal(servers.nr, nr);
}

static void a_link_local_server_is_covered_and_does_not_count(void **state)
{
	const struct in6_addr link = {.s6_addr = {0xfe, 0x80, [15] = 53}};

	(void)state;
	memset(&servers, 0, sizeof(servers));
	name_servers_has(&servers, 5000, &none, 53);
	servers.nr = 1;
	servers.of[0].addr = link;
	servers.of[0].port = 53;
	assert_false(name_servers_has(&servers, 5001, &link, 53));
	assert_true(name_servers_covers(&servers, 5001, &link, 53));
	assert_true(name_servers_covers(&servers, 5001, &in6addr_any, 53));
	assert_false(name_servers_covers(&servers, 5001, &link, 54));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failed_read_is_tried_again),
		cmocka_unit_test(a_failed_read_forgets_nothing),
		cmocka_unit_test(a_link_local_server_is_covered_and_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
