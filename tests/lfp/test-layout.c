/* SPDX-License-Identifier: Apache-2.0 */
/* test-layout.c - packets and frames byte for byte, to detect unintended changes of the protocol */
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/datagram.h"
#include "lfp/frame.h"
#include "tests/lfp/message-samples.h"

static uint8_t wire[SAMPLE_ROOM], again[SAMPLE_ROOM];

static int encode(const struct lfp_frame *frame)
{
	return lfp_frame_encode(frame, wire, sizeof(wire));
}

static void test_golden_hello(void **state)
{
	static const uint8_t golden[] = {
		0,    0,   0,   84,  0x01, 0,    0,    0,    0x01, 0x02, 0x03, 0x04, 0,   0,
		0,    0,   0,   0,   0,    0,    0,    0,    0,    0,    0,    1,    0,   50,
		0,    0,   0,   0,   0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0,   0,
		0x20, 0,   0,   0,   0x04, 0,    0,    1,    0,    0,    'V',  'S',  'E', 'R',
		'0',  '5', ' ', ' ', 'V',  'S',  'E',  'L',  'F',  'P',  '0',  '1',  'L', 'I',
		'N',  'R', '0', '2', ' ',  ' ',  ' ',  ' ',  ' ',  ' ',  ' ',  ' ',  ' ', ' ',
	};
	const struct lfp_frame frame = {
		.code = LFP_HELLO,
		.request = 0x01020304,
		.hello =
			{
				.version = 1,
				.threshold = 50,
				.session = UINT64_C(0x1122334455667788),
				.mtu = 8192,
				.msglimit = 1024,
				.window = 65536,
				.vmid = "VSER05",
				.appname = "VSELFP01",
				.dest_vmid = "LINR02",
			},
	};

	(void)state;
	assert_int_equal(encode(&frame), sizeof(golden));
	assert_memory_equal(wire, golden, sizeof(golden));
}

static void test_golden_data(void **state)
{
	static const uint8_t golden[] = {
		0, 0, 0, 35, 0x1e, 1,    0, 0, 0, 0, 0, 0, 0, 0, 0,   7,   0x80, 0,
		0, 0, 0, 0,  0,    0x2a, 0, 0, 0, 1, 0, 0, 0, 5, 'a', 'b', 'c',
	};
	const struct lfp_frame frame = {
		.code = LFP_DATA,
		.flags = LFP_FRAME_MORE,
		.task = 7,
		.sock = LFP_ID_LFPD | 42,
		.data = {.position = UINT64_C(0x100000005), .payload = {(const uint8_t *)"abc", 3}},
	};

	(void)state;
	assert_int_equal(encode(&frame), sizeof(golden));
	assert_memory_equal(wire, golden, sizeof(golden));
}

/* The epoch is between the bit for the side of the id, and the id. */
static void test_golden_epoch(void **state)
{
	static const uint8_t golden[] = {
		0,    0,    0, 32, 0x1f, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0,
		0x92, 0x34, 0, 0,  0,    0, 0, 0x2a, 0, 0, 0, 0, 0, 0, 0, 9,
	};
	const struct lfp_frame frame = {
		.code = LFP_WINDOW,
		.sock = LFP_ID_LFPD | 42,
		.epoch = 0x1234,
		.window.consumed = 9,
	};
	struct lfp_frame back;
	const char *why;

	(void)state;
	assert_int_equal(encode(&frame), sizeof(golden));
	assert_memory_equal(wire, golden, sizeof(golden));
	assert_int_equal(lfp_frame_decode(golden, sizeof(golden), LFP_FROM_LFPD, &back, &why),
			 sizeof(golden));
	assert_true(back.sock == frame.sock);
	assert_int_equal(back.epoch, 0x1234);
}

static void test_epochs(void **state)
{
	(void)state;
	assert_int_equal(lfp_epoch_next(0), 1);
	assert_int_equal(lfp_epoch_next(0x7fff), 0);
	assert_int_equal(lfp_epoch_age(7, 7), LFP_IN_TIME);
	assert_int_equal(lfp_epoch_age(6, 7), LFP_LATE);
	assert_int_equal(lfp_epoch_age(0x7fff, 0), LFP_LATE);
	assert_int_equal(lfp_epoch_age(0x4001, 0), LFP_LATE);
	assert_int_equal(lfp_epoch_age(0x4000, 0), LFP_FUTURE);
	assert_int_equal(lfp_epoch_age(0, 0x7fff), LFP_FUTURE);
	assert_int_equal(lfp_epoch_age(8, 7), LFP_FUTURE);
}

static void test_golden_datagram(void **state)
{
	static const uint8_t golden[] = {
		0,   0,    0,  116,  0x30, 0, 0, 0,  0,   0,    0,   0,   0, 0, 0, 0, /* header */
		0,   0,    0,  0,    0,    0, 0, 42,                                  /* socket */
		0,   0,    0,  1,    0,    0, 0, 5,                                   /* position */
		0,   0,    0,  3,    0,    0, 0, 1, /* total, offset */
		0,   2,    0,  53,   0,    0, 0, 0,  192, 0,    2,   1,   0, 0, 0, 0, /* addr */
		0,   0,    0,  0,    0,    0, 0, 0,  0,   0,    0,   0,               /* its rest */
		0,   0x15, 64, 0x10, 0,    0, 0, 7, /* has, ttl, tos, ifindex */
		0,   2,    0,  0,    0,    0, 0, 0,  192, 0,    2,   255, 0, 0, 0, 0, /* local */
		0,   0,    0,  0,    0,    0, 0, 0,  0,   0,    0,   0,               /* its rest */
		192, 0,    2,  9,    0,    0, 0, 8,  5,   0xc0, 'b', 'c', /* spec, drops, segment,
									     payload */
	};
	const struct lfp_frame frame = {
		.code = LFP_DATAGRAM,
		.sock = 42,
		.datagram =
			{
				.position = UINT64_C(0x100000005),
				.total = 3,
				.offset = 1,
				.addr = {.family = LFP_AF_INET, .port = 53, .ip = {192, 0, 2, 1}},
				.has = LFP_HAS_PKTINFO | LFP_HAS_TTL | LFP_HAS_TOS,
				.ttl = 64,
				.tos = 0x10,
				.ifindex = 7,
				.local = {.family = LFP_AF_INET, .ip = {192, 0, 2, 255}},
				.spec = 0xc0000209,
				.drops = 8,
				.segment = 1472,
				.payload = {(const uint8_t *)"bc", 2},
			},
	};

	(void)state;
	assert_int_equal(encode(&frame), sizeof(golden));
	assert_memory_equal(wire, golden, sizeof(golden));
}

static void test_golden_addr(void **state)
{
	static const uint8_t golden[LFP_ADDR_SIZE] = {
		0, 19, 0x12, 0x34, 1, 2, 3, 4, 0x20, 1, 0xd, 0xb8, 0, 0,
		0, 0,  0,    0,    0, 0, 0, 0, 0,    1, 5,   6,    7, 8,
	};
	const struct lfp_addr addr = {
		.family = LFP_AF_INET6,
		.port = 0x1234,
		.flowinfo = 0x01020304,
		.ip = {0x20, 1, 0xd, 0xb8, [15] = 1},
		.scope = 0x05060708,
	};
	struct lfp_addr back;

	(void)state;
	lfp_addr_put(&addr, wire);
	assert_memory_equal(wire, golden, sizeof(golden));
	assert_int_equal(lfp_addr_get(wire, &back), 0);
	assert_int_equal(back.flowinfo, addr.flowinfo);
	assert_int_equal(back.scope, addr.scope);
}

/* The short way to a DATA frame makes the same bytes. */
static void test_data_header(void **state)
{
	(void)state;
	for (uint8_t flags = 0; flags <= (LFP_FRAME_MORE | LFP_FRAME_URGENT); flags++) {
		const struct lfp_frame frame = {
			.code = LFP_DATA,
			.flags = flags,
			.sock = 0x0123456789abcdef & ~LFP_ID_EPOCH,
			.epoch = 0x0123,
			.data = {.position = UINT64_C(0xfedcba9876543210),
				 .payload = {(const uint8_t *)"hello", 5}},
		};
		int len = encode(&frame);

		assert_int_equal(len, LFP_DATA_OVERHEAD + 5);
		memset(again, 0xee, LFP_DATA_OVERHEAD);
		memcpy(again + LFP_DATA_OVERHEAD, "hello", 5);
		lfp_data_header(again, 0x0123456789abcdef, frame.data.position, 5, flags);
		assert_memory_equal(wire, again, (size_t)len);
	}
}

static void test_packet(void **state)
{
	static const uint8_t golden[] = {0x4c, 0x46, 1,    1, 0, 0, 0, 17,  0xff,
					 0xff, 0xff, 0xff, 1, 2, 3, 4, 0xaa};
	static const struct {
		size_t at;
		uint8_t value;
		const char *why;
	} bad[] = {
		{0, 0x4d, "packet without the magic number"},
		{1, 0, "packet without the magic number"},
		{2, 0, "packet of another version"},
		{2, 2, "packet of another version"},
		{3, 2, "packet with unknown flags"},
		{3, 0x81, "packet with unknown flags"},
		{4, 1, "packet length differs from the bytes received"},
		{7, 16, "packet length differs from the bytes received"},
		{7, 18, "packet length differs from the bytes received"},
	};
	const struct lfp_packet packet = {.flags = LFP_PACKET_DATA,
					  .length = 17,
					  .sequence = UINT32_MAX,
					  .taken = 0x01020304};
	struct lfp_packet back;
	uint8_t buf[sizeof(golden)];
	const char *why;

	(void)state;
	memcpy(buf, golden, sizeof(buf));
	memset(buf, 0, LFP_PACKET_HEADER);
	lfp_packet_encode(&packet, buf);
	assert_memory_equal(buf, golden, sizeof(golden));
	assert_int_equal(lfp_packet_decode(golden, sizeof(golden), &back, &why), 0);
	assert_int_equal(back.flags, packet.flags);
	assert_int_equal(back.length, packet.length);
	assert_int_equal(back.sequence, packet.sequence);
	assert_int_equal(back.taken, packet.taken);

	for (size_t len = 0; len < sizeof(golden); len++)
		assert_int_equal(lfp_packet_decode(golden, len, &back, &why), -EPROTO);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(buf, golden, sizeof(buf));
		buf[bad[i].at] = bad[i].value;
		assert_int_equal(lfp_packet_decode(buf, sizeof(buf), &back, &why), -EPROTO);
		assert_string_equal(why, bad[i].why);
	}
}

/*
 * fuzz/corpus/frame is the start of the fuzzer, and also fixes the layout of all messages: a byte
 * for the side, then a packet. After a change that is meant:
 *
 *	LFP_CORPUS=write build/tests/lfp/test-layout
 */
#define CORPUS "fuzz/corpus/frame"

static void check_file(const char *name, const uint8_t *buf, size_t len)
{
	const char *what = getenv("LFP_CORPUS");
	char path[128];
	FILE *file;
	size_t i;

	snprintf(path, sizeof(path), CORPUS "/%s", name);
	for (i = sizeof(CORPUS); path[i]; i++)
		path[i] = (char)tolower((unsigned char)path[i]);
	if (what && strcmp(what, "write") == 0) {
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fwrite(buf, 1, len, file), len);
		assert_int_equal(fclose(file), 0);
		return;
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s is missing", path);
	i = fread(again, 1, sizeof(again), file);
	fclose(file);
	if (i != len || memcmp(again, buf, len) != 0)
		fail_msg("%s: %s is laid out in another way", path, name);
}

/* Put the side and the header before frames that are already there; returns the length of all. */
static size_t finish_input(uint8_t *input, enum lfp_side side, uint8_t flags, size_t frames)
{
	const struct lfp_packet packet = {
		.flags = flags,
		.length = (uint32_t)(LFP_PACKET_HEADER + frames),
		.sequence = 1,
	};

	input[0] = (uint8_t)side;
	lfp_packet_encode(&packet, input + 1);
	return 1 + LFP_PACKET_HEADER + frames;
}

static size_t add_sample(uint8_t *at, uint8_t code, struct sample_random *random)
{
	struct lfp_frame frame;
	int len;

	sample_fill(lfp_message_by_code(code), random, 24, &frame);
	len = lfp_frame_encode(&frame, at, SAMPLE_ROOM / 2);
	assert_true(len > 0);
	return (size_t)len;
}

static void test_corpus_messages(void **state)
{
	const struct lfp_message *message;

	(void)state;
	if (access(CORPUS, F_OK) != 0)
		skip();
	for (size_t i = 0; (message = lfp_message_at(i)); i++) {
		struct sample_random random = {.state = message->code};
		size_t len = add_sample(wire + 1 + LFP_PACKET_HEADER, message->code, &random);

		len = finish_input(wire, sample_side(message),
				   lfp_is_data(message->code) ? LFP_PACKET_DATA : 0, len);
		check_file(message->name, wire, len);
	}
}

static void test_corpus_packets(void **state)
{
	static const struct {
		const char *name;
		enum lfp_side side;
		uint8_t codes[6];
	} packets[] = {
		{"packet-empty", LFP_FROM_VSE, {0}},
		{"packet-client",
		 LFP_FROM_VSE,
		 {LFP_TASK_BEGIN, LFP_SOCKET, LFP_SETSOCKOPT, LFP_CONNECT, LFP_DATA, LFP_CLOSE}},
		{"packet-server",
		 LFP_FROM_LFPD,
		 {LFP_BIND_REPLY, LFP_LISTEN_REPLY, LFP_ACCEPTED, LFP_DATA, LFP_SHUTDOWN,
		  LFP_RESET}},
		{"packet-data",
		 LFP_FROM_LFPD,
		 {LFP_DATA, LFP_DATA, LFP_WINDOW, LFP_DATA, LFP_WINDOW, LFP_DATA}},
		{"packet-datagrams",
		 LFP_FROM_LFPD,
		 {LFP_DATAGRAM, LFP_DATAGRAM, LFP_SENT_REPLY, LFP_DATAGRAM, LFP_DATAGRAM_ERROR,
		  LFP_ERRQUEUE_REPLY}},
	};

	(void)state;
	if (access(CORPUS, F_OK) != 0)
		skip();
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		struct sample_random random = {.state = 99};
		size_t len = 0;
		uint8_t flags = 0;

		for (size_t j = 0; j < 6 && packets[i].codes[j]; j++) {
			len += add_sample(wire + 1 + LFP_PACKET_HEADER + len, packets[i].codes[j],
					  &random);
			if (lfp_is_data(packets[i].codes[j]))
				flags = LFP_PACKET_DATA;
		}
		len = finish_input(wire, packets[i].side, flags, len);
		check_file(packets[i].name, wire, len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_hello),    cmocka_unit_test(test_golden_data),
		cmocka_unit_test(test_golden_epoch),    cmocka_unit_test(test_epochs),
		cmocka_unit_test(test_golden_datagram), cmocka_unit_test(test_golden_addr),
		cmocka_unit_test(test_data_header),     cmocka_unit_test(test_packet),
		cmocka_unit_test(test_corpus_messages), cmocka_unit_test(test_corpus_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
