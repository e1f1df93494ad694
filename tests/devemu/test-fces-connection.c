/* SPDX-License-Identifier: Apache-2.0 */
/* test-fces-connection.c - two ends agree on keys, change them during traffic, and drop modified
 * frames
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/fces/connection.h"

/* The key server's data for one end. */
struct shelf {
	struct fces_shared now, before;
	int rc;
	unsigned int asked;
};

static int from_shelf(void *context, uint32_t id, struct fces_shared *shared)
{
	struct shelf *shelf = context;

	shelf->asked++;
	if (shelf->rc < 0)
		return shelf->rc;
	if (!id || id == shelf->now.id)
		*shared = shelf->now;
	else if (id == shelf->before.id)
		*shared = shelf->before;
	else
		return -ENOKEY;
	return 0;
}

static struct shelf shelf[2];
static struct fces_connection *connection;

static int setup(void **state)
{
	static const struct fces_connection_names names = {"CHP50", "CU7800", 0x662800, 0x662c00,
							   false};

	(void)state;
	memset(shelf, 0, sizeof(shelf));
	for (int i = 0; i < 2; i++) {
		shelf[i].now.id = 1;
		memset(shelf[i].now.key, 0x5a, FCES_KEY);
	}
	connection = fces_connection_create(&names, from_shelf, &shelf[0], &shelf[1]);
	return connection ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	fces_connection_destroy(connection);
	return 0;
}

static uint8_t data[20000], arrived[20000];

/* Sends in both directions. Returns 0 if all data arrives unchanged. */
static int carry(size_t len)
{
	for (int from_cu = 0; from_cu < 2; from_cu++) {
		int rc;

		for (size_t i = 0; i < len; i++)
			data[i] = (uint8_t)(i * 31 + len + (size_t)from_cu);
		memset(arrived, 0, sizeof(arrived));
		rc = fces_carry(connection, from_cu, 7, data, len, arrived);
		if (rc < 0)
			return rc;
		assert_memory_equal(data, arrived, len);
	}
	return 0;
}

static void an_agreement_gives_keys(void **state)
{
	static const size_t sizes[] = {0, 1, 2048, 2049, 4096, 20000};

	(void)state;
	assert_false(fces_end_ready(&connection->channel));
	assert_int_equal(carry(10), -ENOKEY);
	assert_int_equal(fces_connection_agree(connection), 0);
	assert_true(fces_end_ready(&connection->channel));
	assert_true(fces_end_ready(&connection->control_unit));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(carry(sizes[i]), 0);
	/* 1 + 1 + 1 + 2 + 2 + 10 frames each way */
	assert_int_equal(fces_end_counters(&connection->channel).sealed, 17);
	assert_int_equal(fces_end_counters(&connection->control_unit).opened, 17);
	assert_int_equal(fces_end_counters(&connection->channel).opened, 17);
	/* In place, too. */
	memset(data, 1, 5000);
	assert_int_equal(fces_carry(connection, false, 1, data, 5000, data), 0);
	assert_int_equal(data[4999], 1);
}

static void ends_without_the_same_key_do_not_agree(void **state)
{
	(void)state;
	shelf[1].now.key[31] ^= 1;
	assert_int_equal(fces_connection_agree(connection), -EKEYREJECTED);
	assert_false(fces_end_ready(&connection->channel));
	assert_false(fces_end_ready(&connection->control_unit));
	shelf[1].now.key[31] ^= 1;
	/* No server for one of them. */
	for (int i = 0; i < 2; i++) {
		shelf[i].rc = -ECONNREFUSED;
		assert_int_equal(fces_connection_agree(connection), -ECONNREFUSED);
		shelf[i].rc = 0;
	}
	/* The servers have changed the key in between: the answerer finds the asker's by its id. */
	shelf[1].before = shelf[1].now;
	shelf[1].now.id = 2;
	memset(shelf[1].now.key, 0x77, FCES_KEY);
	assert_int_equal(fces_connection_agree(connection), 0);
	assert_int_equal(carry(100), 0);
	shelf[1].before.id = 9;
	assert_int_equal(fces_connection_agree(connection), -ENOKEY);
	assert_int_equal(carry(100), 0);
}

static void the_other_end_has_to_be_who_it_should_be(void **state)
{
	uint8_t message[FCES_MESSAGE_MAX], reply[FCES_MESSAGE_MAX];
	struct fces_end stranger;
	int len;

	(void)state;
	fces_end_init(&stranger, "CHP51", "CU7800", true, from_shelf, &shelf[0]);
	len = fces_end_ask(&stranger, message);
	assert_true(len > 0);
	assert_int_equal(fces_end_take(&connection->control_unit, message, (size_t)len, reply),
			 -EKEYREJECTED);
	fces_end_finish(&stranger);
	/* An end that answers does not ask. */
	assert_int_equal(fces_end_ask(&connection->control_unit, message), -EINVAL);
}

struct tap {
	int skip;   /* how many pass first */
	size_t bit; /* that is then turned, of those modulo the length */
	size_t seen;
	uint8_t kept[FCES_FRAME_MAX];
	size_t kept_len;
};

static void turn_a_bit(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	struct tap *tap = context;

	(void)from_cu;
	tap->seen++;
	if (tap->skip-- == 0)
		bytes[tap->bit / 8 % len] ^= (uint8_t)(1 << tap->bit % 8);
}

/* Any bit of any of the four messages: no new keys, and the old ones go on both ways. */
static void a_changed_message_changes_no_keys(void **state)
{
	struct tap tap;

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	for (int message = 0; message < 4; message++)
		for (size_t bit = 0; bit < 8 * FCES_MESSAGE_MAX; bit += 3) {
			tap = (struct tap){.skip = message, .bit = bit};
			fces_connection_tap(connection, turn_a_bit, &tap);
			assert_true(fces_connection_agree(connection) < 0);
			fces_connection_tap(connection, NULL, NULL);
			assert_int_equal(carry(100), 0);
		}
	assert_int_equal(fces_connection_agree(connection), 0);
	assert_int_equal(carry(100), 0);
}

/* A first agreement that is disturbed leaves an end without keys. */
static void a_changed_message_gives_no_keys(void **state)
{
	(void)state;
	for (int message = 0; message < 3; message++) {
		struct tap tap = {.skip = message, .bit = 200};

		fces_connection_tap(connection, turn_a_bit, &tap);
		assert_true(fces_connection_agree(connection) < 0);
		fces_connection_tap(connection, NULL, NULL);
		assert_false(fces_end_ready(&connection->channel));
		assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), -ENOKEY);
	}
}

static void a_changed_frame_is_lost(void **state)
{
	struct tap tap = {.skip = 2, .bit = 8 * 1000 + 3};

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	fces_connection_tap(connection, turn_a_bit, &tap);
	memset(data, 0xd7, 8192);
	memset(arrived, 0xee, sizeof(arrived));
	assert_int_equal(fces_carry(connection, true, 3, data, 8192, arrived), -EBADMSG);
	/* The third of four frames: nothing behind it is sent, nothing of the unit is delivered. */
	assert_int_equal(tap.seen, 3);
	for (size_t i = 0; i < 8192; i++)
		assert_int_equal(arrived[i], 0);
	assert_int_equal(fces_end_counters(&connection->channel).corrupted, 1);
	fces_connection_tap(connection, NULL, NULL);
	assert_int_equal(carry(8192), 0);
}

static void keep(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	struct tap *tap = context;

	(void)from_cu;
	memcpy(tap->kept, bytes, len);
	tap->kept_len = len;
}

static void a_frame_that_comes_again_is_refused(void **state)
{
	struct tap tap = {0};
	uint8_t out[FC_FRAME_MAX];

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	fces_connection_tap(connection, keep, &tap);
	assert_int_equal(fces_carry(connection, false, 1, data, 100, arrived), 0);
	fces_connection_tap(connection, NULL, NULL);
	assert_int_equal(
		fces_end_open(&connection->control_unit, tap.kept, tap.kept_len, out, sizeof(out)),
		-EALREADY);
	/* A frame that returns to its sender is dropped, too. */
	assert_int_equal(
		fces_end_open(&connection->channel, tap.kept, tap.kept_len, out, sizeof(out)),
		-EPROTO);
}

/* The first frame is held back and a changed one comes; @back frames later it comes itself. */
struct holder {
	int back;
	uint8_t frame[FCES_FRAME_MAX];
	int seen;
};

static void hold_back(void *context, bool from_cu, uint8_t *bytes, size_t len)
{
	struct holder *holder = context;

	(void)from_cu;
	if (holder->seen == 0)
		memcpy(holder->frame, bytes, len);
	if (holder->seen++ == holder->back)
		memcpy(bytes, holder->frame, len);
	else
		bytes[100] ^= 1;
}

/* After 256 of them, even the sequence id in the header is the same. */
static void a_frame_in_place_of_another_is_refused(void **state)
{
	static const int backs[] = {1, 2, 255, 256, 512};

	(void)state;
	for (size_t i = 0; i < sizeof(backs) / sizeof(backs[0]); i++) {
		const uint64_t before = fces_end_counters(&connection->control_unit).misplaced;
		struct holder holder = {.back = backs[i]};

		assert_int_equal(fces_connection_agree(connection), 0);
		fces_connection_tap(connection, hold_back, &holder);
		for (int n = 0; n <= holder.back; n++) {
			memset(data, n, 2000);
			memset(arrived, 0xee, sizeof(arrived));
			assert_int_equal(fces_carry(connection, false, 7, data, 2000, arrived),
					 -EBADMSG);
			for (int b = 0; b < 2000; b++)
				assert_int_equal(arrived[b], 0);
		}
		fces_connection_tap(connection, NULL, NULL);
		assert_int_equal(fces_end_counters(&connection->control_unit).misplaced,
				 before + 1);
		assert_int_equal(carry(8192), 0);
	}
}

static void both_keys_are_valid_while_they_change(void **state)
{
	uint8_t frame[FC_HEADER + 10] = {0}, before[4][100], after[100], out[100];
	struct fces_end *unit = &connection->control_unit;

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(fces_end_seal(&connection->channel, frame, sizeof(frame),
					       before[i], sizeof(before[i])),
				 sizeof(frame) + 32);
	assert_int_equal(fces_connection_agree(connection), 0);
	assert_int_equal(
		fces_end_seal(&connection->channel, frame, sizeof(frame), after, sizeof(after)),
		sizeof(frame) + 32);
	assert_memory_not_equal(before[0] + FCES_SPI, after + FCES_SPI, 4);
	/* Those that were under way arrive before and behind the first under the new key. */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(fces_end_open(unit, before[i], 66, out, sizeof(out)), 34);
		if (i == 0)
			assert_int_equal(fces_end_open(unit, after, 66, out, sizeof(out)), 34);
	}
	assert_int_equal(fces_end_open(unit, before[0], 66, out, sizeof(out)), -EALREADY);
	/* Later the old key is gone. */
	for (int i = 0; i < FCES_OVERLAP; i++)
		assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
	assert_int_equal(fces_end_open(unit, before[3], 66, out, sizeof(out)), -EPROTO);
}

/* Two agreements after each other never give the same keys, from the same shared one. */
static void keys_are_different_each_time(void **state)
{
	uint8_t frame[FC_HEADER + 64] = {0}, one[200], two[200];

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	fces_end_seal(&connection->channel, frame, sizeof(frame), one, sizeof(one));
	assert_int_equal(fces_connection_agree(connection), 0);
	fces_end_seal(&connection->channel, frame, sizeof(frame), two, sizeof(two));
	/* The same frame, the same sequence number. */
	assert_memory_equal(one + FCES_SEQUENCE, two + FCES_SEQUENCE, 12);
	assert_memory_not_equal(one + FCES_DATA, two + FCES_DATA, 64);
	/* Nor in the two directions of one. */
	fces_end_seal(&connection->control_unit, frame, sizeof(frame), one, sizeof(one));
	assert_memory_not_equal(one + FCES_DATA, two + FCES_DATA, 64);
}

static void keys_change_by_themselves(void **state)
{
	(void)state;
	connection->channel.change_after = 100;
	connection->channel.last = connection->control_unit.last = 150;
	assert_int_equal(fces_connection_agree(connection), 0);
	/* Much more than one key could do, in one direction and in both. */
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
		if (i >= 500)
			assert_int_equal(carry(10), 0);
	}
	assert_int_equal(connection->channel.changes, 16);
	assert_int_equal(connection->control_unit.changes, 16);
	assert_int_equal(fces_end_counters(&connection->control_unit).opened, 1500);
	assert_int_equal(fces_end_counters(&connection->channel).opened, 500);
	assert_int_equal(connection->refused_changes, 0);
}

/* When keys cannot be changed, traffic goes on as long as the key lasts, and then ends. */
static void without_new_keys_it_ends(void **state)
{
	int i, rc;

	(void)state;
	connection->channel.change_after = 100;
	connection->channel.last = connection->control_unit.last = 150;
	assert_int_equal(fces_connection_agree(connection), 0);
	for (int who = 0; who < 2; who++) {
		shelf[who].rc = -ECONNREFUSED;
		for (i = 0, rc = 0; rc == 0 && i < 1000; i++)
			rc = fces_carry(connection, false, 1, data, 10, arrived);
		assert_int_equal(rc, -EKEYEXPIRED);
		assert_int_equal(i, 151);
		/* The end does not ask the key server for each frame. */
		assert_int_equal(connection->refused_changes, 1 + who);
		shelf[who].rc = 0;
		assert_int_equal(fces_connection_agree(connection), 0);
		connection->wait = 0;
	}
	assert_int_equal(carry(100), 0);
}

/* One change that goes wrong, at whichever end or message: the next one comes by itself. */
static void a_change_that_failed_is_tried_again(void **state)
{
	(void)state;
	connection->channel.change_after = 100;
	connection->channel.last = connection->control_unit.last = 3000;
	for (int failure = 0; failure < 6; failure++) {
		struct tap tap = {.skip = failure - 2, .bit = 8 * 3 + 6};
		uint64_t refused;
		uint32_t changes;

		connection->wait = 0;
		assert_int_equal(fces_connection_agree(connection), 0);
		for (int i = 0; i < 99; i++)
			assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
		refused = connection->refused_changes;
		changes = connection->channel.changes;
		/* The change is due with the next frame but one. */
		assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
		if (failure < 2)
			shelf[failure].rc = -ECONNREFUSED;
		else
			fces_connection_tap(connection, turn_a_bit, &tap);
		assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
		assert_int_equal(connection->refused_changes, refused + 1);
		fces_connection_tap(connection, NULL, NULL);
		shelf[0].rc = shelf[1].rc = 0;
		for (int i = 0; i < 10000; i++)
			assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
		assert_true(connection->channel.changes > changes + 50);
	}
}

/* "done" is lost: the first frame under the new keys has the same meaning. */
static void a_lost_end_of_an_agreement_does_no_harm(void **state)
{
	struct tap tap = {.skip = 3, .bit = 100};

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	fces_connection_tap(connection, turn_a_bit, &tap);
	assert_true(fces_connection_agree(connection) < 0);
	fces_connection_tap(connection, NULL, NULL);
	assert_int_equal(connection->channel.changes, 1);
	assert_int_equal(fces_carry(connection, false, 1, data, 10, arrived), 0);
	assert_int_equal(fces_carry(connection, true, 1, data, 10, arrived), 0);
	assert_int_equal(connection->channel.changes, 2);
	assert_int_equal(carry(100), 0);
	assert_int_equal(fces_dropped(&connection->channel.counters), 0);
}

/* From the answer alone the asking end sees that the other end lacks the key. It sends no
 * confirmation, and accepts no new keys. */
static void an_answer_has_to_be_proven(void **state)
{
	uint8_t message[FCES_MESSAGE_MAX], answer[FCES_MESSAGE_MAX], reply[FCES_MESSAGE_MAX];
	struct fces_end *channel = &connection->channel;
	int len;

	(void)state;
	for (int at = 1; at <= 32; at += 31) {
		len = fces_end_ask(channel, message);
		assert_true(len > 0);
		len = fces_end_take(&connection->control_unit, message, (size_t)len, answer);
		assert_true(len > 32);
		answer[len - at] ^= 1;
		assert_int_equal(fces_end_take(channel, answer, (size_t)len, reply), -EKEYREJECTED);
		assert_int_equal(channel->state, FCES_QUIET);
		assert_null(channel->in[0]);
		assert_null(channel->next);
	}
}

static void messages_that_are_none(void **state)
{
	uint8_t message[FCES_MESSAGE_MAX] = {'S', 'K', 1, 0}, reply[FCES_MESSAGE_MAX];

	(void)state;
	assert_int_equal(fces_connection_agree(connection), 0);
	for (int number = 0; number < 6; number++)
		for (size_t len = 0; len <= sizeof(message); len++) {
			message[3] = (uint8_t)number;
			assert_true(fces_end_take(&connection->channel, message, len, reply) < 0);
			assert_true(fces_end_take(&connection->control_unit, message, len, reply) <
				    0);
		}
	assert_int_equal(carry(100), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(an_agreement_gives_keys),
		TEST(ends_without_the_same_key_do_not_agree),
		TEST(the_other_end_has_to_be_who_it_should_be),
		TEST(a_changed_message_changes_no_keys),
		TEST(a_changed_message_gives_no_keys),
		TEST(a_changed_frame_is_lost),
		TEST(a_frame_that_comes_again_is_refused),
		TEST(a_frame_in_place_of_another_is_refused),
		TEST(both_keys_are_valid_while_they_change),
		TEST(keys_are_different_each_time),
		TEST(keys_change_by_themselves),
		TEST(without_new_keys_it_ends),
		TEST(a_change_that_failed_is_tried_again),
		TEST(a_lost_end_of_an_agreement_does_no_harm),
		TEST(an_answer_has_to_be_proven),
		TEST(messages_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
