/* SPDX-License-Identifier: Apache-2.0 */
/* test-policy.c - RESTRICT_TO_HOSTID: which addresses a socket may have and reach */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>

#include "lfpd/policy.h"

#define HOSTID "10.0.0.1"

static struct policy policy_of(bool restricted)
{
	struct policy policy = {.restricted = restricted};

	inet_pton(AF_INET, HOSTID, &policy.hostid);
	return policy;
}

static struct sockaddr_storage address(const char *ip)
{
	struct sockaddr_storage addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;

	memset(&addr, 0, sizeof(addr));
	if (inet_pton(AF_INET, ip, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(4711);
	} else {
		assert_int_equal(inet_pton(AF_INET6, ip, &in6->sin6_addr), 1);
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(4711);
	}
	return addr;
}

static const char *text(const struct sockaddr_storage *addr)
{
	static char buf[INET6_ADDRSTRLEN];

	if (addr->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)addr)->sin_addr, buf, sizeof(buf));
	else
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)addr)->sin6_addr, buf,
			  sizeof(buf));
	return buf;
}

struct bind_case {
	int family;
	bool v6only;
	const char *asked;
	const char *got; /* NULL: EADDRNOTAVAIL */
};

static const struct bind_case binds[] = {
	{AF_INET, false, "0.0.0.0", HOSTID},
	{AF_INET, false, HOSTID, HOSTID},
	{AF_INET, false, "10.0.0.2", NULL},
	{AF_INET, false, "127.0.0.1", NULL},
	{AF_INET, false, "127.1.2.3", NULL},
	{AF_INET6, false, "::", "::ffff:" HOSTID},
	{AF_INET6, false, "::ffff:" HOSTID, "::ffff:" HOSTID},
	{AF_INET6, false, "::ffff:0.0.0.0", "::ffff:" HOSTID},
	{AF_INET6, false, "::ffff:127.0.0.1", NULL},
	{AF_INET6, false, "::1", NULL},
	{AF_INET6, false, "2001:db8::1", NULL},
	{AF_INET6, true, "::", NULL},
	{AF_INET6, true, "::ffff:" HOSTID, NULL},
	/* another family: the kernel refuses it */
	{AF_INET, false, "::1", "::1"},
	{AF_INET6, false, "127.0.0.1", "127.0.0.1"},
};

static void bind_table(void **state)
{
	struct policy restricted = policy_of(true), open = policy_of(false);

	(void)state;
	for (size_t i = 0; i < sizeof(binds) / sizeof(binds[0]); i++) {
		const struct bind_case *c = &binds[i];
		struct sockaddr_storage addr = address(c->asked), same = addr;

		assert_int_equal(policy_bind(&restricted, c->family, c->v6only, &addr),
				 c->got ? 0 : -EADDRNOTAVAIL);
		if (c->got)
			assert_string_equal(text(&addr), c->got);
		assert_int_equal(((struct sockaddr_in *)&addr)->sin_port, htons(4711));

		assert_int_equal(policy_bind(&open, c->family, c->v6only, &same), 0);
		addr = address(c->asked);
		assert_memory_equal(&same, &addr, sizeof(addr));
	}
}

struct connect_case {
	int family;
	const char *peer;
	int rc;
};

static const struct connect_case connects[] = {
	{AF_INET, "192.0.2.1", 0},
	{AF_INET, HOSTID, 0},
	{AF_INET, "0.0.0.0", 0},
	{AF_INET, "127.0.0.1", -ENETUNREACH},
	{AF_INET, "127.255.0.1", -ENETUNREACH},
	{AF_INET6, "::ffff:192.0.2.1", 0},
	{AF_INET6, "::ffff:127.0.0.1", -ENETUNREACH},
	{AF_INET6, "::1", -ENETUNREACH},
	{AF_INET6, "::", -ENETUNREACH},
	{AF_INET6, "2001:db8::1", -ENETUNREACH},
	{AF_INET6, "127.0.0.1", 0},
	{AF_INET, "::1", 0},
};

static void connect_table(void **state)
{
	struct policy restricted = policy_of(true), open = policy_of(false);

	(void)state;
	for (size_t i = 0; i < sizeof(connects) / sizeof(connects[0]); i++) {
		struct sockaddr_storage addr = address(connects[i].peer);

		assert_int_equal(policy_connect(&restricted, connects[i].family, &addr),
				 connects[i].rc);
		assert_int_equal(policy_connect(&open, connects[i].family, &addr), 0);
	}
}

static void implicit(void **state)
{
	struct policy restricted = policy_of(true), open = policy_of(false);
	struct sockaddr_storage addr;

	(void)state;
	assert_int_equal(policy_implicit(&open, AF_INET, false, &addr), 0);
	assert_int_equal(policy_implicit(&restricted, AF_INET, false, &addr),
			 sizeof(struct sockaddr_in));
	assert_string_equal(text(&addr), HOSTID);
	assert_int_equal(((struct sockaddr_in *)&addr)->sin_port, 0);
	assert_int_equal(policy_implicit(&restricted, AF_INET6, false, &addr),
			 sizeof(struct sockaddr_in6));
	assert_string_equal(text(&addr), "::ffff:" HOSTID);
	assert_int_equal(policy_implicit(&restricted, AF_INET6, true, &addr), -EADDRNOTAVAIL);
}

static void options(void **state)
{
	(void)state;
	assert_int_equal(policy_option(SOL_SOCKET, SO_REUSEADDR), 0);
	assert_int_equal(policy_option(IPPROTO_TCP, TCP_NODELAY), 0);
	assert_int_equal(policy_option(SOL_SOCKET, SO_MARK), -EPERM);
	assert_int_equal(policy_option(SOL_SOCKET, SO_RCVBUFFORCE), -EPERM);
	assert_int_equal(policy_option(SOL_SOCKET, SO_DEBUG), -EACCES);
	assert_int_equal(policy_option(IPPROTO_IP, IP_TRANSPARENT), -EPERM);
	assert_int_equal(policy_option(IPPROTO_IPV6, IPV6_TRANSPARENT), -EPERM);
	assert_int_equal(policy_option(IPPROTO_IPV6, IPV6_ADDRFORM), -ENOPROTOOPT);
	assert_int_equal(policy_option(SOL_SOCKET, SO_TIMESTAMPING), -ENOPROTOOPT);
}

static void shows(void **state)
{
	static const struct {
		const char *addr;
		bool own, any; /* with VSE_HOSTID, without */
	} cases[] = {
		{HOSTID, true, true},         {"10.0.0.2", false, true}, {"127.0.0.1", true, true},
		{"127.0.0.53", true, true},   {"::1", true, true},       {"fe80::1", false, true},
		{"2001:db8::1", false, true},
	};
	struct policy own = policy_of(false), any = {.restricted = false};
	struct sockaddr_storage addr = {.ss_family = AF_PACKET};

	(void)state;
	assert_false(policy_shows(&any, (struct sockaddr *)&addr));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		addr = address(cases[i].addr);
		assert_int_equal(policy_shows(&own, (struct sockaddr *)&addr), cases[i].own);
		assert_int_equal(policy_shows(&any, (struct sockaddr *)&addr), cases[i].any);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bind_table), cmocka_unit_test(connect_table),
		cmocka_unit_test(implicit),   cmocka_unit_test(options),
		cmocka_unit_test(shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
