/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - sockets of the fake instance, as tests of the shim make them */
#include "tests/libvsesock/near.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"

#define LIMIT 64

static struct rlimit old_limit;
static int filled[LIMIT], nr_filled;

int near_new(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	return fd;
}

int near_connect(int fd, int port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

int near_connected(void)
{
	int fd = near_new();

	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	return fd;
}

int near_listener(void)
{
	int fd = near_new();

	assert_int_equal(listen(fd, 5), 0);
	return fd;
}

void fake_tell(int fd, int what, int value)
{
	assert_int_equal(setsockopt(fd, FAKE, what, &value, sizeof(value)), 0);
}

int fake_ask(int fd, int what)
{
	socklen_t len = sizeof(int);
	int value;

	assert_int_equal(getsockopt(fd, FAKE, what, &value, &len), 0);
	return value;
}

void near_fill(int left)
{
	struct rlimit limit;
	int fd;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old_limit), 0);
	limit = old_limit;
	limit.rlim_cur = LIMIT;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (nr_filled = 0; (fd = fcntl(0, F_DUPFD, 0)) >= 0; nr_filled++)
		filled[nr_filled] = fd;
	while (left-- > 0)
		close(filled[--nr_filled]);
}

void near_unfill(void)
{
	while (nr_filled > 0)
		close(filled[--nr_filled]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old_limit), 0);
}
