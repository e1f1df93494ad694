/* SPDX-License-Identifier: Apache-2.0 */
/* test-pipes.c - the pool of pipes is bounded and leaks nothing; bytes pass through in order */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/transport/descriptors.h"
#include "tests/transport/piped-bytes.h"

#define UNPRIVILEGED 65533 /* an id that no other process has */

/* Takes pipes until there are no more. Returns their number. */
static unsigned int take_pipes(struct held_pipe *pipes[PIPES_MAX + 1])
{
	unsigned int nr = 0;

	while (nr <= PIPES_MAX && (pipes[nr] = pipe_get()))
		nr++;
	return nr;
}

static void pool_is_bounded(void **state)
{
	struct held_pipe *pipes[PIPES_MAX + 1];
	unsigned int before = descriptors(), nr = 0;

	(void)state;
	while (nr < PIPES_MAX) {
		assert_int_equal(pipes_are_scarce(), nr > PIPES_MAX / 2);
		pipes[nr] = pipe_get();
		assert_non_null(pipes[nr++]);
	}
	assert_null(pipe_get());
	assert_int_equal(descriptors(), before + 2 * PIPES_MAX);
	for (unsigned int i = 0; i < nr; i++) {
		assert_true(fcntl(pipes[i]->in, F_GETPIPE_SZ) >= (int)PIPE_BYTES);
		assert_true(fcntl(pipes[i]->in, F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(pipes[i]->out, F_GETFD) & FD_CLOEXEC);
		pipe_put(pipes[i]);
	}
	assert_false(pipes_are_scarce());
	/* A few are kept. */
	assert_in_range(descriptors(), before + 2, before + 16);
}

/* The next user of a pipe finds none of the bytes that were lost in it. */
static void no_bytes_leak(void **state)
{
	struct held_pipe *pipe;
	uint8_t byte;
	int fds[2];

	(void)state;
	pair_make(fds);
	for (int i = 0; i < 20; i++) {
		pipe = pipe_get();
		assert_non_null(pipe);
		assert_int_equal(pipe->held, 0);
		assert_int_equal(read(pipe->out, &byte, 1), -1);
		assert_int_equal(errno, EAGAIN);
		pattern_feed(fds[0], 0, 100);
		assert_int_equal(pipe_fill(pipe, fds[1], 1000), 100);
		if (i % 2)
			assert_int_equal(pipe_take(pipe, &byte, 1), 1);
		pipe_put(pipe);
	}
	pair_close(fds);
}

static void counts(void **state)
{
	struct held_pipe *pipe = pipe_get();
	uint8_t bytes[1000];
	int from[2], to[2];

	(void)state;
	pair_make(from);
	pair_make(to);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), -EAGAIN);
	pattern_feed(from[0], 0, 3000);
	assert_int_equal(pipe_fill(pipe, from[1], 2000), 2000);
	assert_int_equal(pipe->held, 2000);
	assert_int_equal(pipe_take(pipe, bytes, 500), 500);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(bytes[i], pattern_at(i));
	assert_int_equal(pipe->held, 1500);
	assert_int_equal(pipe_drain_some(pipe, to[0], 600, false), 600);
	assert_int_equal(pipe->held, 900);
	pattern_expect(to[1], 500, 600);
	assert_int_equal(pipe_drain_some(pipe, to[0], 1000, false), 900);
	assert_int_equal(pipe->held, 0);
	pattern_expect(to[1], 1100, 900);
	assert_int_equal(pipe_fill(pipe, from[1], 2000), 1000);
	assert_int_equal(pipe_send(pipe, to[0], true), 1000);
	assert_int_equal(pipe->held, 0);
	pattern_expect(to[1], 2000, 1000);
	close(from[0]);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), 0);
	close(from[1]);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), -EBADF);
	pipe_put(pipe);
	pair_close(to);
}

static void make_tcp_pair(int fds[2])
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (const struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fds[0], (const struct sockaddr *)&addr, len), 0);
	fds[1] = accept(listener, NULL, NULL);
	assert_true(fds[1] >= 0);
	close(listener);
}

/* Before an urgent byte splice() moves nothing: with the end behind it, that looks like the end. */
static void before_an_urgent_byte(void **state)
{
	struct held_pipe *pipe = pipe_get();
	struct pollfd pfd = {.events = POLLRDHUP};
	uint8_t bytes[200];
	int fds[2];

	(void)state;
	make_tcp_pair(fds);
	pfd.fd = fds[1];
	assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_OOBINLINE, &(int){1}, sizeof(int)), 0);
	pattern_feed(fds[0], 0, 50);
	assert_int_equal(send(fds[0], "!", 1, MSG_OOB), 1);
	pattern_feed(fds[0], 51, 49);
	assert_int_equal(shutdown(fds[0], SHUT_WR), 0);
	assert_int_equal(poll(&pfd, 1, 60000), 1);
	assert_int_equal(pipe_fill(pipe, fds[1], sizeof(bytes)), 50);
	assert_int_equal(pipe_fill(pipe, fds[1], sizeof(bytes)), 0);
	assert_int_equal(recv(fds[1], bytes, sizeof(bytes), 0), 50);
	assert_int_equal(bytes[0], '!');
	assert_int_equal(recv(fds[1], bytes, sizeof(bytes), 0), 0);
	pipe_put(pipe);
	pair_close(fds);
}

/* A full pipe is split anywhere, also within a page, and no byte is lost, doubled or moved. */
static void split(void **state)
{
	const size_t parts[] = {1, 4095, 4097, 65536, 70001, 1u << 20};
	struct held_pipe *pipe = pipe_get(), *first;
	unsigned int before = descriptors();
	uint64_t done = 0;
	int from[2], to[2];
	uint32_t held;

	(void)state;
	pair_make(from);
	pair_make(to);
	pipe_fill_up(pipe, from);
	held = pipe->held;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		first = pipe_split(pipe, parts[i]);
		assert_non_null(first);
		assert_int_equal(first->held, parts[i] < held - done ? parts[i] : held - done);
		assert_int_equal(pipe->held, held - done - first->held);
		while (first->held) {
			size_t len = first->held < 32768 ? first->held : 32768;

			assert_int_equal(pipe_drain_some(first, to[0], len, false), len);
			pattern_expect(to[1], done, len);
			done += len;
		}
		pipe_put(first);
	}
	assert_int_equal(done, held);
	assert_null(pipe_split(pipe, 1)); /* it is empty */
	pipe_put(pipe);
	pair_close(from);
	pair_close(to);
	assert_in_range(descriptors(), before, before + 2);
}

/* Without another pipe nothing is done. */
static void split_without_another(void **state)
{
	struct held_pipe *pipes[PIPES_MAX + 1];
	unsigned int nr = take_pipes(pipes);
	uint8_t bytes[3000];
	int from[2];

	(void)state;
	pair_make(from);
	pattern_feed(from[0], 0, sizeof(bytes));
	assert_int_equal(pipe_fill(pipes[0], from[1], sizeof(bytes)), sizeof(bytes));
	assert_null(pipe_split(pipes[0], 1000));
	assert_int_equal(pipe_take(pipes[0], bytes, sizeof(bytes)), sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], pattern_at(i));
	while (nr)
		pipe_put(pipes[--nr]);
	pair_close(from);
}

/* A look leaves the bytes where they are, as often as one likes, and the pipe has room for them. */
static void look(void **state)
{
	struct held_pipe *pipe = pipe_get();
	uint8_t *bytes = malloc(PIPE_BYTES);
	int from[2], to[2];
	uint64_t done = 0;
	uint32_t held;

	(void)state;
	pair_make(from);
	pair_make(to);
	pipe_fill_up(pipe, from);
	held = pipe->held;
	assert_in_range(held, PIPE_BYTES / 2, PIPE_BYTES);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(pipe_look(pipe, bytes), 0);
		assert_int_equal(pipe->held, held);
		for (size_t i = 0; i < held; i++)
			assert_int_equal(bytes[i], pattern_at(i));
	}
	while (pipe->held) {
		ssize_t n = pipe_drain(pipe, to[0], false);

		assert_in_range(n, 1, held);
		pattern_expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
	}
	assert_int_equal(done, held);
	pipe_put(pipe);
	free(bytes);
	pair_close(from);
	pair_close(to);
}

/* A socket that is full takes a part; the rest is still there, in order, by either way. */
static void drains_in_parts(void **state)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];
	uint64_t done = 0;

	(void)state;
	pair_make(from);
	pair_make(to);
	assert_int_equal(setsockopt(to[0], SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
	pattern_feed(from[0], 0, 100000);
	assert_in_range(pipe_fill(pipe, from[1], 100000), 50000, 100000);
	for (int round = 0; pipe->held; round++) {
		uint32_t held = pipe->held;
		ssize_t n =
			round % 2 ? pipe_send(pipe, to[0], false) : pipe_drain(pipe, to[0], false);

		assert_in_range(n, 1, held);
		assert_int_equal(pipe->held, held - (uint32_t)n);
		if (pipe->held) {
			held = pipe->held;
			assert_int_equal(pipe_drain(pipe, to[0], false), -EAGAIN);
			assert_int_equal(pipe_send(pipe, to[0], false), -EAGAIN);
			assert_int_equal(pipe->held, held);
		}
		pattern_expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
	}
	assert_true(done >= 50000);
	close(to[1]);
	pattern_feed(from[0], 0, 1000);
	assert_in_range(pipe_fill(pipe, from[1], 1000), 1, 1000);
	assert_int_equal(pipe_drain(pipe, to[0], false), -EPIPE);
	assert_int_equal(pipe_send(pipe, to[0], false), -EPIPE);
	assert_true(pipe->held);
	pipe_put(pipe);
	pair_close(from);
	close(to[0]);
}

/* In processes of their own: the number of pipes, or BROKEN. */

static int pipes_with_64_descriptors(void)
{
	static struct held_pipe *pipes[PIPES_MAX + 1];
	const struct rlimit limit = {64, 64};
	unsigned int nr;

	pipes_finish(); /* what earlier tests have left */
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return BROKEN;
	nr = take_pipes(pipes);
	/* Tries are seldom, but there is one again. */
	pipe_put(pipes[0]);
	for (unsigned int i = 0; i < PIPES_SKIPS; i++)
		if (pipe_get())
			return BROKEN;
	return pipe_get() ? (int)nr : BROKEN;
}

static void few_descriptors(void **state)
{
	(void)state;
	/* An eighth of 64 */
	assert_in_range(in_child(pipes_with_64_descriptors), 1, 4);
}

static int pipes_with_high_numbers(void)
{
	static struct held_pipe *pipes[PIPES_MAX + 1];
	const struct rlimit limit = {256, 256};

	pipes_finish();
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return BROKEN;
	for (int fd = 0; fd < 128;)
		fd = dup(STDERR_FILENO);
	return (int)take_pipes(pipes);
}

static void descriptors_in_use(void **state)
{
	(void)state;
	assert_int_equal(in_child(pipes_with_high_numbers), 0);
}

static unsigned long pages_of_a_user(void)
{
	FILE *file = fopen("/proc/sys/fs/pipe-user-pages-soft", "re");
	unsigned long pages = 0;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	return pages;
}

/* Fills the user's quota with large pipes. */
static int pipes_beyond_the_quota(void)
{
	unsigned long pages = pages_of_a_user();
	int ends[2];

	pipes_finish();
	if (!pages || pages > 65536 || setuid(UNPRIVILEGED))
		return BROKEN;
	for (unsigned long used = 0; used < pages + 256; used += 256)
		if (pipe(ends))
			return BROKEN;
		else if (fcntl(ends[1], F_SETPIPE_SZ, 256 * 4096) < 0)
			break;
	for (unsigned int i = 0; i <= PIPES_SKIPS; i++)
		if (pipe_get())
			return 1;
	return 0;
}

static void quota(void **state)
{
	(void)state;
	if (geteuid() != 0) {
		print_message("skipped: only root becomes a user whose pipes are all known\n");
		skip();
	}
	assert_int_equal(in_child(pipes_beyond_the_quota), 0);
}

/* The last test: pipes in use are closed as they come back. */
static void finish(void **state)
{
	struct held_pipe *used = pipe_get();
	unsigned int before;

	(void)state;
	assert_non_null(used);
	pipes_finish();
	before = descriptors();
	pipe_put(used);
	assert_int_equal(descriptors(), before - 2);
}

/* All pipes of the pool need a sixteenth of the descriptors that a process may have. */
static bool have_descriptors(void)
{
	const rlim_t enough = 32 * PIPES_MAX;
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_cur >= enough)
		return true;
	limit.rlim_cur = enough;
	if (limit.rlim_max < enough)
		limit.rlim_max = enough;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool_is_bounded),
		cmocka_unit_test(no_bytes_leak),
		cmocka_unit_test(counts),
		cmocka_unit_test(before_an_urgent_byte),
		cmocka_unit_test(split),
		cmocka_unit_test(split_without_another),
		cmocka_unit_test(look),
		cmocka_unit_test(drains_in_parts),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(descriptors_in_use),
		cmocka_unit_test(quota),
		cmocka_unit_test(finish),
	};

	signal(SIGPIPE, SIG_IGN);
	if (!have_descriptors()) {
		puts("this user may have too few descriptors");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
