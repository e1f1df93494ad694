/* SPDX-License-Identifier: Apache-2.0 */
/* test-hs-frame.c - frames of AF_IUCV over HiperSockets: frames that a real kernel has sent and
 * accepted
 *
 * tests/data/hipersockets holds captures of Linux 6.1 on s390x (under QEMU): host-connects.pcap, a
 * program on the host that connects to it; kernel-connects.pcap, the other direction.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/hs-frame.h"

#define DATA "tests/data/hipersockets/"

/* A capture in the host's byte order of a little-endian machine: read as that everywhere. */
static uint32_t little32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

struct seen {
	unsigned int frames, others, flags[32];
	size_t longest;
	char user[2][9]; /* of the sender of the first frame, and of its peer */
};

static void golden(const uint8_t *bytes, size_t len, struct seen *seen)
{
	struct hs_frame frame;
	uint8_t *again;
	int rc = hs_frame_decode(bytes, len, &frame);

	if (rc == -EPROTONOSUPPORT) {
		/* IPv6 of the kernel on the same device */
		assert_int_equal(bytes[12] << 8 | bytes[13], 0x86dd);
		seen->others++;
		return;
	}
	assert_int_equal(rc, 0);
	again = malloc(len);
	assert_non_null(again);
	hs_frame_head(&frame, again);
	memcpy(again + HS_HEAD, frame.message, frame.len);
	assert_int_equal(frame.len, len - HS_HEAD);
	assert_memory_equal(again, bytes, len);
	free(again);
	if (!seen->frames++) {
		assert_int_equal(hs_name_get(frame.src.user, seen->user[0]), 0);
		assert_int_equal(hs_name_get(frame.dest.user, seen->user[1]), 0);
	}
	seen->flags[frame.flags]++;
	if (frame.len > seen->longest)
		seen->longest = frame.len;
}

static void read_capture(const char *name, struct seen *seen)
{
	static uint8_t packet[65536];
	uint8_t head[24];
	FILE *in = fopen(name, "re");

	if (!in)
		fail_msg("%s: %s", name, strerror(errno));
	memset(seen, 0, sizeof(*seen));
	assert_int_equal(fread(head, sizeof(head), 1, in), 1);
	assert_int_equal(little32(head), 0xa1b2c3d4);
	assert_int_equal(little32(head + 20), 1); /* Ethernet */
	while (fread(head, 16, 1, in) == 1) {
		uint32_t len = little32(head + 8);

		assert_in_range(len, 1, sizeof(packet));
		assert_int_equal(len, little32(head + 12));
		assert_int_equal(fread(packet, len, 1, in), 1);
		golden(packet, len, seen);
	}
	fclose(in);
}

static void test_host_connects(void **state)
{
	struct seen seen;

	(void)state;
	read_capture(DATA "host-connects.pcap", &seen);
	assert_int_equal(seen.frames, 852);
	assert_int_equal(seen.others, 7);
	assert_string_equal(seen.user[0], "HSVSE1");
	assert_string_equal(seen.user[1], "HSLNX1");
	assert_int_equal(seen.flags[HS_SYN], 13);
	assert_int_equal(seen.flags[HS_SYN | HS_ACK], 4);
	assert_int_equal(seen.flags[HS_SYN | HS_FIN], 2);
	assert_int_equal(seen.flags[HS_FIN], 4);
	assert_int_equal(seen.flags[HS_SHT], 1);
	assert_int_equal(seen.flags[HS_WIN], 426);
	assert_int_equal(seen.flags[0], 402);
	assert_int_equal(seen.longest, 57226);
}

static void test_kernel_connects(void **state)
{
	struct seen seen;

	(void)state;
	read_capture(DATA "kernel-connects.pcap", &seen);
	assert_int_equal(seen.frames, 1044);
	assert_int_equal(seen.others, 2);
	assert_string_equal(seen.user[0], "LINUX1");
	assert_string_equal(seen.user[1], "VSE1");
	assert_int_equal(seen.flags[HS_SYN], 3);
	assert_int_equal(seen.flags[HS_SYN | HS_ACK], 2);
	assert_int_equal(seen.flags[HS_SYN | HS_FIN], 1);
	assert_int_equal(seen.flags[HS_WIN], 433);
	assert_int_equal(seen.flags[0], 602);
}

/* Every used byte of a header, at its place. */
static void test_layout(void **state)
{
	struct hs_frame frame = {.to = {1, 2, 3, 4, 5, 6},
				 .from = {7, 8, 9, 10, 11, 12},
				 .type = HS_ETHERTYPE,
				 .flags = HS_WIN,
				 .window = 0x1234,
				 .class = 0x0a0b0c0d,
				 .tag = 0x01020304};
	uint8_t head[HS_HEAD];

	(void)state;
	assert_int_equal(hs_name_put("LINUX1", frame.dest.user), 0);
	assert_int_equal(hs_name_put("LINR02", frame.dest.app), 0);
	assert_int_equal(hs_name_put("VSE1", frame.src.user), 0);
	assert_int_equal(hs_name_put("IJBLFP", frame.src.app), 0);
	hs_frame_head(&frame, head);
	assert_memory_equal(head, "\1\2\3\4\5\6\7\10\11\12\13\14\xfb\xfb\xfb\xfb\1\10\x12\x34", 20);
	assert_memory_equal(head + 28, "\xd3\xc9\xd5\xe4\xe7\xf1\x40\x40", 8);
	assert_memory_equal(head + 36, "\xd3\xc9\xd5\xd9\xf0\xf2\x40\x40\0\0\0\0\0\0\0\0", 16);
	assert_memory_equal(head + 60, "\xe5\xe2\xc5\xf1\x40\x40\x40\x40", 8);
	assert_memory_equal(head + 68, "\xc9\xd1\xc2\xd3\xc6\xd7\x40\x40\0\0\0\0\0\0\0\0", 16);
	assert_memory_equal(head + 92, "\x0a\x0b\x0c\x0d\1\2\3\4", 8);
}

static void test_refused(void **state)
{
	struct hs_frame frame = {.type = HS_ETHERTYPE}, got;
	uint8_t bytes[HS_HEAD + 1] = {0};

	(void)state;
	for (unsigned int flags = 0; flags < 256; flags++) {
		bool known = flags == 0 || flags == HS_WIN || flags == HS_SYN || flags == HS_FIN ||
			     flags == (HS_SYN | HS_ACK) || flags == (HS_SYN | HS_FIN) ||
			     flags == HS_SHT;

		frame.flags = (uint8_t)flags;
		hs_frame_head(&frame, bytes);
		assert_int_equal(hs_frame_decode(bytes, HS_HEAD, &got), known ? 0 : -EPROTO);
		/* A message only where there may be one. */
		assert_int_equal(hs_frame_decode(bytes, HS_HEAD + 1, &got),
				 flags == 0 || flags == HS_WIN ? 0 : -EPROTO);
	}
	frame.flags = 0;
	hs_frame_head(&frame, bytes);
	for (size_t len = 0; len < HS_HEAD; len++)
		assert_int_equal(hs_frame_decode(bytes, len, &got), -EPROTO);
	bytes[16] = 2;
	assert_int_equal(hs_frame_decode(bytes, HS_HEAD, &got), -EPROTO);
	bytes[16] = 1;
	bytes[14] = 0;
	assert_int_equal(hs_frame_decode(bytes, HS_HEAD, &got), -EPROTO);
	bytes[12] = bytes[13] = 0;
	assert_int_equal(hs_frame_decode(bytes, HS_HEAD, &got), -EPROTONOSUPPORT);
}

static void test_names(void **state)
{
	static const char *const good[] = {"A",        "LINUX1",   "ABCDEFGH", "IJKLMNOP",
					   "QRSTUVWX", "YZ012345", "6789abcd", "efghijkl",
					   "mnopqrst", "uvwxyz$#", "@_-.+:"};
	static const char *const bad[] = {"", "NINECHARS", "A B", "A\x7f", "\xc3\x84"};
	uint8_t wire[8], zeros[8] = {0};
	char name[9];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(hs_name_put(good[i], wire), 0);
		assert_int_equal(hs_name_get(wire, name), 0);
		assert_string_equal(name, good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(hs_name_put(bad[i], wire), -EINVAL);
	assert_int_equal(hs_name_get(zeros, name), -EILSEQ);
	assert_int_equal(hs_name_get((const uint8_t *)"\xc1\x40\xc1\x40\x40\x40\x40\x40", name),
			 -EILSEQ);
	assert_string_equal(name, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host_connects), cmocka_unit_test(test_kernel_connects),
		cmocka_unit_test(test_layout),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
