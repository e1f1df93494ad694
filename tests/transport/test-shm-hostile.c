/* SPDX-License-Identifier: Apache-2.0 */
/* test-shm-hostile.c - somebody writes random bytes to all shared memory while traffic runs */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/path.h"
#include "transport/shm-inner.h"

/*
 * Both sides are here, on one loop, and send as much as they can. Another process has the memory
 * too and writes: positions, lengths, words for sleep, packets. A side may end the path with an
 * error, get other data than was sent, or wait for what does not come. It must not crash, be held
 * up, or keep anything when the path is closed. Each round is a new path, and another way of
 * writing.
 *
 * LFP_HOSTILE_SECONDS: how long; else 10 s with the address sanitizer, 2 s without.
 */

#ifdef __SANITIZE_ADDRESS__
#define SECONDS 10
#else
#define SECONDS 2
#endif
#define ROUND_MS 30
#define CONTROL  65536u

struct side {
	struct path *path;
	uint64_t sent, frames;
	bool down;
	int error;
};

struct arena {
	uv_loop_t loop;
	uv_timer_t timer;
	struct transport_listener *listener;
	struct transport_conn *accepted, *connected;
	struct side sides[2];
	bool over;
	uint64_t rounds, frames, errors;
};

static uint64_t seed;

static uint32_t random32(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

/* --- The hostile one: a process of its own --- */

static void scribble(uint8_t *memory, size_t size)
{
	/* Where: the words of both rings, the heads of packets, everything. */
	static const uint64_t nasty[] = {0,     1,     7, 8, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7,
					 65536, 131072};
	uint32_t way = random32() % 4;
	size_t at;

	if (way < 2) {
		at = random32() % 8 * SHM_LINE;
		if (way) {
			uint64_t value = nasty[random32() % (sizeof(nasty) / sizeof(nasty[0]))];

			memcpy(memory + at, &value, sizeof(value));
		} else {
			/* A position that could be. */
			uint64_t value;

			memcpy(&value, memory + at, sizeof(value));
			value += (random32() % 64) * 8;
			memcpy(memory + at, &value, sizeof(value));
		}
		return;
	}
	at = CONTROL + random32() % (size - CONTROL - 64);
	if (way == 2)
		at &= ~(size_t)7;
	for (uint32_t i = 0; i < 1 + random32() % 32; i++)
		memory[at + i] = (uint8_t)random32();
}

static pid_t start_scribbler(uint8_t *memory, size_t size)
{
	uint32_t pause = random32() % 3000;
	pid_t pid = fork();

	if (pid)
		return pid;
	seed ^= (uint64_t)getpid() << 32;
	for (;;) {
		for (volatile uint32_t i = 0; i < pause; i++)
			;
		scribble(memory, size);
	}
}

/* --- Traffic --- */

static void pump(struct side *side)
{
	for (int i = 0; i < 64; i++) {
		uint8_t *at;
		size_t n = path_data_reserve(side->path, 1 + random32() % 20000, &at);

		if (!n)
			return;
		memset(at, 'x', n);
		path_data_commit(side->path, 1, side->sent, n, 0);
		side->sent += n;
	}
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct side *side = path_data(path);
	uint8_t sum = 0;

	(void)why;
	side->frames++;
	/* All that the decoder has let through can be looked at. */
	if (frame->code == LFP_DATA)
		for (uint32_t i = 0; i < frame->data.payload.len; i += 64)
			sum ^= frame->data.payload.ptr[i];
	__asm__ volatile("" ::"r"(sum)); /* it is looked at */
	return 0;
}

static void on_ready(struct path *path)
{
	pump(path_data(path));
}

static void on_down(struct path *path, int error, const char *why)
{
	struct side *side = path_data(path);

	(void)why;
	side->down = true;
	side->error = error;
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	((struct arena *)listener->data)->accepted = conn;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	assert_int_equal(status, 0);
	((struct arena *)data)->connected = conn;
}

static void on_timer(uv_timer_t *timer)
{
	((struct arena *)timer->data)->over = true;
}

/* --- A round --- */

static void play(struct arena *a, const struct transport_where *where)
{
	const uint32_t mtu = 1024u << (random32() % 4);
	struct shm_conn *conn;
	pid_t scribbler;

	a->accepted = a->connected = NULL;
	memset(a->sides, 0, sizeof(a->sides));
	assert_int_equal(transport_shm.connect(&a->loop, where, on_connected, a), 0);
	while (!a->accepted || !a->connected)
		uv_run(&a->loop, UV_RUN_ONCE);
	a->sides[0].path =
		path_create(&a->loop, a->accepted, LFP_FROM_VSE, 8192, &ops, &a->sides[0]);
	a->sides[1].path =
		path_create(&a->loop, a->connected, LFP_FROM_LFPD, 8192, &ops, &a->sides[1]);
	conn = (struct shm_conn *)a->connected;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(path_open(a->sides[i].path, mtu, 64), 0);
		pump(&a->sides[i]);
	}
	/* The mapping has each ring twice; once is enough. */
	scribbler = start_scribbler(conn->memory, CONTROL + conn->in.size);
	assert_true(scribbler > 0);
	a->over = false;
	uv_timer_start(&a->timer, on_timer, ROUND_MS, 0);
	while (!a->over && !(a->sides[0].down && a->sides[1].down))
		uv_run(&a->loop, UV_RUN_ONCE);
	uv_timer_stop(&a->timer);
	for (int i = 0; i < 2; i++) {
		a->frames += a->sides[i].frames;
		a->errors += a->sides[i].down;
		path_close(a->sides[i].path, random32() % 2 ? "the round is over" : NULL);
	}
	kill(scribbler, SIGKILL);
	assert_int_equal(waitpid(scribbler, NULL, 0), scribbler);
	a->rounds++;
}

static size_t descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static size_t maps(void)
{
	FILE *in = fopen("/proc/self/maps", "r");
	char line[512];
	size_t nr = 0;

	while (in && fgets(line, sizeof(line), in))
		nr += strstr(line, "lfp-path") != NULL;
	if (in)
		fclose(in);
	return nr;
}

static void test_hostile(void **state)
{
	const char *seconds = getenv("LFP_HOSTILE_SECONDS");
	char dir[] = "/tmp/test-hostile-XXXXXX", path[64];
	struct transport_where where = {.path = path, .mtu = 8192, .ring_size = 65536};
	static struct arena a;
	uint64_t end;
	size_t fds;

	(void)state;
	seed = uv_hrtime();
	print_message("seed %llu\n", (unsigned long long)seed);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/path", dir);
	uv_loop_init(&a.loop);
	uv_timer_init(&a.loop, &a.timer);
	a.timer.data = &a;
	assert_int_equal(transport_shm.listen(&a.loop, &where, &a.listener), 0);
	a.listener->data = &a;
	a.listener->on_connection = on_connection;
	uv_run(&a.loop, UV_RUN_NOWAIT);
	fds = descriptors();
	end = uv_hrtime() +
	      (seconds ? strtoull(seconds, NULL, 10) : SECONDS) * UINT64_C(1000000000);
	while (uv_hrtime() < end) {
		where.poll_us = random32() % 2 ? 200 : 0;
		play(&a, &where);
	}
	/* Nothing is kept. */
	for (int i = 0; i < 10; i++)
		uv_run(&a.loop, UV_RUN_NOWAIT);
	assert_int_equal(descriptors(), fds);
	assert_int_equal(maps(), 0);
	print_message("%llu rounds, %llu frames, %llu ends by an error\n",
		      (unsigned long long)a.rounds, (unsigned long long)a.frames,
		      (unsigned long long)a.errors);
	/* It was worth it: traffic ran, and what was written has been noticed. */
	assert_true(a.rounds > 0 && a.frames > a.rounds);
	assert_true(a.errors > 0);
	transport_shm.stop(a.listener);
	uv_close((uv_handle_t *)&a.timer, NULL);
	uv_run(&a.loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&a.loop), 0);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_hostile)};

	return cmocka_run_group_tests_name("a hostile peer in shared memory", tests, NULL, NULL);
}
