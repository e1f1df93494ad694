/* SPDX-License-Identifier: Apache-2.0 */
/* test-message.c - copies of messages; this process is the program */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/message.h"
#include "tests/lfp-run/held.h"

union control {
	struct cmsghdr align;
	uint8_t buf[256];
};

static size_t add(union control *c, size_t at, int level, int type, const void *data, size_t len)
{
	struct cmsghdr head = {.cmsg_len = CMSG_LEN(len), .cmsg_level = level, .cmsg_type = type};

	memcpy(c->buf + at, &head, sizeof(head));
	memcpy(c->buf + at + CMSG_LEN(0), data, len);
	return at + CMSG_SPACE(len);
}

static void test_strip(void **state)
{
	union control c = {0}, want = {0};
	int tos = 16, ttl = 3, fds[2] = {open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY)};
	size_t len, wanted;

	(void)state;
	len = add(&c, 0, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	len = add(&c, len, SOL_SOCKET, SCM_RIGHTS, fds, sizeof(fds));
	len = add(&c, len, SOL_SOCKET, SCM_CREDENTIALS, &(struct ucred){1, 2, 3},
		  sizeof(struct ucred));
	len = add(&c, len, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	wanted = add(&want, 0, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	wanted = add(&want, wanted, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));

	assert_int_equal(message_strip(c.buf, len, false), wanted);
	assert_memory_equal(c.buf, want.buf, wanted);
	/* Numbers of a program were not touched. */
	assert_true(fcntl(fds[0], F_GETFD) >= 0 && fcntl(fds[1], F_GETFD) >= 0);

	len = add(&c, 0, SOL_SOCKET, SCM_RIGHTS, fds, sizeof(fds));
	assert_int_equal(message_strip(c.buf, len, true), 0);
	assert_true(fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) < 0);
}

/* A program that sets SO_PASSPIDFD on its near end makes one arrive with each message. */
static void test_strip_pidfd(void **state)
{
	union control c = {0};
	int fd = open("/dev/null", O_RDONLY);
	size_t len = add(&c, 0, SOL_SOCKET, 4 /* SCM_PIDFD */, &fd, sizeof(fd));

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(message_strip(c.buf, len, true), 0);
	assert_true(fcntl(fd, F_GETFD) < 0);
}

static void test_strip_bad(void **state)
{
	union control c = {0};
	int number = 1;
	size_t len = add(&c, 0, IPPROTO_IP, IP_TOS, &number, sizeof(number));

	(void)state;
	assert_int_equal(message_strip(c.buf, 0, false), 0);
	assert_int_equal(message_strip(c.buf, sizeof(struct cmsghdr) - 1, false), 0);
	/* Longer than what is there; shorter than itself. */
	c.align.cmsg_len = len + 1;
	assert_int_equal(message_strip(c.buf, len, false), 0);
	c.align.cmsg_len = SIZE_MAX;
	assert_int_equal(message_strip(c.buf, len, false), 0);
	c.align.cmsg_len = 1;
	assert_int_equal(message_strip(c.buf, len, false), 0);
}

static void test_take_and_give(void **state)
{
	struct trap trap = held_as(*state, gettid());
	char a[] = "abc", b[] = "defg";
	struct iovec iov[2] = {{a, 3}, {b, 4}};
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = 7}, to = {0};
	struct msghdr theirs = {
		.msg_name = &addr, .msg_namelen = sizeof(addr), .msg_iov = iov, .msg_iovlen = 2};
	struct message *m;
	long rc = 1;

	m = message_take(&trap, (uintptr_t)&theirs, &rc);
	assert_non_null(m);
	assert_int_equal(rc, 0);
	assert_int_equal(m->len, 7);
	assert_int_equal(message_fill(&trap, m), 0);
	assert_memory_equal(m->data.iov_base, "abcdefg", 7);
	assert_int_equal(m->ours.msg_namelen, sizeof(addr));
	assert_memory_equal(m->ours.msg_name, &addr, sizeof(addr));
	assert_null(m->ours.msg_control);

	/* Back: five bytes, and an address for which there is less room. */
	theirs.msg_name = m->theirs.msg_name = &to;
	m->theirs.msg_namelen = 4;
	memcpy(m->data.iov_base, "12345", 5);
	m->ours.msg_flags = MSG_TRUNC | MSG_CMSG_CLOEXEC;
	assert_int_equal(message_give(&trap, m, 5, (uintptr_t)&theirs), 0);
	assert_memory_equal(a, "123", 3);
	assert_memory_equal(b, "45fg", 4);
	assert_int_equal(to.sin_port, 7);
	assert_int_equal(to.sin_addr.s_addr, 0);
	assert_int_equal(theirs.msg_namelen, sizeof(addr));
	assert_int_equal(theirs.msg_flags, MSG_TRUNC);
	assert_int_equal(theirs.msg_controllen, 0);
	message_free(m);
}

static void test_bad(void **state)
{
	struct trap trap = held_as(*state, gettid());
	char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct iovec iov[2] = {{page, 16}, {page, 16}};
	struct msghdr theirs = {.msg_iov = iov, .msg_iovlen = 1};
	struct message *m;
	long rc;

	assert_ptr_not_equal(page, MAP_FAILED);
	assert_null(message_take(&trap, (uintptr_t)page, &rc));
	assert_int_equal(rc, -EFAULT);
	theirs.msg_iovlen = IOV_MAX + 1;
	assert_null(message_take(&trap, (uintptr_t)&theirs, &rc));
	assert_int_equal(rc, -EMSGSIZE);
	theirs.msg_iovlen = 2;
	iov[1].iov_len = SIZE_MAX;
	assert_null(message_take(&trap, (uintptr_t)&theirs, &rc));
	assert_int_equal(rc, -EINVAL);
	iov[1].iov_len = SSIZE_MAX;
	assert_null(message_take(&trap, (uintptr_t)&theirs, &rc));
	assert_int_equal(rc, -EINVAL);

	iov[1].iov_len = 16;
	m = message_take(&trap, (uintptr_t)&theirs, &rc);
	assert_non_null(m);
	assert_int_equal(message_fill(&trap, m), -EFAULT);
	assert_int_equal(message_give(&trap, m, 1, 0), -EFAULT);
	assert_int_equal(message_give(&trap, m, 0, 0), 0);
	message_free(m);

	/* More than any memory: a stream takes a part of it. */
	iov[0].iov_len = SSIZE_MAX - 16;
	m = message_take(&trap, (uintptr_t)&theirs, &rc);
	assert_non_null(m);
	assert_int_equal(m->len, MESSAGE_DATA);
	m->theirs.msg_control = page;
	m->theirs.msg_controllen = MESSAGE_CONTROL + 1;
	assert_int_equal(message_fill(&trap, m), -ENOBUFS);
	message_free(m);
	munmap(page, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strip),       cmocka_unit_test(test_strip_bad),
		cmocka_unit_test(test_strip_pidfd), cmocka_unit_test(test_take_and_give),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, held_setup, held_teardown);
}
