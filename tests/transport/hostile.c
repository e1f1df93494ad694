/* SPDX-License-Identifier: Apache-2.0 */
/* hostile.c - both sides of a transport in shared memory, and a process that writes to that
 * memory */
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
#include "tests/transport/hostile.h"

#ifdef __SANITIZE_ADDRESS__
#define SECONDS 5
#else
#define SECONDS 2
#endif
#define ROUND_MS 30
#define MORE_NS  UINT64_C(60000000000)

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

uint32_t hostile_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

void hostile_word(uint8_t *at, size_t size, uint32_t step)
{
	static const uint64_t nasty[] = {0,     1,     7, 8, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7,
					 65536, 131072};
	uint64_t value = 0;

	if (hostile_random() % 2) {
		value = nasty[hostile_random() % (sizeof(nasty) / sizeof(nasty[0]))];
	} else {
		memcpy(&value, at, size);
		value += (hostile_random() % 64) * step;
	}
	memcpy(at, &value, size);
}

static pid_t start_scribbler(const struct hostile *hostile, uint8_t *memory, size_t size)
{
	uint32_t pause = hostile_random() % 3000;
	pid_t pid = fork();

	if (pid)
		return pid;
	seed ^= (uint64_t)getpid() << 32;
	for (;;) {
		for (volatile uint32_t i = 0; i < pause; i++)
			;
		hostile->scribble(memory, size);
	}
}

static void pump(struct side *side)
{
	for (int i = 0; i < 64; i++) {
		uint8_t *at;
		size_t n = path_data_reserve(side->path, 1 + hostile_random() % 20000, &at);

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
	/* All accepted frames must be readable. */
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

static void play(struct arena *a, const struct hostile *hostile)
{
	const uint32_t mtu = 1024u << (hostile_random() % 4);
	uint8_t *memory;
	pid_t scribbler;
	size_t size;

	a->accepted = a->connected = NULL;
	memset(a->sides, 0, sizeof(a->sides));
	assert_int_equal(hostile->transport->connect(&a->loop, &hostile->where, on_connected, a),
			 0);
	while (!a->accepted || !a->connected)
		uv_run(&a->loop, UV_RUN_ONCE);
	a->sides[0].path = path_create(&a->loop, a->accepted, LFP_FROM_VSE, hostile->where.mtu,
				       &ops, &a->sides[0]);
	a->sides[1].path = path_create(&a->loop, a->connected, LFP_FROM_LFPD, hostile->where.mtu,
				       &ops, &a->sides[1]);
	memory = hostile->memory(a->connected, &size);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(path_open(a->sides[i].path, mtu, 64), 0);
		pump(&a->sides[i]);
	}
	scribbler = start_scribbler(hostile, memory, size);
	assert_true(scribbler > 0);
	a->over = false;
	uv_timer_start(&a->timer, on_timer, ROUND_MS, 0);
	while (!a->over && !(a->sides[0].down && a->sides[1].down))
		uv_run(&a->loop, UV_RUN_ONCE);
	uv_timer_stop(&a->timer);
	for (int i = 0; i < 2; i++) {
		a->frames += a->sides[i].frames;
		a->errors += a->sides[i].down;
		path_close(a->sides[i].path, hostile_random() % 2 ? "the round is over" : NULL);
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

static size_t maps(const char *name)
{
	FILE *in = fopen("/proc/self/maps", "r");
	char line[512];
	size_t nr = 0;

	while (in && fgets(line, sizeof(line), in))
		nr += strstr(line, name) != NULL;
	if (in)
		fclose(in);
	return nr;
}

/* Traffic ran, and the sides noticed some of the writes. */
static bool worth_it(const struct arena *a)
{
	return a->rounds > 0 && a->frames > a->rounds && a->errors > 0;
}

void hostile_run(struct hostile *hostile)
{
	const struct transport *transport = hostile->transport;
	const char *seconds = getenv("LFP_HOSTILE_SECONDS");
	char dir[] = "/tmp/test-hostile-XXXXXX", path[64];
	static struct arena a;
	uint64_t end;
	size_t fds;

	seed = uv_hrtime();
	print_message("seed %llu\n", (unsigned long long)seed);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/path", dir);
	hostile->where.path = path;
	uv_loop_init(&a.loop);
	uv_timer_init(&a.loop, &a.timer);
	a.timer.data = &a;
	assert_int_equal(transport->listen(&a.loop, &hostile->where, &a.listener), 0);
	a.listener->data = &a;
	a.listener->on_connection = on_connection;
	uv_run(&a.loop, UV_RUN_NOWAIT);
	fds = descriptors();
	end = uv_hrtime() +
	      (seconds ? strtoull(seconds, NULL, 10) : SECONDS) * UINT64_C(1000000000);
	/* On a busy machine the writer may get no time to write. */
	while (uv_hrtime() < end || (!worth_it(&a) && uv_hrtime() < end + MORE_NS)) {
		settings_set(&hostile->where.settings, "SHM_POLL",
			     hostile_random() % 2 ? "200" : "0");
		play(&a, hostile);
	}
	/* Nothing is kept. */
	for (int i = 0; i < 10; i++)
		uv_run(&a.loop, UV_RUN_NOWAIT);
	assert_int_equal(descriptors(), fds);
	assert_int_equal(maps(hostile->maps), 0);
	print_message("%llu rounds, %llu frames, %llu ends by an error\n",
		      (unsigned long long)a.rounds, (unsigned long long)a.frames,
		      (unsigned long long)a.errors);
	assert_true(worth_it(&a));
	transport->stop(a.listener);
	uv_close((uv_handle_t *)&a.timer, NULL);
	uv_run(&a.loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&a.loop), 0);
	rmdir(dir);
}
