/* SPDX-License-Identifier: Apache-2.0 */
/* test-names.c - interfaces, and the effect of z/VSE's addresses on AI_ADDRCONFIG */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "lfp/codepage.h"
#include "lfp/log.h"
#include "tests/lfpd/one-path.h"

static void start(const char *hostid, bool restricted)
{
	if (hostid) {
		host.config.has_vse_hostid = true;
		inet_pton(AF_INET, hostid, &host.config.vse_hostid);
	}
	host.config.restrict_to_hostid = restricted;
	host_start(&host);
	vse_open(&vse, &host);
}

/* The answer of GETIFADDRS. */
struct shown {
	unsigned int links, addrs;
	bool loopback, others; /* addresses */
};

/* Check a link against the kernel's; its length. */
static size_t check_link(const uint8_t *at)
{
	unsigned int index = be32_get(at);
	unsigned int hwlen = be16_get(at + 14), len = be16_get(at + 16 + hwlen);
	char name[IF_NAMESIZE], want[IF_NAMESIZE];

	assert_true(lfp_codepage_from_path(host.inst.codepage, at + 18 + hwlen, len, name,
					   sizeof(name)) > 0);
	assert_non_null(if_indextoname(index, want));
	assert_string_equal(name, want);
	return 18 + hwlen + len;
}

static void check_addr(const uint8_t *at, struct shown *shown)
{
	struct lfp_addr addr;

	assert_true(at[4] <= 128);
	assert_int_equal(lfp_addr_get(at + 5, &addr), 0);
	assert_int_equal(addr.port, 0);
	if (addr.family == LFP_AF_INET ? addr.ip[0] == 127
				       : IN6_IS_ADDR_LOOPBACK((const struct in6_addr *)addr.ip))
		shown->loopback = true;
	else
		shown->others = true;
	assert_int_equal(lfp_addr_get(at + 5 + LFP_ADDR_SIZE, &addr), 0);
	shown->addrs++;
}

static struct shown ask_interfaces(void)
{
	struct lfp_frame reply = vse_ask(&vse, (struct lfp_frame){.code = LFP_GETIFADDRS});
	const struct lfp_getifaddrs_reply *body = &reply.getifaddrs_reply;
	struct shown shown = {.links = body->links};
	size_t at = 0;

	assert_int_equal(reply.status, 0);
	for (unsigned int i = 0; i < body->links; i++)
		at += check_link(body->rest.ptr + at);
	for (; at < body->rest.len; at += 5 + 2 * LFP_ADDR_SIZE)
		check_addr(body->rest.ptr + at, &shown);
	assert_int_equal(at, body->rest.len);
	return shown;
}

/* Those of this host. */
static unsigned int count_addresses(void)
{
	struct ifaddrs *list;
	unsigned int nr = 0;

	assert_int_equal(getifaddrs(&list), 0);
	for (struct ifaddrs *at = list; at; at = at->ifa_next)
		nr += at->ifa_addr &&
		      (at->ifa_addr->sa_family == AF_INET || at->ifa_addr->sa_family == AF_INET6);
	freeifaddrs(list);
	return nr;
}

static void all_interfaces(void **state)
{
	struct shown shown;

	(void)state;
	/* VSE_HOSTID is only shown, and need not be an address of this host */
	start("192.0.2.9", false);
	/* The host's addresses may change meanwhile. */
	for (;;) {
		unsigned int before = count_addresses();

		shown = ask_interfaces();
		if (count_addresses() != before)
			continue;
		assert_int_equal(shown.addrs, before);
		break;
	}
	assert_true(shown.links >= 1);
	assert_true(shown.loopback);
	vse_close(&vse);
}

static void own_addresses_only(void **state)
{
	struct shown shown;

	(void)state;
	start("127.0.0.1", true);
	shown = ask_interfaces();
	assert_int_equal(shown.links, 1);
	assert_int_equal(shown.addrs, 1);
	assert_true(shown.loopback);
	assert_false(shown.others);
	vse_close(&vse);
}

/* Result of a look-up of a numeric name, or of none; *@families has a bit for each family. */
static int look_up(const char *node, unsigned int family, unsigned int flags,
		   unsigned int *families)
{
	struct lfp_frame frame = {.code = LFP_GETADDRINFO}, reply;
	char name[64];
	int len = lfp_codepage_to_path(host.inst.codepage, node, strlen(node), name, sizeof(name));

	*families = 0;
	frame.getaddrinfo.kind = SOCK_STREAM;
	frame.getaddrinfo.family = (uint16_t)family;
	frame.getaddrinfo.flags = flags;
	frame.getaddrinfo.given = (uint8_t)(*node ? 3 : 2);
	frame.getaddrinfo.node = (struct lfp_text){(uint8_t *)name, (uint16_t)len};
	frame.getaddrinfo.service = (struct lfp_text){(const uint8_t *)"\xf8\xf0", 2};
	reply = vse_ask(&vse, frame);
	for (uint32_t at = 0; at < reply.getaddrinfo_reply.entries.len; at += 4 + LFP_ADDR_SIZE) {
		struct lfp_addr addr;

		lfp_addr_get(reply.getaddrinfo_reply.entries.ptr + at + 4, &addr);
		*families |= addr.family == LFP_AF_INET ? 1 : 2;
	}
	return reply.getaddrinfo_reply.error;
}

static void addrconfig(void **state)
{
	unsigned int families;

	(void)state;
	start("127.0.0.1", true);
	/* z/VSE has an IPv4 address and no other */
	assert_int_equal(look_up("", 0, AI_PASSIVE, &families), 0);
	assert_int_equal(families, 3);
	assert_int_equal(look_up("", 0, AI_PASSIVE | AI_ADDRCONFIG, &families), 0);
	assert_int_equal(families, 1);
	assert_int_equal(look_up("::1", LFP_AF_INET6, AI_NUMERICHOST, &families), 0);
	assert_int_equal(families, 2);
	assert_int_equal(look_up("::1", LFP_AF_INET6, AI_NUMERICHOST | AI_ADDRCONFIG, &families),
			 EAI_NONAME);
	assert_int_equal(
		look_up("10.1.2.3", LFP_AF_INET, AI_NUMERICHOST | AI_ADDRCONFIG, &families), 0);
	assert_int_equal(look_up("10.1.2.3", LFP_AF_INET6, AI_NUMERICHOST | AI_V4MAPPED, &families),
			 0);
	assert_int_equal(families, 2);
	vse_close(&vse);
}

/* Sends messages to @path from now on. */
static void log_to(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(lfp_log_open("lfpd", LFP_LOG_FILE, path), 0);
}

static int count_lines(const char *path, const char *id)
{
	FILE *file = fopen(path, "r");
	char line[512];
	int nr = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, id) != NULL;
	fclose(file);
	return nr;
}

/* EBCDIC-US has no bracket: the call fails, the log says so once in a while, and nothing takes its
 * place. */
static void lacks_a_character(void **state)
{
	char path[] = "/tmp/test-names-XXXXXX";
	struct lfp_frame ask = {.code = LFP_GETHOSTNAME}, reply;

	(void)state;
	start(NULL, false);
	log_to(path);
	strcpy(host.inst.host_name, "lin[lfp");
	reply = vse_ask(&vse, ask);
	assert_int_equal(reply.status, EILSEQ);
	assert_int_equal(reply.gethostname_reply.name.len, 0);
	assert_int_equal(count_lines(path, "VLFD119W The name lin[lfp cannot be sent to z/VSE: "
					   "VSE_CODEPAGE EBCDIC-US lacks"),
			 1);
	assert_int_equal(vse_ask(&vse, ask).status, EILSEQ);
	assert_int_equal(count_lines(path, "VLFD119W"), 1);
	strcpy(host.inst.host_name, "linlfp");
	reply = vse_ask(&vse, ask);
	assert_int_equal(reply.status, 0);
	assert_memory_equal(reply.gethostname_reply.name.ptr, "\x93\x89\x95\x93\x86\x97", 6);
	assert_int_equal(unlink(path), 0);
	vse_close(&vse);
}

/* X'41' is nothing in EBCDIC-US. */
static void is_no_name(void **state)
{
	char path[] = "/tmp/test-names-XXXXXX";
	struct lfp_frame ask = {.code = LFP_GETADDRINFO};

	(void)state;
	start(NULL, false);
	log_to(path);
	ask.getaddrinfo.given = 1;
	ask.getaddrinfo.node = (struct lfp_text){(const uint8_t *)"\x93\x41", 2};
	assert_int_equal(vse_ask(&vse, ask).getaddrinfo_reply.error, EAI_NONAME);
	assert_int_equal(count_lines(path, "VLFD118W The name X'9341' from z/VSE is not valid in "
					   "VSE_CODEPAGE EBCDIC-US."),
			 1);
	assert_int_equal(unlink(path), 0);
	vse_close(&vse);
}

/* Look-ups beyond MAX_LOOKUPS get "try again". */
static void too_many_lookups(void **state)
{
	struct lfp_frame frame = {.code = LFP_GETIFADDRS};
	int refused = 0;

	(void)state;
	host.config.max_lookups = 2;
	start(NULL, false);
	for (int i = 0; i < 5; i++) {
		frame.request = ++vse.request;
		vse_send(&vse, &frame);
	}
	for (int i = 0; i < 5; i++)
		refused += vse_expect(&vse, LFP_GETIFADDRS | 0x80).status == ENOBUFS;
	assert_true(refused >= 1 && refused <= 3);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_interfaces),    TEST(own_addresses_only), TEST(addrconfig),
		TEST(lacks_a_character), TEST(is_no_name),         TEST(too_many_lookups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
