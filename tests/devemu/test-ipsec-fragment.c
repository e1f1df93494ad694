/* SPDX-License-Identifier: Apache-2.0 */
/* test-ipsec-fragment.c - packets cut, put together, overlapping; "packet too big" */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/ipsec/fragment.h"
#include "devemu/ipsec/icmp.h"
#include "lfp/bigend.h"
#include "tests/devemu/ipsec-rig.h"

enum { PIECES = 20, PIECE = 1500 };

static uint8_t packet[IP_PACKET_MAX], piece[PIECES][PIECE];
static size_t piece_len[PIECES];
static int pieces;

static int take(void *context, const uint8_t *bytes, size_t len)
{
	(void)context;
	assert_true(len <= PIECE && pieces < PIECES);
	memcpy(piece[pieces], bytes, len);
	piece_len[pieces++] = len;
	return 0;
}

static size_t cut(int version, size_t len, size_t mtu)
{
	uint8_t out[PIECE];
	const size_t all = rig_packet(packet, version, len);
	const struct ip_packet ip = rig_parse(packet, all);
	int rc;

	pieces = 0;
	rc = fragment_cut(&ip, packet, mtu, 77, out, take, NULL);
	assert_int_equal(rc, pieces);
	for (int i = 0; i < pieces; i++)
		assert_true(piece_len[i] <= mtu);
	return all;
}

static int give(struct reassembly *reassembly, int i, uint64_t now, const uint8_t **out)
{
	const struct ip_packet ip = rig_parse(piece[i], piece_len[i]);

	assert_true(ip.fragment);
	return reassembly_take(reassembly, &ip, piece[i], now, out);
}

static void pieces_in_any_order(void **state)
{
	struct reassembly *reassembly = reassembly_create();
	const uint8_t *out = NULL;

	(void)state;
	assert_non_null(reassembly);
	for (int version = 4; version <= 6; version += 2)
		for (int first = 0; first < 4; first++) {
			const size_t all = cut(version, 4000, 1280);

			assert_int_equal(pieces, 4);
			for (int i = 1; i < pieces; i++)
				assert_int_equal(give(reassembly, (first + i) % pieces, 1, &out),
						 0);
			assert_int_equal(give(reassembly, first, 1, &out), all);
			assert_memory_equal(out, packet, all);
		}
	reassembly_destroy(reassembly);
}

/* Fragments of fragments have the offsets of the whole. */
static void a_fragment_can_be_cut_again(void **state)
{
	struct reassembly *reassembly = reassembly_create();
	uint8_t second[PIECE], out[PIECE];
	const uint8_t *whole = NULL;
	const size_t all = cut(4, 2000, 1500);
	struct ip_packet ip;
	int rc = 0;

	(void)state;
	assert_int_equal(pieces, 2);
	assert_int_equal(give(reassembly, 0, 1, &whole), 0);
	memcpy(second, piece[1], piece_len[1]);
	ip = rig_parse(second, piece_len[1]);
	pieces = 0;
	assert_int_equal(fragment_cut(&ip, second, 300, 0, out, take, NULL), 2);
	for (int i = 0; i < pieces; i++)
		rc = give(reassembly, i, 1, &whole);
	assert_int_equal(rc, all);
	assert_memory_equal(whole, packet, all);
	reassembly_destroy(reassembly);
}

static void overlaps_end_the_packet(void **state)
{
	struct reassembly *reassembly = reassembly_create();
	const uint8_t *out = NULL;

	(void)state;
	cut(4, 4000, 1280);
	assert_int_equal(give(reassembly, 0, 1, &out), 0);
	assert_int_equal(give(reassembly, 1, 1, &out), 0);
	/* The same piece again, and then even the missing ones do not help. */
	assert_int_equal(give(reassembly, 1, 1, &out), -DROP_OVERLAP);
	assert_int_equal(give(reassembly, 2, 1, &out), -DROP_OVERLAP);
	assert_int_equal(give(reassembly, 3, 1, &out), -DROP_OVERLAP);
	/* One byte more than its neighbour leaves room for. */
	cut(4, 4000, 1280);
	for (int i = 0; i < pieces; i++)
		be16_put(piece[i] + 4, 0x4321);
	be16_put(piece[1] + 6, (uint16_t)(be16_get(piece[1] + 6) - 1));
	assert_int_equal(give(reassembly, 0, 1, &out), 0);
	assert_int_equal(give(reassembly, 1, 1, &out), -DROP_OVERLAP);
	reassembly_destroy(reassembly);
}

static void sizes_are_checked(void **state)
{
	struct reassembly *reassembly = reassembly_create();
	const uint8_t *out = NULL;

	(void)state;
	cut(4, 4000, 1280);
	/* Beyond the longest packet. */
	be16_put(piece[3] + 6, 0x1fff);
	assert_int_equal(give(reassembly, 3, 1, &out), -DROP_FRAGMENT_LIMIT);
	/* Not the last, and no multiple of 8 bytes. */
	ip_set_len(piece[0], piece_len[0] - 3);
	assert_int_equal(give(reassembly, 0, 1, &out), -DROP_HEADER);
	/* No packet can need more room than all of them have. */
	for (int i = 0; i <= FRAGMENT_PACKETS; i++) {
		be16_put(piece[1] + 4, (uint16_t)i);
		assert_int_equal(give(reassembly, 1, 1, &out),
				 i < FRAGMENT_PACKETS ? 0 : -DROP_FRAGMENT_LIMIT);
	}
	assert_int_equal(reassembly_expire(reassembly, UINT64_C(29000000000)), 0);
	assert_int_equal(reassembly_expire(reassembly, UINT64_C(30000000001)), FRAGMENT_PACKETS);
	assert_int_equal(give(reassembly, 1, 1, &out), 0);
	reassembly_destroy(reassembly);
}

static void what_must_not_be_cut_is_not(void **state)
{
	uint8_t out[PIECE];
	const size_t len = rig_packet(packet, 4, 2000);
	struct ip_packet ip;

	(void)state;
	be16_put(packet + 6, 0x4000);
	ip = rig_parse(packet, len);
	assert_int_equal(fragment_cut(&ip, packet, 1500, 0, out, take, NULL), -DROP_TOO_BIG);
	be16_put(packet + 6, 0);
	ip = rig_parse(packet, len);
	assert_int_equal(fragment_cut(&ip, packet, 27, 0, out, take, NULL), -DROP_TOO_BIG);
}

/* A message made about a wrapped packet names its SA. */
static void too_big_names_the_sa(void **state)
{
	static const char *const names[] = {"gcm128", "ah-sha1", "gcm128"};

	(void)state;
	for (int version = 4; version <= 6; version += 2)
		for (int i = 0; i < 3; i++) {
			struct sa_config config = rig_config(names[i], version, SA_TUNNEL);
			const size_t len = rig_packet(packet, version, 1400);
			uint8_t sealed[PIECE + 100], message[ICMP_MAX];
			struct icmp_report report;
			struct ip_packet ip;
			struct rig_pair pair;
			size_t size;
			int rc;

			config.udp_port = i == 2 ? 4500 : 0;
			pair = rig_pair(&config);
			rc = rig_wrap(pair.out, packet, len, sealed);
			ip = rig_parse(sealed, (size_t)rc);
			size = icmp_too_big(&ip, sealed, 1300, message);
			assert_true(size > 0 && size <= ICMP_MAX);
			ip = rig_parse(message, size);
			assert_true(ip_addr_same(&ip.dst, &config.src));
			assert_int_equal(icmp_read(&ip, message, &report), 0);
			assert_int_equal(report.mtu, 1300);
			assert_int_equal(report.spi, 0x1000);
			assert_true(ip_addr_same(&report.dst, &config.dst));
			/* No message about a message. */
			assert_int_equal(icmp_too_big(&ip, message, 1300, sealed), 0);
			for (size_t n = 0; n < ip.upper + 8 + 40; n++) {
				struct ip_packet part = ip;

				part.len = n < ip.upper ? ip.upper : n;
				assert_int_equal(icmp_read(&part, message, &report), -DROP_HEADER);
				if (version == 4 && n >= ip.upper + 8 + 20)
					break;
			}
			rig_end(&pair);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_in_any_order),
		cmocka_unit_test(a_fragment_can_be_cut_again),
		cmocka_unit_test(overlaps_end_the_packet),
		cmocka_unit_test(sizes_are_checked),
		cmocka_unit_test(what_must_not_be_cut_is_not),
		cmocka_unit_test(too_big_names_the_sa),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
