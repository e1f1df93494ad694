/* SPDX-License-Identifier: Apache-2.0 */
/* test-fctc-adapter.c - the table of commands and states of a channel-to-channel adapter
 *
 * IBM ESCON Channel-to-Channel Adapter, SA22-7203, section 2.13: the effect of one side's command
 * in each state of the other side.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/device/fctc-adapter.h"

#define PRE 0xe3
#define CTL 0x07
#define RED 0x02
#define WRT 0x01
#define SCB 0x14
#define WEF 0x81
#define NOP 0x03
#define SEM 0xc3
#define SBM 0x43

static struct fctc_adapter a;

static int setup(void **state)
{
	(void)state;
	if (fctc_adapter_init(&a))
		return -1;
	fctc_adapter_come(&a, 0);
	fctc_adapter_come(&a, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fctc_adapter_finish(&a);
	return 0;
}

static void command(int side, uint8_t cmd)
{
	fctc_adapter_command(&a, side, cmd, (const uint8_t *)"block", 5);
}

static void classes(void **state)
{
	static const struct {
		uint8_t cmd;
		enum fctc_class class;
	} rows[] = {
		{0x01, FCTC_WRITE},         {0x41, FCTC_WRITE},         {0x81, FCTC_WRITE_EOF},
		{0x02, FCTC_READ},          {0xc2, FCTC_READ},          {0x07, FCTC_CONTROL},
		{0x17, FCTC_CONTROL},       {0x0c, FCTC_READ_BACKWARD}, {0x14, FCTC_SENSE_COMMAND},
		{0x03, FCTC_NO_OPERATION},  {0xc3, FCTC_EXTENDED_MODE}, {0x43, FCTC_BASIC_MODE},
		{0xe3, FCTC_PREPARE},       {0x04, FCTC_SENSE_STATE},   {0xe4, FCTC_SENSE_ID},
		{0xc4, FCTC_CONFIGURATION}, {0x00, FCTC_INVALID},       {0x08, FCTC_INVALID},
		{0x24, FCTC_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(fctc_class(rows[i].cmd), rows[i].class);
}

/* Rows of the table: side 1 has done @before, then side 0 does @cmd. */
static void table(void **state)
{
#define WAITS 0xff
#define END   UNIT_END
#define BA    (UNIT_BUSY | UNIT_ATTENTION)
	static const struct {
		uint8_t before, cmd; /* 0: available */
		uint8_t status;      /* or WAITS */
		uint8_t other;       /* final status of side 1, or WAITS; 0: no command */
		bool attention;      /* at side 1 */
	} rows[] = {
		{0, PRE, WAITS, 0, false},
		{0, CTL, WAITS, 0, true},
		{0, RED, WAITS, 0, true},
		{0, WRT, WAITS, 0, true},
		{0, SCB, END, 0, false},
		{0, WEF, END, 0, false},
		{0, NOP, END, 0, false},
		{0, SEM, END, 0, false},
		{0, SBM, END, 0, false},
		{PRE, PRE, END, END, false},
		{PRE, CTL, WAITS, END, false},
		{PRE, RED, WAITS, END, false},
		{PRE, WRT, WAITS, END, false},
		{PRE, SCB, END, WAITS, false},
		{PRE, WEF, END, WAITS, false},
		{PRE, NOP, END, WAITS, false},
		{CTL, PRE, END, WAITS, false},
		{CTL, CTL, BA, WAITS, false},
		{CTL, RED, BA, WAITS, false},
		{CTL, WRT, BA, WAITS, false},
		{CTL, SCB, END, END, false},
		{CTL, WEF, BA, WAITS, false},
		{CTL, NOP, BA, WAITS, false},
		{RED, PRE, END, WAITS, false},
		{RED, CTL, BA, WAITS, false},
		{RED, RED, BA, WAITS, false},
		{RED, WRT, END, END, false},
		{RED, SCB, END, WAITS, false},
		{RED, WEF, END, END | UNIT_EXCEPTION, false},
		{RED, NOP, BA, WAITS, false},
		{WRT, PRE, END, WAITS, false},
		{WRT, CTL, BA, WAITS, false},
		{WRT, RED, END, END, false},
		{WRT, WRT, BA, WAITS, false},
		{WRT, SCB, END, WAITS, false},
		{WRT, WEF, BA, WAITS, false},
		{WRT, SEM, BA, WAITS, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fctc_side *ours = &a.side[0], *theirs = &a.side[1];

		print_message("%02x then %02x\n", rows[i].before, rows[i].cmd);
		fctc_adapter_come(&a, 0);
		fctc_adapter_come(&a, 1);
		command(0, SEM);
		if (rows[i].before)
			command(1, rows[i].before);
		ours->attention = false;
		command(0, rows[i].cmd);
		assert_int_equal(ours->ended ? ours->status : WAITS, rows[i].status);
		if (rows[i].other == WAITS)
			assert_false(theirs->ended);
		else if (rows[i].other)
			assert_int_equal(theirs->status, rows[i].other);
		assert_int_equal(theirs->attention, rows[i].attention);
	}
}

static void blocks(void **state)
{
	(void)state;
	fctc_adapter_command(&a, 0, WRT, (const uint8_t *)"hello", 5);
	assert_true(a.side[1].attention);
	/* Reads the command byte of the waiting command. */
	command(1, SCB);
	assert_int_equal(a.side[1].len, 1);
	assert_int_equal(a.side[1].data[0], WRT);
	command(1, RED);
	assert_true(a.side[0].ended);
	assert_int_equal(a.side[1].len, 5);
	assert_memory_equal(a.side[1].data, "hello", 5);
	/* The reader first, and the other way round */
	command(0, 0xc2);
	command(1, SCB);
	assert_int_equal(a.side[1].data[0], 0xc2);
	fctc_adapter_command(&a, 1, WRT, (const uint8_t *)"back", 4);
	assert_int_equal(a.side[0].len, 4);
	assert_memory_equal(a.side[0].data, "back", 4);
	command(1, SCB);
	assert_int_equal(a.side[1].data[0], 0);
}

/* Write EOF is one only in extended mode; kept until a Read sees it. */
static void end_of_file(void **state)
{
	(void)state;
	command(0, WEF);
	assert_int_equal(a.side[0].state, FCTC_WRITES);
	command(1, RED);
	assert_int_equal(a.side[1].status, UNIT_END);
	assert_int_equal(a.side[1].len, 5);
	command(0, SEM);
	command(0, WEF);
	assert_int_equal(a.side[0].status, UNIT_END);
	command(1, NOP);
	command(1, RED);
	assert_int_equal(a.side[1].status, UNIT_END | UNIT_EXCEPTION);
	assert_int_equal(a.side[1].len, 0);
	command(1, RED);
	assert_int_equal(a.side[1].state, FCTC_READS);
}

static void going(void **state)
{
	(void)state;
	command(0, RED);
	fctc_adapter_go(&a, 1);
	assert_true(a.side[0].ended);
	assert_int_equal(a.side[0].status, UNIT_END | UNIT_CHECK);
	assert_int_equal(a.side[0].sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
	for (unsigned int cmd = 0; cmd < 256; cmd++) {
		command(0, (uint8_t)cmd);
		assert_true(a.side[0].ended);
		assert_int_equal(a.side[0].sense, FCTC_INTERVENTION);
	}
	fctc_adapter_come(&a, 1);
	command(0, 0x08);
	assert_int_equal(a.side[0].sense, FCTC_COMMAND_REJECT);
	/* Halted: the other side finds no waiting command. */
	command(0, WRT);
	fctc_adapter_reset(&a, 0);
	assert_false(a.side[1].attention);
	command(1, RED);
	assert_int_equal(a.side[1].state, FCTC_READS);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(classes), TEST(table), TEST(blocks), TEST(end_of_file), TEST(going),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
