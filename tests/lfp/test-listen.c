/* SPDX-License-Identifier: Apache-2.0 */
/* test-listen.c - modes of sockets at a path, where another user may have put something else */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/endpoint.h"

static char folder[64], place[80], other[80];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test-listen-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(place, sizeof(place), "%s/socket", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(place);
	unlink(other);
	assert_int_equal(rmdir(folder), 0);
	return 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void modes(void **state)
{
	int fd = lfp_listen(place, SOCK_STREAM, 0600, 1);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(mode_of(place), 0600);
	assert_int_equal(lfp_socket_mode(place, 0666), 0);
	assert_int_equal(mode_of(place), 0666);
	close(fd);
}

static void no_socket(void **state)
{
	int fd = open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(lfp_socket_mode(place, 0666), -ENOENT);
	assert_int_equal(lfp_socket_mode(other, 0666), -ENOTSOCK);
	assert_int_equal(symlink(other, place), 0);
	assert_int_equal(lfp_socket_mode(place, 0666), -ENOTSOCK);
	assert_int_equal(mode_of(other), 0600);
}

static void a_link_to_a_socket(void **state)
{
	int fd = lfp_listen(other, SOCK_SEQPACKET, 0600, 1);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(symlink(other, place), 0);
	assert_int_equal(lfp_socket_mode(place, 0666), -ENOTSOCK);
	assert_int_equal(mode_of(other), 0600);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(modes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_socket, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_link_to_a_socket, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
