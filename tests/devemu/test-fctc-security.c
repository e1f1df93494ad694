/* SPDX-License-Identifier: Apache-2.0 */
/* test-fctc-security.c - FCTC connections: encrypted, impossible to encrypt, and with an attacker
 * between
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/fctc.h"
#include "devemu/fces/end.h"
#include "devemu/fces/packet.h"

enum { PROGRAM = 0x1000, DATA = 0x10000, KEEPER = 0, OTHER = 1, BLOCK = 40000 };

struct side {
	struct fctc *fctc;
	struct storage *storage;
	struct subch *subch;
	struct fces_end end;
	struct fces_shared shared;
	int rc; /* of its key server */
	struct scsw scsw;
	uint8_t sense;
};

static struct side side[2];
static int middle[2]; /* the attacker's sockets: towards the keeper, towards the other side */

/* Actions of the attacker: */
static size_t packets; /* so far, encrypted ones */
static size_t turn;    /* a bit of that one is turned; 0: of none */
static bool twice;     /* everything is sent two times */
static bool seen;      /* a piece of the block, in the clear */

static int source(void *context, uint32_t id, struct fces_shared *shared)
{
	struct side *self = context;

	if (self->rc == 0 && (!id || id == self->shared.id))
		*shared = self->shared;
	return self->rc;
}

static int setup(void **state)
{
	static const char *const names[] = {"KEEPER", "OTHER"};

	(void)state;
	packets = turn = 0;
	twice = seen = false;
	memset(side, 0, sizeof(side));
	for (int i = 0; i < 2; i++) {
		side[i].fctc = fctc_create(0x0e00);
		side[i].storage = storage_create(0x100000);
		assert_true(side[i].fctc && side[i].storage);
		side[i].subch = subch_create(side[i].storage, &side[i].fctc->device);
		assert_non_null(side[i].subch);
		side[i].shared.id = 1;
		memset(side[i].shared.key, 0x33, FCES_KEY);
		fces_end_init(&side[i].end, names[i], names[!i], i == OTHER, source, &side[i]);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		subch_destroy(side[i].subch);
		fctc_destroy(side[i].fctc);
		storage_destroy(side[i].storage);
		fces_end_finish(&side[i].end);
		close(middle[i]);
	}
	return 0;
}

static void attach(void)
{
	for (int i = 0; i < 2; i++) {
		int fds[2];

		assert_int_equal(
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			0);
		middle[i] = fds[1];
		fctc_attach(side[i].fctc, fds[0], i == KEEPER);
	}
}

static void pass(int from)
{
	static uint8_t bytes[80000];
	ssize_t n;

	while ((n = recv(middle[from], bytes, sizeof(bytes), 0)) > 0) {
		for (int i = 0; i + 64 <= n && !seen; i += 512)
			seen = memmem(side[0].storage->bytes + DATA, BLOCK, bytes + i, 64) != NULL;
		if (bytes[0] == 'E' && ++packets == turn)
			bytes[n / 2] ^= 0x10;
		for (int times = twice ? 2 : 1; times; times--)
			assert_true(send(middle[!from], bytes, (size_t)n, MSG_NOSIGNAL) == n ||
				    errno == EPIPE);
	}
}

static void pump(void)
{
	for (int i = 0; i < 12; i++) {
		pass(0);
		pass(1);
		for (int s = 0; s < 2; s++) {
			fctc_ready(side[s].fctc);
			subch_continue(side[s].subch);
		}
	}
}

static void start(struct side *self, uint8_t cmd, uint16_t count)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	struct ccw ccw = {.cmd = cmd, .flags = CCW_SLI, .count = count, .addr = DATA};
	uint8_t bytes[ORB_LEN];

	ccw_encode(&ccw, true, self->storage->bytes + PROGRAM);
	orb_encode(&orb, bytes);
	assert_int_equal(subch_start(self->subch, bytes), 0);
}

static bool done(struct side *self)
{
	uint8_t irb[IRB_LEN];

	if (subch_test(self->subch, irb))
		return false;
	scsw_decode(irb, &self->scsw);
	self->sense = irb[IRB_ECW];
	return true;
}

/* A block from the keeper's program to the other's. */
static bool carry(int number)
{
	for (uint32_t i = 0; i < BLOCK; i++)
		side[0].storage->bytes[DATA + i] = (uint8_t)(i * 7 + i / 256 + (uint32_t)number);
	memset(side[1].storage->bytes + DATA, 0, BLOCK);
	start(&side[OTHER], 0x02, BLOCK);
	pump();
	start(&side[KEEPER], 0x01, BLOCK);
	pump();
	if (!done(&side[KEEPER]) || !done(&side[OTHER]))
		return false;
	return side[0].scsw.unit_status == UNIT_END && side[1].scsw.unit_status == UNIT_END &&
	       !memcmp(side[0].storage->bytes + DATA, side[1].storage->bytes + DATA, BLOCK);
}

static void secure(int which, bool required)
{
	fctc_secure(side[which].fctc, &side[which].end, required);
}

static bool encrypted(void)
{
	assert_int_equal(fctc_encrypted(side[0].fctc), fctc_encrypted(side[1].fctc));
	return fctc_encrypted(side[0].fctc);
}

static void nobody_sees_a_block(void **state)
{
	(void)state;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	pump();
	assert_true(encrypted());
	for (int i = 0; i < 5; i++)
		assert_true(carry(i));
	assert_false(seen);
	assert_true(packets >= 10);
	/* 20 frames of 2,048 bytes, and 8 bytes of a header before them. */
	assert_true(fces_end_counters(&side[OTHER].end).opened >= 100);
}

/* A command that waits for the agreement waits for what comes, not for room in the socket. */
static void a_command_waits_for_the_agreement(void **state)
{
	(void)state;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	start(&side[OTHER], 0x02, BLOCK);
	assert_int_equal(fctc_events(side[OTHER].fctc), POLLIN);
	pump();
	assert_true(encrypted());
	start(&side[KEEPER], 0x01, BLOCK);
	pump();
	assert_true(done(&side[KEEPER]) && done(&side[OTHER]));
	assert_int_equal(side[OTHER].scsw.unit_status, UNIT_END);
}

/* The same without encryption: the block is visible. */
static void in_the_clear_it_is_seen(void **state)
{
	(void)state;
	attach();
	pump();
	assert_false(encrypted());
	assert_true(carry(1));
	assert_true(seen);
}

static void a_side_that_is_not_capable(void **state)
{
	(void)state;
	for (int capable = 0; capable < 2; capable++) {
		secure(capable, false);
		secure(!capable, false);
		fctc_secure(side[!capable].fctc, NULL, false);
		attach();
		pump();
		assert_false(encrypted());
		assert_true(carry(capable));
		close(middle[0]);
		close(middle[1]);
		pump();
		/* A side that requires encryption gets no connection then. */
		secure(capable, true);
		attach();
		pump();
		assert_int_equal(side[capable].fctc->fd, -1);
		if (capable == KEEPER) {
			close(middle[0]);
			close(middle[1]);
			pump();
		}
	}
}

static unsigned int told;

static void note(void *context, uint8_t unit_status)
{
	(void)context;
	assert_int_equal(unit_status, UNIT_DEVICE_END);
	told++;
}

/* A connection that ends before the agreement does not count as connected. */
static void an_end_is_told_of_a_connection_only(void **state)
{
	(void)state;
	told = 0;
	side[OTHER].rc = -ECONNREFUSED;
	side[OTHER].fctc->unsolicited = note;
	secure(OTHER, true);
	attach();
	assert_int_equal(side[OTHER].fctc->fd, -1);
	assert_int_equal(told, 0);
	close(middle[0]);
	close(middle[1]);
	pump();
	side[OTHER].rc = 0;
	attach();
	assert_true(side[OTHER].fctc->fd >= 0);
	assert_int_equal(told, 1);
}

static void keys_that_differ(void **state)
{
	(void)state;
	side[OTHER].shared.key[0] ^= 1;
	secure(KEEPER, false);
	secure(OTHER, false);
	attach();
	pump();
	assert_false(encrypted());
	assert_true(carry(1));
	close(middle[0]);
	close(middle[1]);
	pump();
	secure(KEEPER, true);
	attach();
	pump();
	assert_int_equal(side[KEEPER].fctc->fd, -1);
	close(middle[0]);
	close(middle[1]);
	pump();
	/* Their key servers agree again. */
	side[OTHER].shared.key[0] ^= 1;
	secure(OTHER, true);
	attach();
	pump();
	assert_true(encrypted());
	assert_true(carry(2));
}

static void a_side_without_a_key(void **state)
{
	(void)state;
	for (int without = 0; without < 2; without++) {
		side[without].rc = -ECONNREFUSED;
		secure(KEEPER, false);
		secure(OTHER, false);
		attach();
		pump();
		assert_false(encrypted());
		assert_true(carry(without));
		side[without].rc = 0;
		if (!without) {
			close(middle[0]);
			close(middle[1]);
			pump();
		}
	}
}

static void a_changed_packet_ends_it(void **state)
{
	(void)state;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	pump();
	assert_true(carry(1));
	turn = packets + 2; /* the block, behind the Read */
	assert_false(carry(2));
	assert_int_equal(side[OTHER].fctc->fd, -1);
	assert_int_equal(fces_end_counters(&side[OTHER].end).corrupted, 1);
	/* The program hears of it, and has not got a byte. */
	assert_int_equal(side[OTHER].scsw.unit_status, UNIT_END | UNIT_CHECK);
	for (int i = 0; i < BLOCK; i++)
		assert_int_equal(side[OTHER].storage->bytes[DATA + i], 0);
}

static void what_comes_twice_is_taken_once(void **state)
{
	(void)state;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	pump();
	twice = true;
	for (int i = 0; i < 5; i++)
		assert_true(carry(i));
	assert_true(fces_end_counters(&side[OTHER].end).replayed >= 5);
}

static void keys_change_between_packets(void **state)
{
	(void)state;
	side[OTHER].end.change_after = 30;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	pump();
	for (int i = 0; i < 20; i++)
		assert_true(carry(i));
	assert_true(side[OTHER].end.changes >= 10);
	assert_int_equal(side[KEEPER].end.changes, side[OTHER].end.changes);
	assert_true(encrypted());
}

/* A key server that is not there for a while, of either side: keys change when it is back. */
static void keys_change_after_a_failure(void **state)
{
	(void)state;
	side[OTHER].end.change_after = 30;
	secure(KEEPER, true);
	secure(OTHER, true);
	attach();
	pump();
	for (int without = 0; without < 2; without++) {
		uint32_t changes;

		assert_true(carry(0));
		changes = side[OTHER].end.changes;
		side[without].rc = -ECONNREFUSED;
		for (int i = 0; i < 10; i++)
			assert_true(carry(i));
		assert_int_equal(side[OTHER].end.changes, changes);
		side[without].rc = 0;
		for (int i = 0; i < 80; i++)
			assert_true(carry(i));
		assert_true(side[OTHER].end.changes >= changes + 10);
		assert_int_equal(side[KEEPER].end.changes, side[OTHER].end.changes);
		side[OTHER].end.change_after = 30;
	}
	assert_true(encrypted());
}

/* An attacker can neither insert clear data into an encrypted connection nor turn its encryption
 * off. */
static void the_clear_is_refused(void **state)
{
	static const char *const packets_of[] = {"F\1\1\2\0\0\0\1", "SK\1\0", "E\1", "E\1\0\1x"};
	static const size_t lens[] = {8, 4, 2, 5};

	(void)state;
	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		secure(KEEPER, false);
		secure(OTHER, false);
		attach();
		pump();
		assert_true(encrypted());
		assert_int_equal(send(middle[KEEPER], packets_of[i], lens[i], 0), lens[i]);
		pump();
		assert_int_equal(side[KEEPER].fctc->fd, -1);
		if (i + 1 < sizeof(lens) / sizeof(lens[0])) {
			close(middle[0]);
			close(middle[1]);
			pump();
		}
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(nobody_sees_a_block),
		TEST(a_command_waits_for_the_agreement),
		TEST(in_the_clear_it_is_seen),
		TEST(a_side_that_is_not_capable),
		TEST(an_end_is_told_of_a_connection_only),
		TEST(keys_that_differ),
		TEST(a_side_without_a_key),
		TEST(a_changed_packet_ends_it),
		TEST(what_comes_twice_is_taken_once),
		TEST(keys_change_between_packets),
		TEST(keys_change_after_a_failure),
		TEST(the_clear_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
