/* SPDX-License-Identifier: Apache-2.0 */
/* test-fctc.c - messages over an FCTC pair, both ends in one process; one of them goes */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/devemu/fctc-rig.h"

/* Everything that is under way arrives. */
static void pump(struct fctc_rig *one, struct fctc_rig *two)
{
	for (int i = 0; i < 4; i++) {
		fctc_ready(one->fctc);
		subch_continue(one->subch);
		fctc_ready(two->fctc);
		subch_continue(two->subch);
	}
}

static void pair(struct fctc_rig *keeper, struct fctc_rig *other)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
	fctc_attach(keeper->fctc, fds[0], true);
	fctc_attach(other->fctc, fds[1], false);
}

/* A block from each side to the other; the reader comes first, or the writer. */
static void blocks(void **state)
{
	struct fctc_rig ends[2];

	(void)state;
	fctc_rig_init(&ends[0]);
	fctc_rig_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int from = 0; from < 2; from++) {
		for (int reader_first = 0; reader_first < 2; reader_first++) {
			struct fctc_rig *writer = &ends[from], *reader = &ends[!from];

			for (uint32_t i = 0; i < 40000; i++)
				writer->storage->bytes[FCTC_RIG_DATA + i] =
					(uint8_t)(i * 7 + (uint32_t)from);
			memset(reader->storage->bytes + FCTC_RIG_DATA, 0, 50000);
			writer->attention = reader->attention = 0;
			if (reader_first)
				fctc_rig_start(reader, 0x02, CCW_SLI, 50000);
			else
				fctc_rig_start(writer, 0x01, 0, 40000);
			pump(writer, reader);
			assert_false(fctc_rig_done(writer) || fctc_rig_done(reader));
			/* The one that is not waiting gets attention. */
			assert_int_equal(reader_first ? writer->attention : reader->attention,
					 UNIT_ATTENTION);
			if (reader_first)
				fctc_rig_start(writer, 0x01, 0, 40000);
			else
				fctc_rig_start(reader, 0x02, CCW_SLI, 50000);
			pump(writer, reader);
			assert_true(fctc_rig_done(writer));
			assert_int_equal(writer->scsw.unit_status, UNIT_END);
			assert_int_equal(writer->scsw.sch_status, 0);
			assert_true(fctc_rig_done(reader));
			assert_int_equal(reader->scsw.unit_status, UNIT_END);
			assert_int_equal(reader->scsw.count, 10000);
			assert_memory_equal(reader->storage->bytes + FCTC_RIG_DATA,
					    writer->storage->bytes + FCTC_RIG_DATA, 40000);
		}
	}
	/* A short area is the reader's incorrect length. */
	fctc_rig_start(&ends[0], 0x02, 0, 100);
	fctc_rig_start(&ends[1], 0x01, 0, 200);
	pump(&ends[0], &ends[1]);
	assert_true(fctc_rig_done(&ends[0]) && fctc_rig_done(&ends[1]));
	assert_int_equal(ends[0].scsw.sch_status, SCH_INCORRECT_LENGTH);
	assert_int_equal(ends[1].scsw.sch_status, 0);
	fctc_rig_finish(&ends[0]);
	fctc_rig_finish(&ends[1]);
}

/* Both write at once: the keeper's was first, the other hears busy and attention, and reads. */
static void contention(void **state)
{
	struct fctc_rig ends[2];

	(void)state;
	fctc_rig_init(&ends[0]);
	fctc_rig_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	fctc_rig_start(&ends[0], 0x01, 0, 10);
	fctc_rig_start(&ends[1], 0x01, 0, 10);
	pump(&ends[0], &ends[1]);
	assert_false(fctc_rig_done(&ends[0]));
	assert_true(fctc_rig_done(&ends[1]));
	assert_int_equal(ends[1].scsw.unit_status, UNIT_BUSY | UNIT_ATTENTION);
	fctc_rig_start(&ends[1], 0x14, 0, 1);
	pump(&ends[0], &ends[1]);
	assert_true(fctc_rig_done(&ends[1]));
	assert_int_equal(ends[1].storage->bytes[FCTC_RIG_DATA], 0x01);
	fctc_rig_start(&ends[1], 0x02, 0, 10);
	pump(&ends[0], &ends[1]);
	assert_true(fctc_rig_done(&ends[0]) && fctc_rig_done(&ends[1]));
	assert_int_equal(ends[1].scsw.unit_status, UNIT_END);
	fctc_rig_finish(&ends[0]);
	fctc_rig_finish(&ends[1]);
}

static void end_of_file(void **state)
{
	struct fctc_rig ends[2];

	(void)state;
	fctc_rig_init(&ends[0]);
	fctc_rig_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int from = 0; from < 2; from++) {
		fctc_rig_start(&ends[from], 0xc3, CCW_SLI, 1);
		pump(&ends[0], &ends[1]);
		assert_true(fctc_rig_done(&ends[from]));
		fctc_rig_start(&ends[!from], 0x02, CCW_SLI, 100);
		pump(&ends[0], &ends[1]);
		fctc_rig_start(&ends[from], 0x81, CCW_SLI, 1);
		pump(&ends[0], &ends[1]);
		assert_true(fctc_rig_done(&ends[0]) && fctc_rig_done(&ends[1]));
		assert_int_equal(ends[!from].scsw.unit_status, UNIT_END | UNIT_EXCEPTION);
		assert_int_equal(ends[!from].scsw.count, 100);
		assert_int_equal(ends[from].scsw.unit_status, UNIT_END);
	}
	fctc_rig_finish(&ends[0]);
	fctc_rig_finish(&ends[1]);
}

/* A Read that is halted does not take the next block. */
static void halted(void **state)
{
	struct fctc_rig ends[2];

	(void)state;
	fctc_rig_init(&ends[0]);
	fctc_rig_init(&ends[1]);
	pair(&ends[0], &ends[1]);
	for (int i = 0; i < 40; i++) {
		struct fctc_rig *reader = &ends[i & 1], *writer = &ends[!(i & 1)];

		fctc_rig_start(reader, 0x02, CCW_SLI, 100);
		if (i & 2)
			pump(reader, writer);
		assert_int_equal(subch_halt(reader->subch), 0);
		assert_true(fctc_rig_done(reader));
		assert_int_equal(reader->scsw.fctl, FCTL_START | FCTL_HALT);
		/* Even if both cross, the block is not lost. */
		writer->storage->bytes[FCTC_RIG_DATA] = (uint8_t)i;
		fctc_rig_start(writer, 0x01, 0, 10);
		if (!(i & 4))
			pump(reader, writer);
		fctc_rig_start(reader, 0x02, CCW_SLI, 100);
		pump(reader, writer);
		assert_true(fctc_rig_done(writer));
		assert_int_equal(writer->scsw.unit_status, UNIT_END);
		assert_true(fctc_rig_done(reader));
		assert_int_equal(reader->scsw.count, 90);
		assert_int_equal(reader->storage->bytes[FCTC_RIG_DATA], i);
	}
	fctc_rig_finish(&ends[0]);
	fctc_rig_finish(&ends[1]);
}

/* The side that does not keep the adapter loses the one that does, and gets another one. */
static void keeper_dies(void **state)
{
	struct fctc_rig keeper, other;
	uint8_t *state_of;

	(void)state;
	fctc_rig_init(&other);
	state_of = other.storage->bytes + FCTC_RIG_DATA;
	for (int i = 0; i < 2; i++) {
		fctc_rig_init(&keeper);
		pair(&keeper, &other);
		fctc_rig_start(&other, 0xc3, CCW_SLI, 1);
		pump(&keeper, &other);
		assert_true(fctc_rig_done(&other));
		fctc_rig_start(&other, 0x04, 0, 2);
		assert_true(fctc_rig_done(&other));
		assert_int_equal(state_of[1], 0xc0);
		fctc_rig_start(&other, 0xc4, 0, 256);
		assert_true(fctc_rig_done(&other));
		assert_int_equal(state_of[31], 0x00);
		assert_int_equal(state_of[30], 0x0e);
		fctc_rig_start(&other, 0x02, CCW_SLI, 100);
		pump(&keeper, &other);
		assert_false(fctc_rig_done(&other));
		fctc_rig_finish(&keeper);
		assert_int_equal(fctc_ready(other.fctc), -EPIPE);
		subch_continue(other.subch);
		assert_true(fctc_rig_done(&other));
		assert_int_equal(other.scsw.unit_status, UNIT_END | UNIT_CHECK);
		assert_int_equal(other.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
		fctc_rig_start(&other, 0x01, CCW_SLI, 100);
		assert_true(fctc_rig_done(&other));
		assert_int_equal(other.sense, FCTC_INTERVENTION);
	}
	fctc_rig_finish(&other);
}

/* A program that starts and halts while the other process does not run: what cannot be sent waits,
 * until it is too much. */
static void other_sleeps(void **state)
{
	struct fctc_rig keeper, other;
	int halts = 0;

	(void)state;
	fctc_rig_init(&keeper);
	fctc_rig_init(&other);
	pair(&keeper, &other);
	while (other.fctc->fd >= 0 && halts < 10000) {
		fctc_rig_start(&other, 0x01, 0, 60000);
		if (other.fctc->fd < 0)
			break;
		assert_int_equal(subch_halt(other.subch), 0);
		assert_true(fctc_rig_done(&other));
		halts++;
		if (halts == 20)
			assert_int_equal(fctc_events(other.fctc), POLLIN | POLLOUT);
	}
	assert_in_range(halts, 20, 9999);
	/* It was the Write or its halt that was too much. */
	if (!fctc_rig_done(&other)) {
		fctc_rig_start(&other, 0x01, 0, 60000);
		assert_true(fctc_rig_done(&other));
	}
	assert_int_equal(other.sense & FCTC_INTERVENTION, FCTC_INTERVENTION);
	assert_int_equal(fctc_ready(keeper.fctc), -EPIPE);
	fctc_rig_finish(&keeper);
	fctc_rig_finish(&other);
}

/* Data that is no FCTC message ends the connection, without other effects. */
static void nonsense(void **state)
{
	static const char *const packets[] = {"x",
					      "F",
					      "F\2\1\1\0\0\0\1",
					      "F\1\11\1\0\0\0\1",
					      "G\1\1\1\0\0\0\1",
					      "F\1\3\1\0\0\0\1",
					      "F\1\4\1\0\0\0\1"};
	struct fctc_rig end;

	(void)state;
	fctc_rig_init(&end);
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		int fds[2];

		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
		fctc_attach(end.fctc, fds[0], true);
		fctc_rig_start(&end, 0x02, CCW_SLI, 100);
		assert_false(fctc_rig_done(&end));
		assert_int_equal(send(fds[1], packets[i], i < 2 ? 1 : 8, 0), i < 2 ? 1 : 8);
		assert_int_equal(fctc_ready(end.fctc), -EPIPE);
		subch_continue(end.subch);
		assert_true(fctc_rig_done(&end));
		assert_int_equal(end.sense, FCTC_INTERVENTION | FCTC_RESET_EVENT);
		close(fds[1]);
	}
	/* A second command before the first has ended, too */
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	fctc_attach(end.fctc, fds[0], true);
	assert_int_equal(send(fds[1], "F\1\1\2\0\0\0\1", 8, 0), 8);
	assert_int_equal(fctc_ready(end.fctc), 0);
	assert_int_equal(send(fds[1], "F\1\1\2\0\0\0\2", 8, 0), 8);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	close(fds[1]);
	fctc_rig_finish(&end);
}

/* The other side has answered a Read that it has not read, and is gone: the kernel tells that
 * first, and the answer is still there. */
static void read_of_who_goes(struct fctc_rig *end)
{
	int fds[2];

	fctc_rig_init(end);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds), 0);
	fctc_attach(end->fctc, fds[0], false);
	fctc_rig_start(end, 0x02, CCW_SLI, 100);
	assert_int_equal(send(fds[1], "F\1\3\2\14\0\0\1block", 13, 0), 13);
	close(fds[1]);
}

/* The Read under way has got it, and the next one gets nothing. */
static void expect_block(struct fctc_rig *end)
{
	assert_true(fctc_rig_done(end));
	assert_int_equal(end->scsw.unit_status, UNIT_END);
	assert_int_equal(end->scsw.count, 95);
	assert_memory_equal(end->storage->bytes + FCTC_RIG_DATA, "block", 5);
	fctc_rig_start(end, 0x02, CCW_SLI, 100);
	assert_true(fctc_rig_done(end));
	assert_int_equal(end->sense & FCTC_INTERVENTION, FCTC_INTERVENTION);
}

static void what_came_before_the_end(void **state)
{
	struct fctc_rig end;

	(void)state;
	read_of_who_goes(&end);
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	subch_continue(end.subch);
	expect_block(&end);
	fctc_rig_finish(&end);
}

/* So it is if this side sends before it looks: the Read is given up, and the next one gets the
 * block. */
static void halted_at_the_end(void **state)
{
	struct fctc_rig end;

	(void)state;
	read_of_who_goes(&end);
	assert_int_equal(subch_halt(end.subch), 0);
	assert_true(fctc_rig_done(&end));
	assert_int_equal(fctc_ready(end.fctc), -EPIPE);
	fctc_rig_start(&end, 0x02, CCW_SLI, 100);
	expect_block(&end);
	fctc_rig_finish(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks),       cmocka_unit_test(contention),
		cmocka_unit_test(end_of_file),  cmocka_unit_test(halted),
		cmocka_unit_test(nonsense),     cmocka_unit_test(what_came_before_the_end),
		cmocka_unit_test(keeper_dies),  cmocka_unit_test(halted_at_the_end),
		cmocka_unit_test(other_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
