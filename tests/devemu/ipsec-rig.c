/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec-rig.c - packets and SAs for the tests of IPSec */
#include "tests/devemu/ipsec-rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"

size_t rig_hex(uint8_t *out, const char *text)
{
	size_t nr = 0;

	for (; *text; text++) {
		char digits[3] = {text[0], text[1], 0};

		if (*text == ' ')
			continue;
		out[nr++] = (uint8_t)strtoul(digits, NULL, 16);
		text++;
	}
	return nr;
}

static const struct {
	const char *name;
	enum encr encr;
	unsigned int keylen;
	enum auth auth;
} kinds[] = {
	{"cbc128-sha1", ENCR_AES_CBC, 16, AUTH_SHA1_96},
	{"cbc192-sha1", ENCR_AES_CBC, 24, AUTH_SHA1_96},
	{"cbc256-sha2", ENCR_AES_CBC, 32, AUTH_SHA2_128},
	{"cbc128-md5", ENCR_AES_CBC, 16, AUTH_MD5_96},
	{"3des-sha1", ENCR_3DES_CBC, 24, AUTH_SHA1_96},
	{"gcm128", ENCR_AES_GCM, 16, AUTH_NONE},
	{"gcm256", ENCR_AES_GCM, 32, AUTH_NONE},
	{"null-sha1", ENCR_NULL, 0, AUTH_SHA1_96},
	{"null-sha2", ENCR_NULL, 0, AUTH_SHA2_128},
	{"ah-sha1", ENCR_NONE, 0, AUTH_SHA1_96},
	{"ah-sha2", ENCR_NONE, 0, AUTH_SHA2_128},
	{"ah-md5", ENCR_NONE, 0, AUTH_MD5_96},
};

const char *const rig_names[] = {
	"cbc128-sha1", "cbc192-sha1", "cbc256-sha2", "cbc128-md5", "3des-sha1", "gcm128", "gcm256",
	"null-sha1",   "null-sha2",   "ah-sha1",     "ah-sha2",    "ah-md5",    NULL};

struct algorithms rig_algorithms(const char *name)
{
	struct algorithms made = {0};
	size_t i = 0;

	while (strcmp(kinds[i].name, name))
		i++;
	made.encr = kinds[i].encr;
	made.auth = kinds[i].auth;
	made.keylen = kinds[i].keylen;
	for (unsigned int n = 0; n < KEY_MAX; n++) {
		made.key[n] = (uint8_t)(n + 1);
		made.auth_key[n] = (uint8_t)(0x80 + n);
	}
	memcpy(made.salt, "salt", SALT);
	return made;
}

static struct ip_addr host(int version, uint8_t last)
{
	const uint8_t four[4] = {10, 9, 0, last};
	const uint8_t six[16] = {0xfd, 9, [15] = last};

	return version == 4 ? ip_addr4(four) : ip_addr6(six);
}

struct sa_config rig_config(const char *name, int version, enum sa_mode mode)
{
	return (struct sa_config){
		.name = "test",
		.ah = !strncmp(name, "ah-", 3),
		.mode = mode,
		.spi = 0x1000,
		.algorithms = rig_algorithms(name),
		.window = 64,
		.src = host(version, 1),
		.dst = host(version, 2),
		.pass_dscp = true,
	};
}

struct rig_pair rig_pair(const struct sa_config *config)
{
	struct sa_config in = *config;
	struct rig_pair pair;

	in.inbound = true;
	pair.out = sa_create(config, 1, RIG_MTU);
	pair.in = sa_create(&in, 1, RIG_MTU);
	assert_non_null(pair.out);
	assert_non_null(pair.in);
	return pair;
}

void rig_end(struct rig_pair *pair)
{
	sa_destroy(pair->out);
	sa_destroy(pair->in);
}

size_t rig_packet(uint8_t *out, int version, size_t len)
{
	struct ip_header header = {
		.src = host(version, 1),
		.dst = host(version, 2),
		.protocol = PROTO_UDP,
		.tos = 0x22, /* a DSCP, and a mark that ECN is known */
		.ttl = 63,
		.id = 0x1234,
	};
	const size_t front = ip_put(&header, out, UDP_HEADER + len);
	uint8_t *udp = out + front;

	be16_put(udp, 1111);
	be16_put(udp + 2, 2222);
	be16_put(udp + 4, (uint16_t)(UDP_HEADER + len));
	be16_put(udp + 6, 0);
	for (size_t i = 0; i < len; i++)
		udp[UDP_HEADER + i] = (uint8_t)(i * 7 + 1);
	return front + UDP_HEADER + len;
}

struct ip_packet rig_parse(const uint8_t *packet, size_t len)
{
	struct ip_packet ip;

	assert_int_equal(ip_parse(&ip, packet, len), 0);
	return ip;
}

int rig_wrap(struct sa *sa, const uint8_t *packet, size_t len, uint8_t *out)
{
	const struct ip_packet ip = rig_parse(packet, len);
	const uint64_t number = sa_number(sa, len, 1);
	int rc;

	assert_int_not_equal(number, 0);
	rc = sa_wrap(sa, 0, number, &ip, packet, out, IP_PACKET_MAX);
	if (rc > 0)
		assert_int_equal(rc, sa_wrapped(&sa->config, &ip));
	return rc;
}

int rig_unwrap(struct sa *sa, const uint8_t *packet, size_t len, uint8_t *out)
{
	const struct ip_packet ip = rig_parse(packet, len);
	const size_t at = ip.upper + (sa->config.udp_port ? UDP_HEADER : 0);

	return sa_unwrap(sa, 0, &ip, packet, at, 1, out, IP_PACKET_MAX);
}
