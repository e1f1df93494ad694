/* SPDX-License-Identifier: Apache-2.0 */
/* test-recognised.c - near ends that are known by their cookies, and other sockets at their numbers
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libvsesock/core/recognised.h"
#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

#define COOKIE 4711u
#define NEARBY (COOKIE + 1024u) /* has the same place */

static void test_table(void **state)
{
	char nn[3];

	(void)state;
	assert_false(recognised_get(COOKIE, nn));
	recognised_put(COOKIE, "07");
	assert_true(recognised_get(COOKIE, nn));
	assert_string_equal(nn, "07");
	assert_false(recognised_get(NEARBY, nn));
	recognised_put(NEARBY, "12");
	assert_true(recognised_get(NEARBY, nn));
	assert_string_equal(nn, "12");
	assert_false(recognised_get(COOKIE, nn));
	recognised_put(NEARBY, "12");
	recognised_put(0, "07");
	assert_false(recognised_get(0, nn));
	/* Too large for a word. */
	recognised_put(UINT64_C(1) << 48 | COOKIE, "07");
	assert_false(recognised_get(UINT64_C(1) << 48 | COOKIE, nn));
	assert_true(recognised_get(NEARBY, nn));
}

/* Sets an option that a UNIX socket does not have. */
static int set_nodelay(int fd)
{
	const int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* The number of a near end gets another socket, unnoticed: by a bare system call. */
static void test_another_at_the_number(void **state)
{
	int fd = near_connected(), plain[2];

	(void)state;
	assert_int_equal(set_nodelay(fd), 0);
	assert_int_equal(set_nodelay(fd), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, plain), 0);
	assert_int_equal(syscall(SYS_dup3, plain[0], fd, 0), fd);
	assert_fails(set_nodelay(fd), EOPNOTSUPP);
	close(fd);
	assert_fails(set_nodelay(fd), EBADF);
	close(plain[0]);
	close(plain[1]);
}

/* A copy is the same near end. */
static void test_copies(void **state)
{
	int fd = near_connected(), copy = dup(fd);

	(void)state;
	assert_int_equal(set_nodelay(fd), 0);
	assert_int_equal(set_nodelay(copy), 0);
	close(fd);
	assert_int_equal(set_nodelay(copy), 0);
	close(copy);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_another_at_the_number),
		cmocka_unit_test(test_copies),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
