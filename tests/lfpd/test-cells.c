/* SPDX-License-Identifier: Apache-2.0 */
/* test-cells.c - RESTRICT_TO_HOSTID, one test a cell: the program's call, its result, the peer's
 * view */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/sockopt.h"
#include "tests/lfpd/network.h"
#include "tests/lfpd/vse.h"

/*
 * In a network namespace of our own: vse0 carries VSE_HOSTID and VSE_HOSTID6, vse1 other addresses.
 * The calls of a cell are made through lfpd. Without restriction they are also made natively, and
 * the results must be equal.
 */

#define PATIENCE_NS UINT64_C(60000000000)
#define GROUP       "239.1.2.3"
#define GROUP6      "ff15::77"

enum op { OP_BIND, OP_CONNECT, OP_SENDTO, OP_JOIN, NR_OPS };
enum kind { INET, MAPPED, INET6, NR_KINDS };
enum where { WILDCARD, HOSTID, OTHER, LOOPBACK, NR_WHERES };
enum rule { OPEN, CONFINED, WITH_LOOPBACK, WITHOUT_HOSTID6 };

static const char *const op_names[] = {"bind", "connect", "sendto", "join"};
static const char *const kind_names[] = {"IPv4", "mapped", "IPv6"};
static const char *const where_names[] = {"wildcard", "host id", "other local", "loopback"};
static const char *const rule_names[] = {"no", "yes", "yes, ALLOW_LOOPBACK", "yes, no VSE_HOSTID6"};

static const char *const addresses[NR_KINDS][NR_WHERES] = {
	{"0.0.0.0", "10.0.0.1", "10.0.1.1", "127.0.0.1"},
	{"::ffff:0.0.0.0", "::ffff:10.0.0.1", "::ffff:10.0.1.1", "::ffff:127.0.0.1"},
	{"::", "fd00::1", "fd00:1::1", "::1"},
};

struct cell {
	char name[80];
	enum rule rule;
	enum op op;
	enum kind kind;
	enum where where;
	/* expected, not for OPEN */
	int error;
	const char *local; /* where the socket is bound; of a join the interface */
};

/* The result. */
struct result {
	int error;
	char local[INET6_ADDRSTRLEN];
	char seen[INET6_ADDRSTRLEN]; /* the peer that the other side sees; "" for none */
};

static struct host host;
static struct vse vse;
static int tcp, udp; /* the other side, at all addresses */
static int accepted = -1;
static uint64_t id; /* of the cell's socket */
static unsigned int tcp_port, udp_port;

static void wait_for_peer(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	uint64_t limit = uv_hrtime() + PATIENCE_NS;

	while (poll(&pfd, 1, 1) == 0) {
		host_turn(&host);
		if (uv_hrtime() > limit)
			fail_msg("nothing came");
	}
}

static void see_connection(struct result *result)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	wait_for_peer(tcp);
	accepted = accept(tcp, (struct sockaddr *)&addr, &len);
	assert_true(accepted >= 0);
	network_text(result->seen, &addr);
}

static void end_connection(void)
{
	if (accepted >= 0)
		close(accepted);
	accepted = -1;
}

static void see_datagram(struct result *result)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	char byte;

	wait_for_peer(udp);
	assert_int_equal(recvfrom(udp, &byte, 1, 0, (struct sockaddr *)&addr, &len), 1);
	network_text(result->seen, &addr);
}

/* Which interface has the group? */
static void see_group(enum kind kind, struct result *result)
{
	FILE *file = fopen(kind == INET6 ? "/proc/net/igmp6" : "/proc/net/igmp", "r");
	char line[256], device[IF_NAMESIZE] = "", first[64], second[64];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (kind == INET6 && sscanf(line, "%*u %15s %63s", device, first) == 2) {
			if (!strcmp(first, "ff150000000000000000000000000077"))
				strcpy(result->local, device);
		} else if (kind != INET6 && *line != '\t') {
			sscanf(line, "%*u %15[^ \t:]", device);
		} else if (kind != INET6 && sscanf(line, " %63s %63s", first, second) == 2 &&
			   !strcmp(first, "030201EF")) {
			strcpy(result->local, device);
		}
	}
	fclose(file);
}

static int family_of(const struct cell *cell)
{
	return cell->kind == INET ? AF_INET : AF_INET6;
}

/* The option that joins, its value; returns the value's length. */
static size_t join_value(const struct cell *cell, int *level, int *name, uint8_t value[static 20])
{
	static const char *const devices[] = {NULL, "vse0", "vse1", "lo"};
	struct ipv6_mreq mreq6 = {.ipv6mr_interface = 0};
	struct ip_mreq mreq;

	if (cell->kind == INET6) {
		*level = IPPROTO_IPV6;
		*name = IPV6_JOIN_GROUP;
		inet_pton(AF_INET6, GROUP6, &mreq6.ipv6mr_multiaddr);
		if (devices[cell->where])
			mreq6.ipv6mr_interface = if_nametoindex(devices[cell->where]);
		memcpy(value, &mreq6, sizeof(mreq6));
		return sizeof(mreq6);
	}
	*level = IPPROTO_IP;
	*name = IP_ADD_MEMBERSHIP;
	inet_pton(AF_INET, GROUP, &mreq.imr_multiaddr);
	inet_pton(AF_INET, addresses[INET][cell->where], &mreq.imr_interface);
	memcpy(value, &mreq, sizeof(mreq));
	return sizeof(mreq);
}

static int lfp_connect(const struct lfp_addr *peer)
{
	int status = vse_connect_to(&vse, id, peer);

	return status == EINPROGRESS ? vse_expect(&vse, LFP_CONNECTED).status : status;
}

static int lfp_send(const struct lfp_addr *peer)
{
	struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = id};

	frame.datagram.total = 1;
	frame.datagram.addr = *peer;
	frame.datagram.payload = (struct lfp_bytes){(const uint8_t *)"x", 1};
	vse_send(&vse, &frame);
	return vse_ask(&vse, (struct lfp_frame){.code = LFP_SENT, .sock = id}).status;
}

static int lfp_join(const struct cell *cell)
{
	struct lfp_frame frame = {.code = LFP_SETSOCKOPT, .sock = id};
	uint8_t value[20];
	int level, name;
	size_t len = join_value(cell, &level, &name, value);

	lfp_opt_to_wire(level, name, value, len);
	frame.setsockopt.level = level;
	frame.setsockopt.name = name;
	frame.setsockopt.value = (struct lfp_bytes){value, (uint32_t)len};
	return vse_ask(&vse, frame).status;
}

static void run_lfp(const struct cell *cell, struct result *result)
{
	bool datagram = cell->op == OP_SENDTO || cell->op == OP_JOIN;
	struct lfp_addr addr = vse_addr(addresses[cell->kind][cell->where], 0);
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = ++id, .task = 1};
	struct sockaddr_storage local;

	frame.socket.family = cell->kind == INET ? LFP_AF_INET : LFP_AF_INET6;
	frame.socket.kind = datagram ? 2 : 1;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	switch (cell->op) {
	case OP_BIND:
		frame = (struct lfp_frame){.code = LFP_BIND, .sock = id, .bind.local = addr};
		result->error = vse_ask(&vse, frame).status;
		break;
	case OP_CONNECT:
		addr.port = (uint16_t)tcp_port;
		result->error = lfp_connect(&addr);
		if (!result->error)
			see_connection(result);
		break;
	case OP_SENDTO:
		addr.port = (uint16_t)udp_port;
		result->error = lfp_send(&addr);
		if (!result->error)
			see_datagram(result);
		break;
	case OP_JOIN:
	case NR_OPS:
		result->error = lfp_join(cell);
		see_group(cell->kind, result);
		return;
	}
	frame = (struct lfp_frame){.code = LFP_GETSOCKNAME, .sock = id};
	addr = vse_ask(&vse, frame).name.addr;
	lfp_addr_to(&addr, &local);
	network_text(result->local, &local);
}

static void run_native(const struct cell *cell, struct result *result)
{
	bool datagram = cell->op == OP_SENDTO || cell->op == OP_JOIN;
	struct lfp_addr addr = vse_addr(addresses[cell->kind][cell->where], 0);
	int fd = socket(family_of(cell), (datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	struct sockaddr_storage sa;
	uint8_t value[20];
	socklen_t len;
	int level, name, rc = 0;

	assert_true(fd >= 0);
	addr.port = (uint16_t)(cell->op == OP_CONNECT  ? tcp_port
			       : cell->op == OP_SENDTO ? udp_port
						       : 0);
	len = lfp_addr_to(&addr, &sa);
	switch (cell->op) {
	case OP_BIND:
		rc = bind(fd, (struct sockaddr *)&sa, len);
		break;
	case OP_CONNECT:
		rc = connect(fd, (struct sockaddr *)&sa, len);
		if (!rc)
			see_connection(result);
		break;
	case OP_SENDTO:
		rc = sendto(fd, "x", 1, 0, (struct sockaddr *)&sa, len) < 0;
		if (!rc)
			see_datagram(result);
		break;
	case OP_JOIN:
	case NR_OPS:
		len = (socklen_t)join_value(cell, &level, &name, value);
		rc = setsockopt(fd, level, name, value, len);
		break;
	}
	result->error = rc ? errno : 0;
	if (cell->op == OP_JOIN) {
		see_group(cell->kind, result);
	} else {
		len = sizeof(sa);
		assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
		network_text(result->local, &sa);
	}
	close(fd);
}

static int start(enum rule rule)
{
	host_init(&host);
	host.config.has_vse_hostid = true;
	host.config.restrict_to_hostid = rule != OPEN;
	host.config.allow_loopback = rule == WITH_LOOPBACK;
	inet_pton(AF_INET, addresses[INET][HOSTID], &host.config.vse_hostid);
	if (rule != WITHOUT_HOSTID6)
		inet_pton(AF_INET6, addresses[INET6][HOSTID], &host.config.vse_hostid6);
	host_start(&host);
	vse_open(&vse, &host);
	id = 0;
	return 0;
}

static int start_open(void **state)
{
	(void)state;
	return start(OPEN);
}

static int start_confined(void **state)
{
	(void)state;
	return start(CONFINED);
}

static int start_with_loopback(void **state)
{
	(void)state;
	return start(WITH_LOOPBACK);
}

static int start_without_hostid6(void **state)
{
	(void)state;
	return start(WITHOUT_HOSTID6);
}

static int stop(void **state)
{
	(void)state;
	vse_close(&vse);
	host_stop(&host);
	return 0;
}

static void run_cell(void **state)
{
	const struct cell *cell = *state;
	struct result native = {.error = 0}, got = {.error = 0};
	const char *seen = cell->local;

	if (cell->rule == OPEN)
		run_native(cell, &native);
	end_connection();
	run_lfp(cell, &got);
	assert_int_equal(vse_close_socket(&vse, id, 1, 0), 0);
	end_connection();
	if (cell->rule == OPEN) {
		assert_int_equal(got.error, native.error);
		assert_string_equal(got.local, native.local);
		assert_string_equal(got.seen, native.seen);
		return;
	}
	assert_int_equal(got.error, cell->error);
	if (cell->error || cell->op == OP_BIND || cell->op == OP_JOIN)
		seen = "";
	assert_string_equal(got.seen, seen);
	/* A failed socket has no name, or the wildcard. */
	if (!cell->error)
		assert_string_equal(got.local, cell->local);
	else
		assert_true(!*got.local || !strcmp(got.local, "0.0.0.0") ||
			    !strcmp(got.local, "::"));
}

#define H4 "10.0.0.1"
#define H6 "fd00::1"
#define NA EADDRNOTAVAIL
#define NU ENETUNREACH
#define ND ENODEV

/* With RESTRICT_TO_HOSTID and VSE_HOSTID6, by wildcard, host id, other local, loopback. */
struct expected {
	int error;
	const char *local;
};
static const struct expected confined[NR_OPS][NR_KINDS][NR_WHERES] = {
	{{{0, H4}, {0, H4}, {NA, ""}, {NA, ""}}, /* bind */
	 {{0, H4}, {0, H4}, {NA, ""}, {NA, ""}},
	 {{0, H6}, {0, H6}, {NA, ""}, {NA, ""}}},
	{{{0, H4}, {0, H4}, {0, H4}, {NU, ""}}, /* connect */
	 {{0, H4}, {0, H4}, {0, H4}, {NU, ""}},
	 {{0, H6}, {0, H6}, {0, H6}, {NU, ""}}},
	{{{0, H4}, {0, H4}, {0, H4}, {NU, ""}}, /* sendto */
	 {{0, H4}, {0, H4}, {0, H4}, {NU, ""}},
	 {{0, H6}, {0, H6}, {0, H6}, {NU, ""}}},
	{{{0, "vse0"}, {0, "vse0"}, {ND, ""}, {ND, ""}}, /* join */
	 {{0, "vse0"}, {0, "vse0"}, {ND, ""}, {ND, ""}},
	 {{0, "vse0"}, {0, "vse0"}, {ND, ""}, {ND, ""}}},
};
/* With ALLOW_LOOPBACK the last column is another. */
static const struct expected loopback[NR_OPS][NR_KINDS] = {
	{{0, "127.0.0.1"}, {0, "127.0.0.1"}, {0, "::1"}},
	{{0, H4}, {0, H4}, {0, H6}},
	{{0, H4}, {0, H4}, {0, H6}},
	{{0, "lo"}, {0, "lo"}, {0, "lo"}},
};
/* Without VSE_HOSTID6 an IPv6 socket has the mapped address only. */
static const struct expected without_hostid6[NR_OPS][NR_WHERES] = {
	{{0, H4}, {NA, ""}, {NA, ""}, {NA, ""}},
	{{0, H4}, {NU, ""}, {NU, ""}, {NU, ""}},
	{{0, H4}, {NU, ""}, {NU, ""}, {NU, ""}},
	{{0, "vse0"}, {0, "vse0"}, {ND, ""}, {ND, ""}},
};

static const struct expected *find_expected(const struct cell *cell)
{
	if (cell->rule == WITH_LOOPBACK && cell->where == LOOPBACK)
		return &loopback[cell->op][cell->kind];
	if (cell->rule == WITHOUT_HOSTID6 && cell->kind == INET6)
		return &without_hostid6[cell->op][cell->where];
	return &confined[cell->op][cell->kind][cell->where];
}

#define NR_CELLS (4 * NR_OPS * NR_KINDS * NR_WHERES)

static struct cell cells[NR_CELLS];

static size_t make_cells(void)
{
	size_t nr = 0;

	for (int rule = OPEN; rule <= (int)WITHOUT_HOSTID6; rule++) {
		for (int i = 0; i < (int)NR_OPS * NR_KINDS * NR_WHERES; i++) {
			struct cell *cell = &cells[nr++];
			const struct expected *expected;

			cell->rule = (enum rule)rule;
			cell->op = (enum op)(i / (NR_KINDS * NR_WHERES));
			cell->kind = (enum kind)(i / NR_WHERES % NR_KINDS);
			cell->where = (enum where)(i % NR_WHERES);
			snprintf(cell->name, sizeof(cell->name), "%s: %s %s %s", rule_names[rule],
				 op_names[cell->op], kind_names[cell->kind],
				 where_names[cell->where]);
			expected = find_expected(cell);
			cell->error = expected->error;
			cell->local = expected->local;
		}
	}
	return nr;
}

int main(void)
{
	static const CMFixtureFunction starts[] = {start_open, start_confined, start_with_loopback,
						   start_without_hostid6};
	static struct CMUnitTest tests[NR_CELLS];
	size_t nr = make_cells(), each = nr / 4;
	int failed = 0;

	if (network_own()) {
		printf("skipped: no network namespace: %s\n", strerror(errno));
		return 77;
	}
	if (network_make()) {
		puts("skipped: no veth interfaces with IPv4 and IPv6 addresses here");
		return 77;
	}
	tcp = network_peer(SOCK_STREAM, &tcp_port);
	udp = network_peer(SOCK_DGRAM, &udp_port);
	if (tcp < 0 || udp < 0) {
		printf("skipped: no IPv6: %s\n", strerror(errno));
		return 77;
	}
	for (size_t i = 0; i < nr; i++)
		tests[i] = (struct CMUnitTest){
			.name = cells[i].name, .test_func = run_cell, .initial_state = &cells[i]};
	for (size_t rule = 0; rule < 4; rule++)
		failed += _cmocka_run_group_tests(rule_names[rule], tests + rule * each, each,
						  starts[rule], stop);
	return failed ? 1 : 0;
}
