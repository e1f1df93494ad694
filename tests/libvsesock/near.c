/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - sockets of the fake instance, as tests of the shim make them */
#include "tests/libvsesock/near.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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

/* A function of libc, and not the shim's. */
static void *libc_function(const char *name)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), *function;

	assert_non_null(libc);
	function = dlsym(libc, name);
	assert_non_null(function);
	dlclose(libc);
	return function;
}

static void get_own(int fd, int name, void *value, socklen_t len)
{
	int (*get)(int, int, int, void *, socklen_t *);
	void *function = libc_function("getsockopt");

	memcpy(&get, &function, sizeof(get));
	assert_int_equal(get(fd, SOL_SOCKET, name, value, &len), 0);
}

int near_own_option(int fd, int name)
{
	int value = -2;

	get_own(fd, name, &value, sizeof(value));
	return value;
}

uint64_t near_own_wide_option(int fd, int name)
{
	uint64_t value = 0;

	get_own(fd, name, &value, sizeof(value));
	return value;
}

uint64_t near_own_cookie(int fd)
{
	return near_own_wide_option(fd, SO_COOKIE);
}

void near_set_own_option(int fd, int name, int value)
{
	int (*set)(int, int, int, const void *, socklen_t);
	void *function = libc_function("setsockopt");

	memcpy(&set, &function, sizeof(set));
	assert_int_equal(set(fd, SOL_SOCKET, name, &value, sizeof(value)), 0);
}
