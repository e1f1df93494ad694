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

#include "lfpd/policy/policy.h"

#define HOSTID  "10.0.0.1"
#define HOSTID6 "2001:db8::1"

/* Of which kind it is. */
enum rule { OPEN, CONFINED, WITH_HOSTID6, WITH_LOOPBACK };

static struct policy policy_of(enum rule rule)
{
	struct policy policy = {.restricted = rule != OPEN, .loopback = rule == WITH_LOOPBACK};

	inet_pton(AF_INET, HOSTID, &policy.hostid);
	if (rule >= WITH_HOSTID6)
		inet_pton(AF_INET6, HOSTID6, &policy.hostid6);
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

/* Each row names the address that replaces a wildcard; NULL: an error. */
struct addr_case {
	enum rule rule;
	struct policy_socket sock;
	const char *asked;
	const char *got;
};

#define V4                                                                                         \
	{                                                                                          \
		.family = AF_INET                                                                  \
	}
#define V6                                                                                         \
	{                                                                                          \
		.family = AF_INET6                                                                 \
	}
#define V6ONLY                                                                                     \
	{                                                                                          \
		.family = AF_INET6, .v6only = true                                                 \
	}
#define UDP4                                                                                       \
	{                                                                                          \
		.family = AF_INET, .datagram = true                                                \
	}
#define UDP6                                                                                       \
	{                                                                                          \
		.family = AF_INET6, .datagram = true                                               \
	}
#define AS4                                                                                        \
	{                                                                                          \
		.family = AF_INET6, .datagram = true, .local = POLICY_INET                         \
	}
#define AS6                                                                                        \
	{                                                                                          \
		.family = AF_INET6, .datagram = true, .local = POLICY_INET6                        \
	}
#define MAPPED "::ffff:" HOSTID

static const struct addr_case binds[] = {
	{CONFINED, V4, "0.0.0.0", HOSTID},
	{CONFINED, V4, HOSTID, HOSTID},
	{CONFINED, V4, "10.0.0.2", NULL},
	{CONFINED, V4, "127.0.0.1", NULL},
	{CONFINED, V4, "127.1.2.3", NULL},
	{CONFINED, V6, "::", MAPPED},
	{CONFINED, V6, MAPPED, MAPPED},
	{CONFINED, V6, "::ffff:0.0.0.0", MAPPED},
	{CONFINED, V6, "::ffff:127.0.0.1", NULL},
	{CONFINED, V6, "::1", NULL},
	{CONFINED, V6, HOSTID6, NULL},
	{CONFINED, V6ONLY, "::", NULL},
	{CONFINED, V6ONLY, MAPPED, MAPPED}, /* the kernel refuses it */
	/* groups are for datagrams */
	{CONFINED, V4, "224.0.0.1", NULL},
	{CONFINED, UDP4, "224.0.0.1", "224.0.0.1"},
	{CONFINED, UDP4, "255.255.255.255", "255.255.255.255"},
	{CONFINED, UDP4, "10.0.0.255", NULL},
	{CONFINED, V6, "ff02::1", NULL},
	{CONFINED, UDP6, "ff02::1", "ff02::1"},
	{CONFINED, UDP6, "::ffff:224.0.0.1", "::ffff:224.0.0.1"},
	/* another family: the kernel refuses it */
	{CONFINED, V4, "::1", "::1"},
	{CONFINED, V6, "127.0.0.1", "127.0.0.1"},

	{WITH_HOSTID6, V6, "::", HOSTID6},
	{WITH_HOSTID6, V6ONLY, "::", HOSTID6},
	{WITH_HOSTID6, V6, HOSTID6, HOSTID6},
	{WITH_HOSTID6, V6, MAPPED, MAPPED},
	{WITH_HOSTID6, V6, "2001:db8::2", NULL},
	{WITH_HOSTID6, V6, "fe80::1", NULL},
	{WITH_HOSTID6, V6, "::1", NULL},

	{WITH_LOOPBACK, V4, "127.0.0.1", "127.0.0.1"},
	{WITH_LOOPBACK, V4, "127.1.2.3", "127.1.2.3"},
	{WITH_LOOPBACK, V6, "::1", "::1"},
	{WITH_LOOPBACK, V6, "::ffff:127.0.0.1", "::ffff:127.0.0.1"},
	{WITH_LOOPBACK, V4, "0.0.0.0", HOSTID},
	{WITH_LOOPBACK, V4, "10.0.0.2", NULL},
};

static const struct addr_case reaches[] = {
	{CONFINED, V4, "192.0.2.1", "192.0.2.1"},
	{CONFINED, V4, HOSTID, HOSTID},
	{CONFINED, V4, "0.0.0.0", HOSTID},
	{CONFINED, V4, "127.0.0.1", NULL},
	{CONFINED, V4, "127.255.0.1", NULL},
	{CONFINED, V4, "224.0.0.1", "224.0.0.1"},
	{CONFINED, V6, "::ffff:192.0.2.1", "::ffff:192.0.2.1"},
	{CONFINED, V6, "::ffff:127.0.0.1", NULL},
	{CONFINED, V6, "::1", NULL},
	{CONFINED, V6, "::", MAPPED},
	{CONFINED, V6, "2001:db8::9", NULL},
	/* a datagram socket of IPv6 takes addresses of IPv4 */
	{CONFINED, UDP6, "127.0.0.1", NULL},
	{CONFINED, UDP6, "192.0.2.1", "192.0.2.1"},
	{CONFINED, V4, "::1", "::1"},

	{WITH_HOSTID6, V6, "::", HOSTID6},
	{WITH_HOSTID6, V6, "2001:db8::9", "2001:db8::9"},
	{WITH_HOSTID6, V6, "ff02::1", "ff02::1"},
	{WITH_HOSTID6, V6, "::1", NULL},
	{WITH_HOSTID6, AS4, "::", MAPPED},
	{WITH_HOSTID6, AS6, "::", HOSTID6},
	/* it would leave from an address that the kernel chooses */
	{WITH_HOSTID6, AS6, "::ffff:192.0.2.1", NULL},
	{WITH_HOSTID6, AS6, "192.0.2.1", NULL},

	{WITH_LOOPBACK, V4, "127.0.0.1", "127.0.0.1"},
	{WITH_LOOPBACK, V6, "::1", "::1"},
	{WITH_LOOPBACK, V6, "::ffff:127.0.0.1", "::ffff:127.0.0.1"},
};

typedef int (*addr_function)(const struct policy *policy, const struct policy_socket *sock,
			     struct sockaddr_storage *addr);

static void run_table(const struct addr_case *table, size_t nr, addr_function function, int error)
{
	struct policy open = policy_of(OPEN);

	for (size_t i = 0; i < nr; i++) {
		const struct addr_case *c = &table[i];
		struct policy policy = policy_of(c->rule);
		struct sockaddr_storage addr = address(c->asked), same = addr;
		int rc = function(&policy, &c->sock, &addr);

		if (rc != (c->got ? 0 : error) || (c->got && strcmp(text(&addr), c->got)))
			fail_msg("case %zu, %s: %d, %s", i, c->asked, rc, text(&addr));
		assert_int_equal(((struct sockaddr_in *)&addr)->sin_port, htons(4711));

		assert_int_equal(function(&open, &c->sock, &same), 0);
		addr = address(c->asked);
		assert_memory_equal(&same, &addr, sizeof(addr));
	}
}

static void bind_table(void **state)
{
	(void)state;
	run_table(binds, sizeof(binds) / sizeof(binds[0]), policy_bind, -EADDRNOTAVAIL);
}

static void reach_table(void **state)
{
	(void)state;
	run_table(reaches, sizeof(reaches) / sizeof(reaches[0]), policy_reach, -ENETUNREACH);
}

/* Where an unbound socket is bound that goes to @asked; "" listens. */
static const struct addr_case implicits[] = {
	{CONFINED, V4, "", HOSTID},
	{CONFINED, V4, "192.0.2.1", HOSTID},
	{CONFINED, V6, "", MAPPED},
	{CONFINED, V6, "::ffff:192.0.2.1", MAPPED},
	{CONFINED, V6ONLY, "", NULL},
	{WITH_HOSTID6, V6, "", HOSTID6},
	{WITH_HOSTID6, V6ONLY, "", HOSTID6},
	{WITH_HOSTID6, V6, "2001:db8::9", HOSTID6},
	{WITH_HOSTID6, V6, "ff02::1", HOSTID6},
	{WITH_HOSTID6, V6, "::ffff:192.0.2.1", MAPPED},
	{WITH_HOSTID6, V6, "::ffff:224.0.0.1", MAPPED},
	{WITH_HOSTID6, UDP6, "192.0.2.1", MAPPED},
	{WITH_LOOPBACK, V4, "127.0.0.1", HOSTID},
};

static void implicit(void **state)
{
	struct policy open = policy_of(OPEN);
	struct sockaddr_storage addr;

	(void)state;
	assert_int_equal(policy_implicit(&open, &implicits[0].sock, NULL, &addr), 0);
	for (size_t i = 0; i < sizeof(implicits) / sizeof(implicits[0]); i++) {
		const struct addr_case *c = &implicits[i];
		struct policy policy = policy_of(c->rule);
		struct sockaddr_storage to;
		int len, want = c->sock.family == AF_INET ? (int)sizeof(struct sockaddr_in)
							  : (int)sizeof(struct sockaddr_in6);

		if (*c->asked)
			to = address(c->asked);
		len = policy_implicit(&policy, &c->sock, *c->asked ? &to : NULL, &addr);
		assert_int_equal(len, c->got ? want : -EADDRNOTAVAIL);
		if (c->got)
			assert_string_equal(text(&addr), c->got);
		assert_int_equal(((struct sockaddr_in *)&addr)->sin_port, 0);
	}
}

static void sources(void **state)
{
	static const struct {
		enum rule rule;
		const char *addr;
		bool may;
	} cases[] = {
		{OPEN, "192.0.2.1", true},      {CONFINED, HOSTID, true},
		{CONFINED, "0.0.0.0", true},    {CONFINED, "127.0.0.1", false},
		{CONFINED, "10.0.0.2", false},  {CONFINED, "::", true},
		{CONFINED, HOSTID6, false},     {CONFINED, MAPPED, true},
		{WITH_HOSTID6, HOSTID6, true},  {WITH_HOSTID6, "::1", false},
		{WITH_LOOPBACK, "::1", true},   {WITH_LOOPBACK, "127.0.0.1", true},
		{CONFINED, "224.0.0.1", false}, {WITH_HOSTID6, "ff02::1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct policy policy = policy_of(cases[i].rule);
		struct sockaddr_storage addr = address(cases[i].addr);

		assert_int_equal(policy_source(&policy, &addr), cases[i].may);
	}
}

static void locals(void **state)
{
	static const struct {
		const char *addr;
		enum policy_local local;
	} cases[] = {
		{HOSTID, POLICY_INET},
		{MAPPED, POLICY_INET},
		{HOSTID6, POLICY_INET6},
		{"224.0.0.1", POLICY_GROUP},
		{"ff02::1", POLICY_GROUP},
		{"::ffff:224.0.0.1", POLICY_GROUP},
		{"255.255.255.255", POLICY_GROUP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sockaddr_storage addr = address(cases[i].addr);

		assert_int_equal(policy_local(&addr), cases[i].local);
	}
}

static void options(void **state)
{
	struct policy policy = policy_of(OPEN);

	(void)state;
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_BINDTODEVICE), 0);
	strcpy(policy.interface, "eth0");
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_BINDTODEVICE), -EPERM);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_BINDTOIFINDEX), -EPERM);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_REUSEADDR), 0);
	assert_int_equal(policy_option(&policy, IPPROTO_TCP, TCP_NODELAY), 0);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_MARK), -EPERM);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_RCVBUFFORCE), -EPERM);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_DEBUG), -EACCES);
	assert_int_equal(policy_option(&policy, IPPROTO_IP, IP_TRANSPARENT), -EPERM);
	assert_int_equal(policy_option(&policy, IPPROTO_IPV6, IPV6_TRANSPARENT), -EPERM);
	assert_int_equal(policy_option(&policy, IPPROTO_IPV6, IPV6_ADDRFORM), -ENOPROTOOPT);
	assert_int_equal(policy_option(&policy, IPPROTO_IPV6, IPV6_JOIN_ANYCAST), -EPERM);
	assert_int_equal(policy_option(&policy, SOL_SOCKET, SO_TIMESTAMPING), -ENOPROTOOPT);
}

static void shows(void **state)
{
	static const struct {
		const char *addr;
		bool shown[4]; /* by rule */
	} cases[] = {
		{HOSTID, {true, true, true, true}},
		{"10.0.0.2", {true, false, false, false}},
		{"127.0.0.1", {true, false, false, true}},
		{"127.0.0.53", {true, false, false, true}},
		{"::1", {true, false, false, true}},
		{"fe80::1", {true, false, false, false}},
		{HOSTID6, {true, false, true, true}},
	};
	struct sockaddr_storage addr = {.ss_family = AF_PACKET};

	(void)state;
	for (int rule = OPEN; rule <= (int)WITH_LOOPBACK; rule++) {
		struct policy policy = policy_of((enum rule)rule);

		addr.ss_family = AF_PACKET;
		assert_false(policy_shows(&policy, (struct sockaddr *)&addr));
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			addr = address(cases[i].addr);
			assert_int_equal(policy_shows(&policy, (struct sockaddr *)&addr),
					 cases[i].shown[rule]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bind_table), cmocka_unit_test(reach_table),
		cmocka_unit_test(implicit),   cmocka_unit_test(sources),
		cmocka_unit_test(locals),     cmocka_unit_test(options),
		cmocka_unit_test(shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
