/* SPDX-License-Identifier: Apache-2.0 */
/* test-tcw-format.c - TCW, TIDAW, TCCB and TSB byte for byte, and each field of a TCCB that can be
 * wrong
 *
 * Layouts: z/VM CP Control Blocks TCWBK, TCCBK, TSBBK; Linux, arch/s390/include/asm/fcx.h. The
 * lengths of the golden TCCB are those that tccb_add_dcw() and tcw_finalize() of
 * drivers/s390/cio/fcx.c would make.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "devemu/channel/tcw.h"

static void tcw_golden(void **state)
{
	/* Input TIDAL; TCCB of 40 bytes: (40 - 20) / 4 = 5; read */
	static const uint8_t golden[TCW_LEN] = {
		0x00, 0x04, 0x00, 0x00, 0x00, 0x16, 0x00, 0x00, /* flags, tccbl and r */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* output */
		0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x10, /* input */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x40, /* TSB */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x80, /* TCCB */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, /* counts */
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0x00, 0x00, 0x50, 0x40,
	};
	struct tcw tcw = {.flags = TCW_INPUT_TIDA,
			  .tccbl = 5,
			  .read = true,
			  .input = 0x100020010,
			  .tsb = 0x3040,
			  .tccb = 0x3080,
			  .input_count = 4096,
			  .interrogate = 0x5040};
	uint8_t bytes[TCW_LEN];
	struct tcw back;

	(void)state;
	tcw_encode(&tcw, bytes);
	assert_memory_equal(bytes, golden, TCW_LEN);
	assert_int_equal(tcw_decode(golden, &back), 0);
	tcw_encode(&back, bytes);
	assert_memory_equal(bytes, golden, TCW_LEN);
}

/* Every bit of a TCW that has no meaning is refused when it is on. */
static void tcw_reserved(void **state)
{
	struct tcw tcw = {.tccbl = 5, .read = true}, back;
	uint8_t bytes[TCW_LEN];
	int refused = 0;

	(void)state;
	for (unsigned int bit = 0; bit < TCW_LEN * 8; bit++) {
		tcw_encode(&tcw, bytes);
		bytes[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		if (tcw_decode(bytes, &back))
			refused++;
	}
	/* Words 0 (29 of 32), 1 (24 of 32), 12 to 14 (96). */
	assert_int_equal(refused, 29 + 24 + 96);
}

static void tidaw_golden(void **state)
{
	static const uint8_t golden[TIDAW_LEN] = {0xc8, 0, 0, 0, 0x00, 0x01, 0x00, 0x00,
						  0x00, 0, 0, 1, 0x00, 0x02, 0x00, 0x00};
	struct tidaw tidaw = {.flags = TIDAW_LAST | TIDAW_SKIP | TIDAW_INSERT_CBC,
			      .count = 65536,
			      .addr = 0x100020000};
	uint8_t bytes[TIDAW_LEN];
	struct tidaw back;

	(void)state;
	tidaw_encode(&tidaw, bytes);
	assert_memory_equal(bytes, golden, TIDAW_LEN);
	assert_int_equal(tidaw_decode(golden, &back), 0);
	assert_int_equal(back.count, 65536);
	bytes[0] |= 1;
	assert_int_equal(tidaw_decode(bytes, &back), -EINVAL);
}

/* A Prefix of five bytes of control data, chained to a Read of 4096: 16 + (8 + 8) + 8 + 8 bytes. */
static const uint8_t tccb_golden[48] = {
	0x7f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x24, 0x1f, 0xfe, 0x00, 0x07,
	0x00, 0x00, 0x00, 0x00, 0xe7, 0x40, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00,
	'a',  'b',  'c',  'd',  'e',  0x00, 0x00, 0x00, 0x86, 0x00, 0x00, 0x00,
	0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x04,
};

static void tccb_good(void **state)
{
	struct tccb tccb = {
		.action = TCCB_SAC_NORMAL, .priority = 7, .dcws = 2, .transport_count = 4100};
	uint8_t bytes[TCCB_LEN_MAX];
	struct tccb back;
	uint16_t offset;

	(void)state;
	tccb.dcw[0] = (struct dcw){.cmd = 0xe7,
				   .flags = DCW_CC,
				   .control_count = 5,
				   .control = (const uint8_t *)"abcde"};
	tccb.dcw[1] = (struct dcw){.cmd = 0x86, .count = 4096};
	assert_int_equal(tccb_encode(&tccb, bytes), sizeof(tccb_golden));
	assert_memory_equal(bytes, tccb_golden, sizeof(tccb_golden));
	assert_int_equal(tccb_decode(tccb_golden, sizeof(tccb_golden), &back, &offset), DDPC_NONE);
	assert_int_equal(back.dcws, 2);
	assert_int_equal(back.data, 4096);
	assert_int_equal(back.transport_count, tccb_transport_count(4096));
	assert_int_equal(back.dcw[1].offset, 16);
	assert_memory_equal(back.dcw[0].control, "abcde", 5);
	/* 1 to 4 bytes more are counted as 4. */
	assert_int_equal(tccb_transport_count(4097), 4104);
}

static void tccb_bad(void **state)
{
	static const struct {
		const char *name;
		unsigned int at;
		uint8_t value;
		enum ddpc why;
		uint16_t offset;
	} rows[] = {
		{"format", 0, 0x7e, DDPC_HEADER, 0},
		{"reserved in word 0", 2, 1, DDPC_HEADER, 0},
		{"reserved in word 1", 4, 1, DDPC_HEADER, 0},
		{"length of the TCA", 7, 0x20, DDPC_LENGTH, 0},
		{"service action", 9, 0x00, DDPC_HEADER, 0},
		{"reserved in word 2", 10, 1, DDPC_HEADER, 0},
		{"reserved in word 3", 15, 1, DDPC_HEADER, 0},
		{"flags of a DCW", 17, 0xc0, DDPC_DCW, 0},
		{"reserved in a DCW", 18, 1, DDPC_DCW, 0},
		{"control data over the end", 19, 200, DDPC_DCW, 0},
		{"chained to nothing", 33, 0x40, DDPC_DCW, 24},
		{"something behind the last", 17, 0x00, DDPC_DCW, 0},
		{"more control data than there is", 35, 1, DDPC_DCW, 16},
		{"reserved in the trailer", 43, 1, DDPC_LENGTH, 0},
		{"a count of nearly 4 GB is a count", 36, 0xff, DDPC_NONE, 0},
	};
	uint8_t bytes[TCCB_LEN_MAX];
	struct tccb tccb;
	uint16_t offset;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		memcpy(bytes, tccb_golden, sizeof(tccb_golden));
		bytes[rows[i].at] = rows[i].value;
		assert_int_equal(tccb_decode(bytes, sizeof(tccb_golden), &tccb, &offset),
				 rows[i].why);
		if (rows[i].why == DDPC_DCW)
			assert_int_equal(offset, rows[i].offset);
	}
	/* Two counts whose sum does not fit */
	memcpy(bytes, tccb_golden, sizeof(tccb_golden));
	bytes[20] = bytes[36] = 0xff;
	assert_int_equal(tccb_decode(bytes, sizeof(tccb_golden), &tccb, &offset), DDPC_COUNT);
	for (size_t len = 0; len < sizeof(tccb_golden); len++)
		assert_int_not_equal(tccb_decode(tccb_golden, len, &tccb, &offset), DDPC_NONE);
}

/* 30 DCWs and no more; and no more than the length field can say. */
static void tccb_full(void **state)
{
	struct tccb tccb = {.action = TCCB_SAC_NORMAL, .dcws = 30, .transport_count = 4};
	uint8_t bytes[TCCB_LEN_MAX], data[255] = {0};
	struct tccb back;
	uint16_t offset;
	int len;

	(void)state;
	for (int i = 0; i < 30; i++)
		tccb.dcw[i] = (struct dcw){.cmd = 0x03, .flags = i < 29 ? DCW_CC : 0};
	len = tccb_encode(&tccb, bytes);
	assert_int_equal(len, TCCB_LEN_MAX);
	assert_int_equal(bytes[7], 252);
	assert_int_equal(tccb_decode(bytes, (size_t)len, &back, &offset), DDPC_NONE);
	assert_int_equal(back.dcws, 30);
	tccb.dcws = 1;
	tccb.dcw[0] = (struct dcw){.cmd = 1, .control_count = 255, .control = data};
	assert_int_equal(tccb_encode(&tccb, bytes), -ENOSPC);
}

static void tsb_golden(void **state)
{
	/* I/O status: offset, count and times are good; 100, 1, 2, 3, 4 microseconds; no sense data
	 */
	static const uint8_t status[TSB_LEN] = {32, 0xd1, 0, 24, 0,   0, 0x10, 0, 0, 0, 0,
						0,  0,    0, 0,  100, 0, 0,    0, 1, 0, 0,
						0,  2,    0, 0,  0,   3, 0,    0, 0, 4};
	/* Program check: reason 5, and sense data from byte 32 on */
	static const uint8_t program[TSB_LEN] = {64, 0x82, 0, 16, 0, 0, 0, 0, 0, 0, 0,
						 0,  0,    0, 0,  5, 0, 0, 0, 0, 0, 0,
						 0,  0,    0, 0,  0, 0, 0, 0, 0, 0, 0x80};
	struct tsb tsb = {
		.flags = TSB_DCW_OFFSET_VALID | TSB_COUNT_VALID | TSB_TIMES_VALID | TSB_IO_STATUS,
		.dcw_offset = 24,
		.count = 4096,
		.device_time = 100,
		.defer_time = 1,
		.queue_time = 2,
		.busy_time = 3,
		.active_time = 4,
	};
	uint8_t bytes[TSB_LEN];

	(void)state;
	tsb_encode(&tsb, bytes);
	assert_memory_equal(bytes, status, TSB_LEN);
	tsb_decode(status, &tsb);
	tsb_encode(&tsb, bytes);
	assert_memory_equal(bytes, status, TSB_LEN);
	tsb = (struct tsb){.flags = TSB_DCW_OFFSET_VALID | TSB_PROGRAM_CHECK,
			   .dcw_offset = 16,
			   .reason = DDPC_DCW,
			   .sense_valid = true,
			   .sense = {0x80}};
	tsb_encode(&tsb, bytes);
	assert_memory_equal(bytes, program, TSB_LEN);
	tsb_decode(program, &tsb);
	assert_int_equal(tsb.reason, DDPC_DCW);
	assert_int_equal(tsb.sense[0], 0x80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcw_golden),   cmocka_unit_test(tcw_reserved),
		cmocka_unit_test(tidaw_golden), cmocka_unit_test(tccb_good),
		cmocka_unit_test(tccb_bad),     cmocka_unit_test(tccb_full),
		cmocka_unit_test(tsb_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
