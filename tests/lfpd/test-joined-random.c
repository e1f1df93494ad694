/* SPDX-License-Identifier: Apache-2.0 */
/* test-joined-random.c - a joined connection under random steps: every byte once, and in order
 *
 * JOINED_SEED: the first seed; JOINED_RUNS: how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lfpd/sock/joined.h"
#include "tests/lfpd/joining.h"
#include "tests/lfpd/metering.h"

#define LIMITED   "allow connect localhost limit rate 1000000\ndefault allow\n"
#define UNLIMITED "default allow\n"

enum { STEPS = 400, PIECE = 4000, PATIENCE_MS = 20000 };

/* One end, as z/VSE sees it. */
struct end {
	uint64_t id;
	uint64_t sent, consumed; /* to the host, and what of it lfpd has reported */
	uint64_t got, reported;  /* from the host, and what of it lfpd knows */
	uint64_t urgent;         /* position of the last urgent byte, plus 1 */
	bool is_over;            /* SHUTDOWN has come */
};

static struct end ends[2];
static unsigned int seed;
static bool is_limited;

static unsigned int below(unsigned int end)
{
	return (unsigned int)rand_r(&seed) % end;
}

static uint8_t byte_of(unsigned int from, uint64_t position)
{
	return (uint8_t)(position * 7 + position / 251 + from);
}

static void take_data(struct end *end, const struct lfp_frame *frame)
{
	const struct end *from = &ends[end == ends];
	const struct lfp_bytes *payload = &frame->data.payload;

	assert_int_equal(frame->data.position, end->got);
	for (uint32_t i = 0; i < payload->len; i++)
		assert_int_equal(payload->ptr[i],
				 byte_of((unsigned int)(from - ends), end->got + i));
	end->got += payload->len;
	assert_true(end->got <= from->sent);
	/* A later urgent byte may have taken the mark away. */
	if (frame->flags & LFP_FRAME_URGENT)
		assert_true(payload->len == 1 && end->got <= from->urgent);
}

static void turn(void)
{
	struct lfp_frame frame;

	host_turn(&host);
	while (vse_look(&vse, &frame)) {
		struct end *end = &ends[frame.sock == ends[1].id];

		assert_int_equal(frame.sock, end->id);
		if (frame.code == LFP_DATA) {
			take_data(end, &frame);
		} else if (frame.code == LFP_WINDOW) {
			assert_in_range(frame.window.consumed, end->consumed, end->sent);
			end->consumed = frame.window.consumed;
		} else {
			assert_int_equal(frame.code, LFP_SHUTDOWN);
			assert_int_equal(frame.shutdown.position, end->got);
			end->is_over = true;
		}
	}
}

static void send_some(struct end *end, bool urgent)
{
	uint64_t room = host.inst.window - (end->sent - end->consumed);
	size_t len = urgent ? 1 : 1 + below(below(8) ? 200 : PIECE);
	uint8_t data[PIECE];
	struct lfp_frame frame = {.code = LFP_DATA,
				  .flags = urgent ? LFP_FRAME_URGENT : 0,
				  .sock = end->id,
				  .data = {.position = end->sent, .payload = {data, 0}}};

	if (len > room)
		len = (size_t)room;
	if (!len)
		return;
	for (size_t i = 0; i < len; i++)
		data[i] = byte_of((unsigned int)(end - ends), end->sent + i);
	frame.data.payload.len = (uint32_t)len;
	if (!urgent && !below(4))
		frame.flags = LFP_FRAME_MORE;
	vse_send(&vse, &frame);
	end->sent += len;
	if (urgent)
		end->urgent = end->sent;
}

static void report(struct end *end)
{
	const struct lfp_frame frame = {
		.code = LFP_WINDOW, .sock = end->id, .window.consumed = end->got};

	if (end->reported == end->got)
		return;
	end->reported = end->got;
	vse_send(&vse, &frame);
}

/* Nobody does anything for longer than held data waits. */
static void pause_all(void)
{
	uint64_t until = now_ms() + 2 * JOINED_PATIENCE_MS;

	while (now_ms() < until)
		turn();
}

static void step(void)
{
	struct end *end = &ends[below(2)];
	unsigned int what = below(128);

	if (what < 70)
		send_some(end, what < 6);
	else if (what < 100)
		report(end);
	else if (what < 125)
		turn();
	else if (what < 127)
		pause_all();
	else
		change_rules((is_limited = !is_limited) ? LIMITED : UNLIMITED);
}

static bool is_all_there(void)
{
	return ends[0].got == ends[1].sent && ends[1].got == ends[0].sent;
}

static void end_direction(const struct end *end)
{
	const struct lfp_frame frame = {.code = LFP_SHUTDOWN,
					.sock = end->id,
					.shutdown = {.how = SHUT_WR, .position = end->sent}};

	vse_send(&vse, &frame);
}

static void run(unsigned int number)
{
	uint64_t until;

	seed = number;
	memset(ends, 0, sizeof(ends));
	ends[0].id = CLIENT;
	ends[1].id = joining_make();
	for (int i = 0; i < STEPS; i++)
		step();
	end_direction(&ends[0]);
	end_direction(&ends[1]);
	until = now_ms() + PATIENCE_MS;
	while (!is_all_there() || !ends[0].is_over || !ends[1].is_over) {
		if (now_ms() > until)
			fail_msg("seed %u: the client has %llu of %llu, the server %llu of %llu",
				 number, (unsigned long long)ends[0].got,
				 (unsigned long long)ends[1].sent, (unsigned long long)ends[1].got,
				 (unsigned long long)ends[0].sent);
		report(&ends[0]);
		report(&ends[1]);
		turn();
	}
}

static unsigned int setting(const char *name, unsigned int otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned int)strtoul(text, NULL, 10) : otherwise;
}

static void random_steps(void **state)
{
	unsigned int first = setting("JOINED_SEED", 1), runs = setting("JOINED_RUNS", 20);

	for (unsigned int i = 0; i < runs; i++) {
		metering_set_up(state);
		is_limited = i % 2;
		start_rules(is_limited ? LIMITED : UNLIMITED);
		run(first + i);
		assert_true(host.inst.counters.bytes_joined > 0);
		vse_close(&vse);
		metering_tear_down(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_steps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
