/* SPDX-License-Identifier: Apache-2.0 */
/* piped-bytes.c - bytes of a pattern that pass through sockets and pipes */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/transport/piped-bytes.h"

void pair_make(int fds[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds),
			 0);
}

void pair_close(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

uint8_t pattern_at(uint64_t position)
{
	return (uint8_t)(position * 2654435761u >> 13);
}

void pattern_feed(int fd, uint64_t position, size_t len)
{
	uint8_t *bytes = malloc(len);

	assert_non_null(bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern_at(position + i);
	assert_int_equal(write(fd, bytes, len), len);
	free(bytes);
}

void pattern_expect(int fd, uint64_t position, size_t len)
{
	uint8_t bytes[4096];

	while (len) {
		ssize_t n = read(fd, bytes, len < sizeof(bytes) ? len : sizeof(bytes));

		assert_in_range(n, 1, sizeof(bytes));
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], pattern_at(position++));
		len -= (size_t)n;
	}
}

void pipe_fill_up(struct held_pipe *pipe, const int from[2])
{
	size_t room;

	while ((room = PIPE_BYTES - pipe->held)) {
		size_t len = room < 16384 ? room : 16384;
		ssize_t n;

		pattern_feed(from[0], pipe->held, len);
		n = pipe_fill(pipe, from[1], len);
		if (n < (ssize_t)len)
			return;
	}
}

int in_child(int (*body)(void))
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
