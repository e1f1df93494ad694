/* SPDX-License-Identifier: Apache-2.0 */
/* test-rights.c - descriptors sent along with a message */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lfp/rights.h"
#include "tests/qemu-user.h"

#define MANY 255u

struct message {
	char byte;
	struct iovec iov;
	struct msghdr msg;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(MANY * sizeof(int))];
	} control;
};

static int pair[2];

static int make_pair(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static int send_nr(const int *fds, unsigned int nr)
{
	struct iovec part = {(void *)(uintptr_t) "x", 1};

	return lfp_rights_send(pair[0], &part, 1, fds, nr);
}

static struct msghdr *receive(struct message *m, size_t room)
{
	m->iov = (struct iovec){&m->byte, 1};
	m->msg = (struct msghdr){.msg_iov = &m->iov,
				 .msg_iovlen = 1,
				 .msg_control = &m->control,
				 .msg_controllen = room};
	assert_int_equal(recvmsg(pair[1], &m->msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC), 1);
	assert_int_equal(m->byte, 'x');
	return &m->msg;
}

static bool same_file(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

static void in_their_order(void **state)
{
	int sent[2], got[3] = {-1, -1, -1};
	struct message m;

	(void)state;
	assert_int_equal(pipe(sent), 0);
	assert_int_equal(send_nr(sent, 2), 0);
	assert_int_equal(lfp_rights_take(receive(&m, sizeof(m.control)), got, 3), 2);
	assert_true(same_file(got[0], sent[0]));
	assert_true(same_file(got[1], sent[1]));
	assert_true((fcntl(got[1], F_GETFL) & O_ACCMODE) == O_WRONLY);
	assert_int_equal(got[2], -1);
	for (int i = 0; i < 2; i++) {
		close(sent[i]);
		close(got[i]);
	}
}

static void none_at_all(void **state)
{
	struct message m;
	int fd = -1;

	(void)state;
	assert_int_equal(send_nr(NULL, 0), 0);
	assert_int_equal(lfp_rights_take(receive(&m, sizeof(m.control)), &fd, 1), 0);
	assert_int_equal(fd, -1);
}

/* All that came are counted, and can be closed one by one. */
static void more_than_wanted(void **state)
{
	const int sent[5] = {0, 0, 0, 0, 0};
	struct message m;
	struct lfp_rights_place place = {.msg = &m.msg};
	int fds[3] = {-1, -1, -1}, fd, nr = 0;

	(void)state;
	assert_int_equal(send_nr(sent, 5), 0);
	assert_int_equal(lfp_rights_take(receive(&m, sizeof(m.control)), fds, 2), 5);
	assert_int_equal(fds[2], -1);
	while (lfp_rights_next(&place, &fd)) {
		assert_int_equal(place.header->cmsg_type, SCM_RIGHTS);
		assert_int_equal(close(fd), 0);
		nr++;
	}
	assert_int_equal(nr, 5);
	assert_int_equal(fcntl(fds[0], F_GETFD), -1);
}

static void what_has_no_room_is_cut_off(void **state)
{
	const int sent[6] = {0, 0, 0, 0, 0, 0};
	int fds[6];
	struct message m;

	(void)state;
	QEMU_USER_LACKS("MSG_CTRUNC");
	assert_int_equal(send_nr(sent, 6), 0);
	assert_int_equal(lfp_rights_take(receive(&m, CMSG_SPACE(4 * sizeof(int))), fds, 6), 4);
	assert_true(m.msg.msg_flags & MSG_CTRUNC);
	for (int i = 0; i < 4; i++)
		close(fds[i]);
}

static void the_limit(void **state)
{
	int sent[MANY] = {0}, got[MANY];
	struct message m;

	(void)state;
	assert_int_equal(send_nr(sent, LFP_RIGHTS_MAX + 1), -EINVAL);
	assert_int_equal(send_nr(sent, LFP_RIGHTS_MAX), 0);
	assert_int_equal(lfp_rights_take(receive(&m, sizeof(m.control)), got, MANY),
			 LFP_RIGHTS_MAX);
	for (unsigned int i = 0; i < LFP_RIGHTS_MAX; i++)
		assert_int_equal(close(got[i]), 0);
}

static void a_closed_one_is_an_error(void **state)
{
	const int fd = -1;

	(void)state;
	assert_int_equal(send_nr(&fd, 1), -EBADF);
}

/* Credentials come first; the descriptors are found behind them. */
static void among_other_control_messages(void **state)
{
	const int on = 1, zero = 0;
	struct message m;
	int fd = -1;

	(void)state;
	assert_int_equal(setsockopt(pair[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	assert_int_equal(send_nr(&zero, 1), 0);
	receive(&m, sizeof(m.control));
	assert_int_equal(CMSG_FIRSTHDR(&m.msg)->cmsg_type, SCM_CREDENTIALS);
	assert_int_equal(lfp_rights_take(&m.msg, &fd, 1), 1);
	assert_true(same_file(fd, 0));
	close(fd);
}

/* As recvmsg() leaves it: a descriptor, none of a process, and one of a process. */
static void processes(void **state)
{
	struct message m;
	struct lfp_rights_place place = {.msg = &m.msg};
	const int values[3] = {7, -3, 9};
	struct cmsghdr *header;
	int fd;

	(void)state;
	memset(&m, 0, sizeof(m));
	m.msg.msg_control = &m.control;
	m.msg.msg_controllen = 3 * CMSG_SPACE(sizeof(int));
	header = CMSG_FIRSTHDR(&m.msg);
	for (int i = 0; i < 3; i++) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = i ? SCM_PIDFD : SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &values[i], sizeof(int));
		header = (struct cmsghdr *)(void *)((char *)header + CMSG_SPACE(sizeof(int)));
	}
	assert_int_equal(lfp_rights_take(&m.msg, &fd, 1), 1);
	assert_int_equal(fd, 7);
	assert_true(lfp_rights_next(&place, &fd));
	assert_true(lfp_rights_next(&place, &fd));
	assert_int_equal(place.header->cmsg_type, SCM_PIDFD);
	assert_int_equal(fd, 9);
	assert_false(lfp_rights_next(&place, &fd));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_pair, close_pair)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(in_their_order),
		TEST(none_at_all),
		TEST(more_than_wanted),
		TEST(what_has_no_room_is_cut_off),
		TEST(the_limit),
		TEST(a_closed_one_is_an_error),
		TEST(among_other_control_messages),
		TEST(processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
