/* SPDX-License-Identifier: Apache-2.0 */
/* test-receive.c - end of file only if the peer closed in order; send and receive where AF_UNIX
 * differs */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"

ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t len, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t room, int flags, struct sockaddr *addr,
		       socklen_t *addrlen);

static char buf[64];

static ssize_t by_read(int fd)
{
	return read(fd, buf, sizeof(buf));
}

static ssize_t by_readv(int fd)
{
	struct iovec iov[2] = {{.iov_base = buf, .iov_len = 1},
			       {.iov_base = buf + 1, .iov_len = 1}};

	return readv(fd, iov, 2);
}

static ssize_t by_recv(int fd)
{
	return recv(fd, buf, sizeof(buf), 0);
}

static ssize_t by_recvfrom(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	return recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&addr, &len);
}

static ssize_t by_recvmsg(int fd)
{
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return recvmsg(fd, &msg, 0);
}

static ssize_t by_recvmmsg(int fd)
{
	struct iovec iov = {.iov_base = buf, .iov_len = sizeof(buf)};
	struct mmsghdr msg = {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};
	int rc = recvmmsg(fd, &msg, 1, 0, NULL);

	return rc < 0 ? rc : (ssize_t)msg.msg_len;
}

static ssize_t by_read_chk(int fd)
{
	return __read_chk(fd, buf, sizeof(buf), sizeof(buf));
}

static ssize_t by_recv_chk(int fd)
{
	return __recv_chk(fd, buf, sizeof(buf), sizeof(buf), 0);
}

static ssize_t by_recvfrom_chk(int fd)
{
	return __recvfrom_chk(fd, buf, sizeof(buf), sizeof(buf), 0, NULL, NULL);
}

static ssize_t (*const forms[])(int fd) = {
	by_read,     by_readv,    by_recv,     by_recvfrom,     by_recvmsg,
	by_recvmmsg, by_read_chk, by_recv_chk, by_recvfrom_chk,
};

static void test_end_of_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int fd = near_connected();

		fake_tell(fd, FAKE_SEND, 2);
		fake_tell(fd, FAKE_END, 0);
		errno = 12345;
		assert_int_equal(forms[i](fd), 2);
		assert_int_equal(forms[i](fd), 0);
		assert_int_equal(forms[i](fd), 0);
		assert_int_equal(errno, 12345);
		close(fd);
	}
}

static void test_reset(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int fd = near_connected();

		fake_tell(fd, FAKE_SEND, 2);
		fake_tell(fd, FAKE_END, ECONNRESET);
		assert_int_equal(forms[i](fd), 2);
		assert_fails(forms[i](fd), ECONNRESET);
		assert_int_equal(forms[i](fd), 0); /* once, as the kernel says it */
		close(fd);
	}
}

/* The far end was closed with data unread, so the kernel itself says ECONNRESET: the instance knows
 * better. */
static void test_true_reason(void **state)
{
	int fd = near_connected();

	(void)state;
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	fake_tell(fd, FAKE_END, ETIMEDOUT);
	assert_fails(by_recv(fd), ETIMEDOUT);
	close(fd);
}

static void test_no_answer_is_reset(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int fd = near_connected();

		fake_tell(fd, FAKE_END, 0);
		fake_tell(fd, FAKE_DEAF, 1);
		assert_fails(forms[i](fd), ECONNRESET);
		close(fd);
	}
}

static void test_not_connected(void **state)
{
	int fd = near_new();

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_fails(forms[i](fd), ENOTCONN);
	signal(SIGPIPE, SIG_IGN);
	assert_fails(send(fd, "x", 1, 0), EPIPE);
	assert_fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	close(fd);
}

static volatile sig_atomic_t pipes;

static void on_pipe(int sig)
{
	pipes += sig == SIGPIPE;
}

static void test_sigpipe(void **state)
{
	int fd = near_new();

	(void)state;
	signal(SIGPIPE, on_pipe);
	assert_fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	assert_int_equal(pipes, 0);
	assert_fails(send(fd, "x", 1, 0), EPIPE);
	assert_int_equal(pipes, 1);
	close(fd);
}

/* A length of 0 asks for nothing, and other descriptors are none of the instance's business. */
static void test_nothing_asked(void **state)
{
	int fd = near_connected(), pipe_fds[2], calls;

	(void)state;
	fake_tell(fd, FAKE_END, ECONNRESET);
	calls = fake_ask(fd, FAKE_CALLS);
	assert_int_equal(recv(fd, buf, 0, 0), 0);
	assert_int_equal(read(fd, buf, 0), 0);
	assert_int_equal(pipe(pipe_fds), 0);
	close(pipe_fds[1]);
	errno = 12345;
	assert_int_equal(read(pipe_fds[0], buf, sizeof(buf)), 0);
	assert_int_equal(errno, 12345);
	assert_int_equal(fake_ask(fd, FAKE_CALLS), calls + 1);
	close(pipe_fds[0]);
	close(fd);
}

static void test_no_address(void **state)
{
	struct sockaddr_storage addr;
	struct iovec iov = {.iov_base = buf, .iov_len = 2};
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	socklen_t len = sizeof(addr);
	int fd = near_connected();

	(void)state;
	memset(&addr, 0xee, sizeof(addr));
	fake_tell(fd, FAKE_SEND, 4);
	assert_int_equal(recvfrom(fd, buf, 2, 0, (struct sockaddr *)&addr, &len), 2);
	assert_int_equal(len, 0);
	assert_int_equal(recvmsg(fd, &msg, 0), 2);
	assert_int_equal(msg.msg_namelen, 0);
	assert_ptr_equal(msg.msg_name, &addr);
	assert_int_equal(addr.ss_family, 0xeeee);
	close(fd);
}

/* TCP does not look at the address of a send. */
static void test_address_given(void **state)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(9)};
	struct iovec iov = {.iov_base = buf, .iov_len = 2};
	struct mmsghdr msgs[2] = {
		{.msg_hdr = {.msg_name = &addr,
			     .msg_namelen = sizeof(addr),
			     .msg_iov = &iov,
			     .msg_iovlen = 1}},
		{.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}},
	};
	int fd = near_connected();

	(void)state;
	errno = 12345;
	assert_int_equal(sendto(fd, "abc", 3, 0, (struct sockaddr *)&addr, sizeof(addr)), 3);
	assert_int_equal(sendmsg(fd, &msgs[0].msg_hdr, 0), 2);
	assert_int_equal(sendmmsg(fd, msgs, 2, 0), 2);
	assert_int_equal(msgs[1].msg_len, 2);
	assert_int_equal(errno, 12345);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 9);
	close(fd);
	fd = near_new();
	signal(SIGPIPE, SIG_IGN);
	assert_fails(sendto(fd, "abc", 3, 0, (struct sockaddr *)&addr, sizeof(addr)), EPIPE);
	/* programs that get this connect first */
	assert_fails(sendto(fd, "abc", 3, MSG_FASTOPEN, (struct sockaddr *)&addr, sizeof(addr)),
		     EOPNOTSUPP);
	close(fd);
}

static void test_special_flags(void **state)
{
	int fd = near_connected();

	(void)state;
	fake_tell(fd, FAKE_SEND, 10);
	assert_fails(recv(fd, buf, sizeof(buf), MSG_ERRQUEUE | MSG_DONTWAIT), EAGAIN);
	assert_int_equal(recv(fd, NULL, 4, MSG_TRUNC), 4);
	assert_int_equal(recv(fd, buf, sizeof(buf), MSG_PEEK), 6);
	assert_int_equal(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), 6);
	assert_fails(recv(fd, buf, sizeof(buf), MSG_DONTWAIT), EAGAIN);
	close(fd);
}

static void test_several_messages(void **state)
{
	struct iovec iov = {.iov_base = buf, .iov_len = 4};
	struct mmsghdr msgs[3];
	int fd = near_connected();

	(void)state;
	for (int i = 0; i < 3; i++)
		msgs[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};
	fake_tell(fd, FAKE_SEND, 6);
	assert_int_equal(recvmmsg(fd, msgs, 3, MSG_WAITFORONE, NULL), 2);
	assert_int_equal(msgs[0].msg_len, 4);
	assert_int_equal(msgs[1].msg_len, 2);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_of_file),      cmocka_unit_test(test_reset),
		cmocka_unit_test(test_true_reason),      cmocka_unit_test(test_no_answer_is_reset),
		cmocka_unit_test(test_not_connected),    cmocka_unit_test(test_sigpipe),
		cmocka_unit_test(test_nothing_asked),    cmocka_unit_test(test_no_address),
		cmocka_unit_test(test_address_given),    cmocka_unit_test(test_special_flags),
		cmocka_unit_test(test_several_messages),
	};

	(void)argc;
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
