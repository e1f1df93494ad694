/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-packet.c - packets in sealed frames, whole or not at all */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/fces/connection.h"
#include "devemu/fces/packet.h"

static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	(void)context;
	(void)id;
	shared->id = 1;
	memset(shared->key, 0x5a, FCES_KEY);
	return 0;
}

static struct fces_connection *connection;

static int setup(void **state)
{
	static const struct fces_connection_names names = {"ONE", "TWO", 1, 2, false};

	(void)state;
	connection = fces_connection_create(&names, source, NULL, NULL);
	return connection ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	fces_connection_destroy(connection);
	return 0;
}

enum { PACKET = 5000, FRAMES = 3 };

static uint8_t data[PACKET];

/* Frames @order (0 to 2 of one packet, 3 to 5 of the next; -1: no more) as one packet. */
static int open_packet(const int order[FRAMES + 1], uint8_t *out)
{
	static uint8_t sealed[2][PACKET + 400], mixed[2 * PACKET];
	size_t begin[2 * FRAMES], size[2 * FRAMES], len = 2;

	for (int p = 0; p < 2; p++) {
		const int all = fces_packet_seal(&connection->channel, (uint16_t)(7 + p), data,
						 PACKET, sealed[p]);
		size_t at = 2;

		assert_in_range(all, PACKET, sizeof(sealed[p]));
		for (int f = 0; f < FRAMES; f++) {
			begin[FRAMES * p + f] = at;
			size[FRAMES * p + f] = 2 + be16_get(sealed[p] + at);
			at += size[FRAMES * p + f];
		}
		assert_int_equal(at, all);
	}
	memcpy(mixed, sealed[0], 2);
	for (int i = 0; i <= FRAMES && order[i] >= 0; i++) {
		memcpy(mixed + len, sealed[order[i] / FRAMES] + begin[order[i]], size[order[i]]);
		len += size[order[i]];
	}
	return fces_packet_open(&connection->control_unit, mixed, len, out, 2 * PACKET);
}

/* Each of these frames is as it was sealed, and new; but they are no packet. */
static void frames_that_are_no_packet(void **state)
{
	static const int wrong[][FRAMES + 1] = {
		{0, 1, -1},    {0, 2, -1},    {1, 2, -1},    {0, -1},
		{2, -1},       {1, 0, 2, -1}, {0, 2, 1, -1}, {0, 1, 5, -1},
		{0, 4, 2, -1}, {3, 1, 2, -1}, {0, 1, 2, 3},
	};
	static const int right[][FRAMES + 1] = {{0, 1, 2, -1}, {3, 4, 5, -1}};
	static uint8_t out[2 * PACKET];

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	for (size_t i = 0; i < PACKET; i++)
		data[i] = (uint8_t)(i * 3 + i / 256);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(open_packet(wrong[i], out), -EPROTO);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(open_packet(right[i], out), PACKET);
		assert_memory_equal(out, data, PACKET);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_that_are_no_packet, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
