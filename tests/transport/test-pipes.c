/* SPDX-License-Identifier: Apache-2.0 */
/* test-pipes.c - the pool of pipes is bounded and leaks nothing; bytes pass through in order, and
 * by copy where splice() is refused */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/transport/descriptors.h"
#include "tests/qemu-user.h"
#include "transport/pipes.h"

#define UNPRIVILEGED 65533 /* an id that no other process has */

static void make_pair(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
}

static void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

static uint8_t pattern(uint64_t position)
{
	return (uint8_t)(position * 2654435761u >> 13);
}

/* Writes @len bytes of the pattern to @fd. */
static void feed(int fd, uint64_t position, size_t len)
{
	uint8_t *bytes = malloc(len);

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern(position + i);
	assert_int_equal(write(fd, bytes, len), len);
	free(bytes);
}

static void expect(int fd, uint64_t position, size_t len)
{
	uint8_t bytes[4096];

	while (len) {
		ssize_t n = read(fd, bytes, len < sizeof(bytes) ? len : sizeof(bytes));

		assert_in_range(n, 1, sizeof(bytes));
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], pattern(position++));
		len -= (size_t)n;
	}
}

/* Runs @body in a process of its own, where it may change limits. Returns its exit code. */
static int in_child(int (*body)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

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
	make_pair(fds);
	for (int i = 0; i < 20; i++) {
		pipe = pipe_get();
		assert_non_null(pipe);
		assert_int_equal(pipe->held, 0);
		assert_int_equal(read(pipe->out, &byte, 1), -1);
		assert_int_equal(errno, EAGAIN);
		feed(fds[0], 0, 100);
		assert_int_equal(pipe_fill(pipe, fds[1], 1000), 100);
		if (i % 2)
			assert_int_equal(pipe_take(pipe, &byte, 1), 1);
		pipe_put(pipe);
	}
	close_pair(fds);
}

static void counts(void **state)
{
	struct held_pipe *pipe = pipe_get();
	uint8_t bytes[1000];
	int from[2], to[2];

	(void)state;
	make_pair(from);
	make_pair(to);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), -EAGAIN);
	feed(from[0], 0, 3000);
	assert_int_equal(pipe_fill(pipe, from[1], 2000), 2000);
	assert_int_equal(pipe->held, 2000);
	assert_int_equal(pipe_take(pipe, bytes, 500), 500);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(bytes[i], pattern(i));
	assert_int_equal(pipe->held, 1500);
	assert_int_equal(pipe_drain_some(pipe, to[0], 600, false), 600);
	assert_int_equal(pipe->held, 900);
	expect(to[1], 500, 600);
	assert_int_equal(pipe_drain_some(pipe, to[0], 1000, false), 900);
	assert_int_equal(pipe->held, 0);
	expect(to[1], 1100, 900);
	assert_int_equal(pipe_fill(pipe, from[1], 2000), 1000);
	assert_int_equal(pipe_send(pipe, to[0], true), 1000);
	assert_int_equal(pipe->held, 0);
	expect(to[1], 2000, 1000);
	close(from[0]);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), 0);
	close(from[1]);
	assert_int_equal(pipe_fill(pipe, from[1], 1000), -EBADF);
	pipe_put(pipe);
	close_pair(to);
}

/* Fills @pipe by the bytes of the pattern, as far as they go in. */
static void fill_up(struct held_pipe *pipe, const int from[2])
{
	size_t room;

	while ((room = PIPE_BYTES - pipe->held)) {
		size_t len = room < 16384 ? room : 16384;
		ssize_t n;

		feed(from[0], pipe->held, len);
		n = pipe_fill(pipe, from[1], len);
		if (n < (ssize_t)len)
			return;
	}
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
	feed(fds[0], 0, 50);
	assert_int_equal(send(fds[0], "!", 1, MSG_OOB), 1);
	feed(fds[0], 51, 49);
	assert_int_equal(shutdown(fds[0], SHUT_WR), 0);
	assert_int_equal(poll(&pfd, 1, 60000), 1);
	assert_int_equal(pipe_fill(pipe, fds[1], sizeof(bytes)), 50);
	assert_int_equal(pipe_fill(pipe, fds[1], sizeof(bytes)), 0);
	assert_int_equal(recv(fds[1], bytes, sizeof(bytes), 0), 50);
	assert_int_equal(bytes[0], '!');
	assert_int_equal(recv(fds[1], bytes, sizeof(bytes), 0), 0);
	pipe_put(pipe);
	close_pair(fds);
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
	make_pair(from);
	make_pair(to);
	fill_up(pipe, from);
	held = pipe->held;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		first = pipe_split(pipe, parts[i]);
		assert_non_null(first);
		assert_int_equal(first->held, parts[i] < held - done ? parts[i] : held - done);
		assert_int_equal(pipe->held, held - done - first->held);
		while (first->held) {
			size_t len = first->held < 32768 ? first->held : 32768;

			assert_int_equal(pipe_drain_some(first, to[0], len, false), len);
			expect(to[1], done, len);
			done += len;
		}
		pipe_put(first);
	}
	assert_int_equal(done, held);
	assert_null(pipe_split(pipe, 1)); /* it is empty */
	pipe_put(pipe);
	close_pair(from);
	close_pair(to);
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
	make_pair(from);
	feed(from[0], 0, sizeof(bytes));
	assert_int_equal(pipe_fill(pipes[0], from[1], sizeof(bytes)), sizeof(bytes));
	assert_null(pipe_split(pipes[0], 1000));
	assert_int_equal(pipe_take(pipes[0], bytes, sizeof(bytes)), sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], pattern(i));
	while (nr)
		pipe_put(pipes[--nr]);
	close_pair(from);
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
	make_pair(from);
	make_pair(to);
	fill_up(pipe, from);
	held = pipe->held;
	assert_in_range(held, PIPE_BYTES / 2, PIPE_BYTES);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(pipe_look(pipe, bytes), 0);
		assert_int_equal(pipe->held, held);
		for (size_t i = 0; i < held; i++)
			assert_int_equal(bytes[i], pattern(i));
	}
	while (pipe->held) {
		ssize_t n = pipe_drain(pipe, to[0], false);

		assert_in_range(n, 1, held);
		expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
	}
	assert_int_equal(done, held);
	pipe_put(pipe);
	free(bytes);
	close_pair(from);
	close_pair(to);
}

/* A socket that is full takes a part; the rest is still there, in order, by either way. */
static void drains_in_parts(void **state)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];
	uint64_t done = 0;

	(void)state;
	make_pair(from);
	make_pair(to);
	assert_int_equal(setsockopt(to[0], SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
	feed(from[0], 0, 100000);
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
		expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
	}
	assert_true(done >= 50000);
	close(to[1]);
	feed(from[0], 0, 1000);
	assert_in_range(pipe_fill(pipe, from[1], 1000), 1, 1000);
	assert_int_equal(pipe_drain(pipe, to[0], false), -EPIPE);
	assert_int_equal(pipe_send(pipe, to[0], false), -EPIPE);
	assert_true(pipe->held);
	pipe_put(pipe);
	close_pair(from);
	close(to[0]);
}

/* A socket that another process has made blocking does not hold up the copying way. */
static void copy_never_waits(void **state)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];
	uint8_t bytes[4096] = {0};

	(void)state;
	make_pair(from);
	make_pair(to);
	while (write(to[0], bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(fcntl(to[0], F_SETFL, O_RDWR), 0);
	feed(from[0], 0, 100);
	assert_int_equal(pipe_fill(pipe, from[1], 100), 100);
	assert_int_equal(pipe_send(pipe, to[0], false), -EAGAIN);
	assert_int_equal(pipe->held, 100);
	pipe_put(pipe);
	close_pair(from);
	close_pair(to);
}

/* In processes of their own: the number of pipes, or more than PIPES_MAX for another failure. */

#define BROKEN ((int)PIPES_MAX + 1)

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

/* Makes splice() fail with @error from now on. Returns 0 or -1. */
static int refuse_splice(unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_splice, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static unsigned int refusal;

/* 0: nothing is lost, and there are no pipes any more. 1: there are. */
static int refused(void)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];

	make_pair(from);
	make_pair(to);
	feed(from[0], 0, 20000);
	assert_int_equal(pipe_fill(pipe, from[1], 10000), 10000);
	if (refuse_splice(refusal))
		return BROKEN;
	assert_int_equal(pipe_drain(pipe, to[0], false), 10000);
	expect(to[1], 0, 10000);
	assert_int_equal(pipe_fill(pipe, from[1], 10000), -ENOTSUP);
	assert_int_equal(pipe->held, 0);
	expect(from[1], 10000, 10000);
	pipe_put(pipe);
	return pipe_get() ? 1 : 0;
}

/* 0: a socket that takes a part of a part gets all bytes in order. */
static int refused_in_parts(void)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2], cuts = 0;
	uint64_t done = 0;
	uint32_t held;

	make_pair(from);
	make_pair(to);
	assert_int_equal(setsockopt(to[0], SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
	fill_up(pipe, from);
	held = pipe->held;
	if (refuse_splice(refusal))
		return BROKEN;
	while (pipe->held) {
		ssize_t n = pipe_drain_some(pipe, to[0], 30000, false);

		assert_in_range(n, 1, 30000);
		cuts += n < 30000 && pipe->held;
		expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
		assert_int_equal(pipe->held, held - done);
	}
	return done == held && cuts ? 0 : 1;
}

static void splice_is_refused(void **state)
{
	static const unsigned int for_ever[] = {EPERM, ENOSYS, EINVAL, EACCES};
	static const unsigned int now[] = {ENOMEM, ENOBUFS};

	QEMU_USER_LACKS("seccomp");
	(void)state;
	for (size_t i = 0; i < sizeof(for_ever) / sizeof(for_ever[0]); i++) {
		refusal = for_ever[i];
		assert_int_equal(in_child(refused), 0);
	}
	for (size_t i = 0; i < sizeof(now) / sizeof(now[0]); i++) {
		refusal = now[i];
		assert_int_equal(in_child(refused), 1);
		assert_int_equal(in_child(refused_in_parts), 0);
	}
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
		cmocka_unit_test(copy_never_waits),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(descriptors_in_use),
		cmocka_unit_test(quota),
		cmocka_unit_test(splice_is_refused),
		cmocka_unit_test(finish),
	};

	signal(SIGPIPE, SIG_IGN);
	if (!have_descriptors()) {
		puts("this user may have too few descriptors");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
