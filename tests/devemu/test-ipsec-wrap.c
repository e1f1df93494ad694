/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-wrap.c - packets through SAs: both modes, all algorithms, and everything that has to
 * be dropped */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/ipsec-rig.h"

static uint8_t packet[IP_PACKET_MAX + 1], sealed[IP_PACKET_MAX + 1], back[IP_PACKET_MAX + 1];

static void packets_come_back(const char *name, int version, enum sa_mode mode, bool udp,
			      bool extended)
{
	static const size_t sizes[] = {0, 1, 2, 13, 14, 15, 16, 17, 100, 1400, 8900};
	struct sa_config config = rig_config(name, version, mode);
	struct rig_pair pair;

	config.udp_port = udp ? 4500 : 0;
	config.extended = extended;
	pair = rig_pair(&config);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const size_t len = rig_packet(packet, version, sizes[i]);
		const int rc = rig_wrap(pair.out, packet, len, sealed);
		struct ip_packet outer;

		assert_true(rc > (int)len);
		outer = rig_parse(sealed, (size_t)rc);
		assert_int_equal(outer.protocol, udp         ? PROTO_UDP
						 : config.ah ? PROTO_AH
							     : PROTO_ESP);
		assert_int_equal(outer.tos, 0x22);
		if (version == 4)
			assert_int_equal(checksum_end(checksum_add(0, sealed, 20)), 0);
		assert_int_equal(rig_unwrap(pair.in, sealed, (size_t)rc, back), len);
		assert_memory_equal(back, packet, len);
	}
	assert_int_equal(pair.in->counters.packets, sizeof(sizes) / sizeof(sizes[0]));
	assert_int_equal(pair.in->counters.bytes, pair.out->counters.bytes);
	rig_end(&pair);
}

static void every_algorithm_in_both_modes(void **state)
{
	(void)state;
	for (size_t i = 0; rig_names[i]; i++)
		for (int version = 4; version <= 6; version += 2)
			for (int mode = SA_TUNNEL; mode <= SA_TRANSPORT; mode++)
				for (int udp = 0; udp <= !!strncmp(rig_names[i], "ah-", 3); udp++)
					packets_come_back(rig_names[i], version, (enum sa_mode)mode,
							  udp, udp);
}

/* Tunnels carry either version over the other. */
static void versions_cross(void **state)
{
	(void)state;
	for (int version = 4; version <= 6; version += 2) {
		const struct sa_config config = rig_config("gcm128", 10 - version, SA_TUNNEL);
		struct rig_pair pair = rig_pair(&config);
		const size_t len = rig_packet(packet, version, 99);
		const int rc = rig_wrap(pair.out, packet, len, sealed);

		assert_int_equal(sealed[0] >> 4, 10 - version);
		assert_int_equal(rig_unwrap(pair.in, sealed, (size_t)rc, back), len);
		assert_memory_equal(back, packet, len);
		rig_end(&pair);
	}
}

static int parse_and_unwrap(struct sa *sa, const uint8_t *bytes, size_t len)
{
	struct ip_packet ip;
	int rc = ip_parse(&ip, bytes, len);

	/* The SA is not even looked up if another protocol, SPI or address is named. */
	if (rc < 0)
		return rc;
	if (ip.protocol != (sa->config.ah ? PROTO_AH : PROTO_ESP) || ip.len - ip.upper < 8 ||
	    be32_get(bytes + ip.upper + (sa->config.ah ? 4 : 0)) != sa->config.spi)
		return -DROP_UNKNOWN_SPI;
	return sa_unwrap(sa, 0, &ip, bytes, ip.upper, 1, back, IP_PACKET_MAX);
}

/* The first bit of a packet's ESP or AH to its last, one after the other. */
static void no_bit_may_change(void **state)
{
	static const char *const names[] = {"cbc128-sha1", "gcm128", "null-sha2", "ah-sha1",
					    "ah-sha2"};

	(void)state;
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		const struct sa_config config = rig_config(names[n], 4, SA_TUNNEL);
		struct rig_pair pair = rig_pair(&config);
		const size_t len = rig_packet(packet, 4, 40);
		const size_t all = (size_t)rig_wrap(pair.out, packet, len, sealed);

		for (size_t bit = 8 * IP4_HEADER; bit < 8 * all; bit++) {
			int rc;

			sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
			rc = parse_and_unwrap(pair.in, sealed, all);
			assert_true(rc == -DROP_INTEGRITY || rc == -DROP_UNKNOWN_SPI ||
				    rc == -DROP_HEADER || rc == -DROP_SEQUENCE_ZERO);
			sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_int_equal(pair.in->counters.packets, 0);
		assert_true(pair.in->counters.drop[DROP_INTEGRITY] >= 8 * 40);
		for (size_t cut = 0; cut < all; cut++)
			assert_true(parse_and_unwrap(pair.in, sealed, cut) < 0);
		assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
		assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_REPLAYED);
		rig_end(&pair);
	}
}

/* AH covers the header as well, but for what changes on the way. */
static void ah_guards_the_header(void **state)
{
	const struct sa_config config = rig_config("ah-sha1", 4, SA_TRANSPORT);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, 40);
	const size_t all = (size_t)rig_wrap(pair.out, packet, len, sealed);

	(void)state;
	sealed[15] ^= 1;
	ip_fix_checksum(sealed);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_INTEGRITY);
	sealed[15] ^= 1;
	sealed[8] = 9;    /* time to live */
	sealed[1] = 0x23; /* congestion experienced */
	ip_fix_checksum(sealed);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	rig_end(&pair);
}

/* Options: a router alert is authenticated, a recorded route is not. With IPv6, bit 5 says so. */
static void ah_knows_options(void **state)
{
	static const struct {
		int version;
		uint8_t header[8], changed;
		bool counts;
	} cases[] = {
		{4, {148, 4, 0, 0, 1, 1, 1, 0}, 2, true},
		{4, {7, 7, 4, 0, 0, 0, 0, 0}, 3, false},
		{6, {PROTO_UDP, 0, 0x05, 2, 0, 0, 1, 0}, 4, true},
		{6, {PROTO_UDP, 0, 0x3e, 4, 0, 0, 0, 0}, 4, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sa_config config =
			rig_config("ah-sha2", cases[i].version, SA_TRANSPORT);
		const size_t front = ip_header_len((uint8_t)cases[i].version);
		struct rig_pair pair = rig_pair(&config);
		size_t len = rig_packet(packet, cases[i].version, 40), all;

		memmove(packet + front + 8, packet + front, len - front);
		memcpy(packet + front, cases[i].header, 8);
		if (cases[i].version == 4)
			packet[0] = 0x47;
		else
			packet[6] = PROTO_HOP;
		len += 8;
		ip_set_len(packet, len);
		all = (size_t)rig_wrap(pair.out, packet, len, sealed);
		sealed[front + cases[i].changed] ^= 0x10;
		if (cases[i].version == 4)
			ip_fix_checksum(sealed);
		assert_int_equal(parse_and_unwrap(pair.in, sealed, all),
				 cases[i].counts ? -DROP_INTEGRITY : (int)len);
		rig_end(&pair);
	}
}

static void each_number_once_and_none_behind_the_window(void **state)
{
	enum { NR = 200, WINDOW = 64 };
	static uint8_t many[NR + 1][200];
	const struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, 10);
	size_t all = 0;

	(void)state;
	for (int i = 1; i <= NR; i++) {
		all = (size_t)rig_wrap(pair.out, packet, len, sealed);
		memcpy(many[i], sealed, all);
	}
	assert_int_equal(parse_and_unwrap(pair.in, many[NR], all), len);
	for (int i = 1; i < NR; i++)
		assert_int_equal(parse_and_unwrap(pair.in, many[i], all),
				 NR - i >= WINDOW ? -DROP_OLD : (int)len);
	for (int i = NR - WINDOW + 1; i <= NR; i++)
		assert_int_equal(parse_and_unwrap(pair.in, many[i], all), -DROP_REPLAYED);
	assert_int_equal(pair.in->counters.drop[DROP_OLD], NR - WINDOW);
	assert_int_equal(pair.in->counters.drop[DROP_REPLAYED], WINDOW);
	rig_end(&pair);
}

/* Engines open later packets before earlier ones; accepted in their order, none is old. */
static void packets_opened_out_of_order_are_not_old(void **state)
{
	enum { NR = 300 };
	static uint8_t many[NR][200];
	const struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, 10);
	uint64_t number[NR];
	size_t all = 0;

	(void)state;
	for (int i = 0; i < NR; i++) {
		all = (size_t)rig_wrap(pair.out, packet, len, sealed);
		memcpy(many[i], sealed, all);
	}
	for (int i = NR - 1; i >= 0; i--) {
		const struct ip_packet ip = rig_parse(many[i], all);

		assert_int_equal(sa_open(pair.in, 0, &ip, many[i], ip.upper, 1, back, sizeof(back),
					 &number[i]),
				 len);
	}
	for (int i = 0; i < NR; i++)
		assert_int_equal(sa_accept(pair.in, number[i], len), 0);
	/* Opened twice before the first was accepted: still once. */
	assert_int_equal(sa_accept(pair.in, number[NR - 1], len), -DROP_REPLAYED);
	assert_int_equal(pair.in->counters.packets, NR);
	rig_end(&pair);
}

static void a_tampered_packet_does_not_move_the_window(void **state)
{
	const struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, 10);
	const size_t all = (size_t)rig_wrap(pair.out, packet, len, sealed);

	(void)state;
	be32_put(sealed + 24, 0x10000);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_INTEGRITY);
	be32_put(sealed + 24, 0);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_SEQUENCE_ZERO);
	be32_put(sealed + 24, 1);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	rig_end(&pair);
}

static void numbers_do_not_cycle(void **state)
{
	const struct sa_config config = rig_config("cbc128-sha1", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, 10);
	size_t all;

	(void)state;
	sa_set_sequence(pair.out, UINT32_MAX - 1);
	assert_true(sa_alive(pair.out, 1));
	all = (size_t)rig_wrap(pair.out, packet, len, sealed);
	assert_int_equal(be32_get(sealed + 24), UINT32_MAX);
	assert_false(sa_alive(pair.out, 1));
	assert_int_equal(sa_number(pair.out, len, 1), 0);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_REPLAYED);
	rig_end(&pair);
}

/* With extended numbers 2^32 - 1 is followed by 2^32, of which the packet has the lower half. */
static void extended_numbers_go_on(void **state)
{
	static uint8_t many[40][200];
	struct sa_config config = rig_config("null-sha1", 4, SA_TUNNEL);
	const size_t len = rig_packet(packet, 4, 10);
	struct rig_pair pair;
	size_t all = 0;

	(void)state;
	config.extended = true;
	pair = rig_pair(&config);
	sa_set_sequence(pair.out, UINT32_MAX - 20);
	for (int i = 0; i < 40; i++) {
		all = (size_t)rig_wrap(pair.out, packet, len, sealed);
		memcpy(many[i], sealed, all);
	}
	assert_int_equal(be32_get(many[20] + 24), 0);
	for (int i = 0; i < 40; i += 2)
		assert_int_equal(parse_and_unwrap(pair.in, many[i], all), len);
	/* The others are late, across the multiple. */
	for (int i = 1; i < 40; i += 2)
		assert_int_equal(parse_and_unwrap(pair.in, many[i], all), len);
	for (int i = 0; i < 40; i++)
		assert_int_equal(parse_and_unwrap(pair.in, many[i], all), -DROP_REPLAYED);
	assert_int_equal(pair.in->replay.highest, UINT64_C(0x100000000) + 19);
	rig_end(&pair);
}

/* Seals @payload as it is, without esp_seal()'s padding. */
static size_t forge(struct sa *sa, uint8_t *out, const uint8_t *payload, size_t len,
		    uint32_t number)
{
	static const uint8_t iv[16] = {1};
	const struct ip_header header = {
		.src = sa->config.src, .dst = sa->config.dst, .protocol = PROTO_ESP, .ttl = 64};
	uint8_t *esp = out + IP4_HEADER;
	uint8_t icv[ICV_MAX];

	be32_put(esp, sa->config.spi);
	be32_put(esp + 4, number);
	memcpy(esp + 8, iv, 16);
	assert_int_equal(transform_encrypt(sa->transform[0], iv, payload, len - 16,
					   payload + len - 16, 16, esp + 24),
			 0);
	assert_int_equal(
		transform_mac(sa->transform[0], &(const struct part){esp, 24 + len}, 1, icv), 0);
	memcpy(esp + 24 + len, icv, 12);
	return ip_put(&header, out, 24 + len + 12) + 24 + len + 12;
}

static void padding_is_looked_at(void **state)
{
	const struct sa_config config = rig_config("cbc128-sha1", 4, SA_TRANSPORT);
	struct rig_pair pair = rig_pair(&config);
	uint8_t payload[32] = {0};
	size_t all;

	(void)state;
	for (uint8_t i = 0; i < 14; i++)
		payload[16 + i] = (uint8_t)(i + 1);
	payload[30] = 14;
	payload[31] = PROTO_UDP;
	all = forge(pair.out, sealed, payload, 32, 1);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), 20 + 16);
	payload[20] ^= 1;
	all = forge(pair.out, sealed, payload, 32, 2);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_PADDING);
	payload[20] ^= 1;
	payload[30] = 31; /* more than there is */
	all = forge(pair.out, sealed, payload, 32, 3);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_PADDING);
	payload[30] = 14;
	payload[31] = PROTO_NONE;
	all = forge(pair.out, sealed, payload, 32, 4);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_DUMMY);
	/* No whole block. */
	all = forge(pair.out, sealed, payload, 32, 5) - 1;
	ip_set_len(sealed, all);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_PADDING);
	rig_end(&pair);
}

static void a_tunnel_carries_packets_only(void **state)
{
	struct sa_config config = rig_config("null-sha1", 4, SA_TRANSPORT);
	struct sa_config tunnel = rig_config("null-sha1", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config), other = rig_pair(&tunnel);
	const size_t len = rig_packet(packet, 4, 10);
	size_t all = (size_t)rig_wrap(pair.out, packet, len, sealed);

	(void)state;
	assert_int_equal(parse_and_unwrap(other.in, sealed, all), -DROP_NEXT_HEADER);
	assert_int_equal(other.in->counters.drop[DROP_NEXT_HEADER], 1);
	rig_end(&pair);
	rig_end(&other);
}

static void congestion_is_told(void **state)
{
	const struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	size_t len = rig_packet(packet, 4, 10);
	size_t all = (size_t)rig_wrap(pair.out, packet, len, sealed);

	(void)state;
	sealed[1] |= ECN_CE;
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	assert_int_equal(back[1], 0x23);
	assert_int_equal(checksum_end(checksum_add(0, back, 20)), 0);
	/* A packet that does not know ECN must not get through as if nothing had happened. */
	packet[1] = 0x20;
	ip_fix_checksum(packet);
	all = (size_t)rig_wrap(pair.out, packet, len, sealed);
	assert_int_equal(sealed[1], 0x20);
	sealed[1] |= ECN_CE;
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_ECN);
	rig_end(&pair);
}

static void df_and_dscp_follow_the_action(void **state)
{
	struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	const size_t len = rig_packet(packet, 4, 10);

	(void)state;
	for (int df = SA_DF_COPY; df <= SA_DF_SET; df++)
		for (int inner = 0; inner <= 1; inner++) {
			struct rig_pair pair;
			struct ip_packet outer;
			int rc;

			config.df = (enum sa_df)df;
			config.pass_dscp = inner;
			pair = rig_pair(&config);
			be16_put(packet + 6, inner ? 0x4000 : 0);
			ip_fix_checksum(packet);
			rc = rig_wrap(pair.out, packet, len, sealed);
			outer = rig_parse(sealed, (size_t)rc);
			assert_int_equal(outer.df, df == SA_DF_SET || (df == SA_DF_COPY && inner));
			assert_int_equal(outer.tos, inner ? 0x22 : 0x02);
			rig_end(&pair);
		}
}

static void lives_end(void **state)
{
	struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	const size_t len = rig_packet(packet, 4, 10);
	struct rig_pair pair;
	size_t all;

	(void)state;
	config.life_bytes = 2 * len + 1;
	pair = rig_pair(&config);
	all = (size_t)rig_wrap(pair.out, packet, len, sealed);
	rig_wrap(pair.out, packet, len, back);
	assert_int_equal(sa_number(pair.out, len, 1), 0);
	assert_int_equal(sa_number(pair.out, 1, 1), 3);
	assert_false(sa_alive(pair.out, 1));
	/* The receiver's life does not end before the sender's. */
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	assert_true(sa_alive(pair.in, 1));
	rig_end(&pair);
	config.life_bytes = len;
	pair = rig_pair(&config);
	all = (size_t)rig_wrap(pair.out, packet, len, sealed);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), len);
	assert_int_equal(parse_and_unwrap(pair.in, sealed, all), -DROP_EXPIRED);
	rig_end(&pair);
	config.life_bytes = 0;
	config.life_seconds = 10;
	pair = rig_pair(&config);
	assert_int_equal(sa_number(pair.out, len, 1000), 1);
	assert_int_equal(sa_number(pair.out, len, 10000000999), 2);
	assert_int_equal(sa_number(pair.out, len, 10000001000), 0);
	assert_false(sa_alive(pair.out, 10000001000));
	rig_end(&pair);
}

static void what_is_too_long_is_refused(void **state)
{
	const struct sa_config config = rig_config("gcm128", 4, SA_TUNNEL);
	struct rig_pair pair = rig_pair(&config);
	const size_t len = rig_packet(packet, 4, IP_PACKET_MAX - 28);

	(void)state;
	assert_int_equal(rig_wrap(pair.out, packet, len, sealed), -DROP_TOO_BIG);
	rig_end(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_algorithm_in_both_modes),
		cmocka_unit_test(versions_cross),
		cmocka_unit_test(no_bit_may_change),
		cmocka_unit_test(ah_guards_the_header),
		cmocka_unit_test(ah_knows_options),
		cmocka_unit_test(each_number_once_and_none_behind_the_window),
		cmocka_unit_test(packets_opened_out_of_order_are_not_old),
		cmocka_unit_test(a_tampered_packet_does_not_move_the_window),
		cmocka_unit_test(numbers_do_not_cycle),
		cmocka_unit_test(extended_numbers_go_on),
		cmocka_unit_test(padding_is_looked_at),
		cmocka_unit_test(a_tunnel_carries_packets_only),
		cmocka_unit_test(congestion_is_told),
		cmocka_unit_test(df_and_dscp_follow_the_action),
		cmocka_unit_test(lives_end),
		cmocka_unit_test(what_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
