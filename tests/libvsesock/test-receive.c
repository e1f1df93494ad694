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
#include "tests/qemu-user.h"

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

/* While the far end is there, the end is the peer's. When it is gone, only the instance knows. */
static void test_end_with_far_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		int fd = near_connected(), calls;

		fake_tell(fd, FAKE_SEND, 2);
		fake_tell(fd, FAKE_SHUT, 0);
		calls = fake_ask(fd, FAKE_CALLS);
		assert_int_equal(forms[i](fd), 2);
		assert_int_equal(forms[i](fd), 0);
		assert_int_equal(forms[i](fd), 0);
		assert_int_equal(fake_ask(fd, FAKE_CALLS), calls + 1);
		assert_int_equal(send(fd, "x", 1, 0), 1);
		assert_int_equal(fake_ask(fd, FAKE_TAKEN), 1);
		fake_tell(fd, FAKE_END, ECONNRESET);
		assert_fails(forms[i](fd), ECONNRESET);
		close(fd);
	}
}

/* The kernel shows the same end after both directions have ended and after a death. */
static void test_both_ends(void **state)
{
	int fd = near_connected(), calls;

	(void)state;
	fake_tell(fd, FAKE_SHUT, 0);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	calls = fake_ask(fd, FAKE_CALLS);
	assert_int_equal(by_recv(fd), 0);
	assert_int_equal(fake_ask(fd, FAKE_CALLS), calls + 2);
	close(fd);
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
		assert_int_equal(forms[i](fd), 0); /* once, as in the kernel */
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
	assert_int_equal(addr.ss_family, 0xeeee);
	assert_int_equal(recvmsg(fd, &msg, 0), 2);
	assert_int_equal(msg.msg_namelen, 0);
	assert_ptr_equal(msg.msg_name, &addr);
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
	/* MSG_FASTOPEN connects first. */
	assert_fails(sendto(fd, "abc", 3, MSG_FASTOPEN, (struct sockaddr *)&addr, sizeof(addr)),
		     ECONNREFUSED);
	assert_fails(send(fd, "abc", 3, MSG_FASTOPEN), EINVAL);
	addr.sin_port = htons(PORT_GOOD);
	assert_int_equal(sendto(fd, "abc", 3, MSG_FASTOPEN, (struct sockaddr *)&addr, sizeof(addr)),
			 3);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	assert_fails(sendto(fd, "abc", 3, MSG_FASTOPEN, (struct sockaddr *)&addr, sizeof(addr)),
		     EISCONN);
	assert_fails(send(fd, "abc", 3, MSG_FASTOPEN), EISCONN);
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

/* The first call returns the connection's error, without a signal. */
static void test_send_after_a_reset(void **state)
{
	struct iovec iov = {.iov_base = buf, .iov_len = 2};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct mmsghdr all = {.msg_hdr = msg};
	int pair[2];

	(void)state;
	signal(SIGPIPE, on_pipe);
	pipes = 0;
	for (int form = 0; form < 4; form++) {
		int fd = near_connected();
		ssize_t rc;

		fake_tell(fd, FAKE_END, ECONNRESET);
		errno = 0;
		rc = form == 0   ? send(fd, "x", 1, 0)
		     : form == 1 ? sendto(fd, "x", 1, 0, NULL, 0)
		     : form == 2 ? sendmsg(fd, &msg, 0)
				 : sendmmsg(fd, &all, 1, 0);
		assert_int_equal(rc, -1);
		assert_int_equal(errno, ECONNRESET);
		assert_int_equal(pipes, form);
		assert_fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
		assert_int_equal(pipes, form);
		assert_fails(send(fd, "x", 1, 0), EPIPE);
		assert_int_equal(pipes, form + 1);
		assert_int_equal(recv(fd, buf, 1, 0), 0);
		close(fd);
	}
	/* Others' sockets are the kernel's business. */
	pipes = 0;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	close(pair[1]);
	assert_fails(send(pair[0], "x", 1, MSG_NOSIGNAL), EPIPE);
	assert_int_equal(pipes, 0);
	assert_fails(send(pair[0], "x", 1, 0), EPIPE);
	assert_int_equal(pipes, 1);
	close(pair[0]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	shutdown(pair[0], SHUT_WR);
	assert_fails(send(pair[0], "x", 1, 0), EPIPE);
	assert_int_equal(pipes, 1);
	close(pair[0]);
	close(pair[1]);
}

static void test_urgent(void **state)
{
	char head[] = "ab", tail[] = "c!";
	struct iovec iov[3] = {{.iov_base = head, .iov_len = 2},
			       {.iov_base = tail, .iov_len = 2},
			       {.iov_base = NULL, .iov_len = 0}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 3};
	int fd = near_connected(), pair[2];

	(void)state;
	assert_int_equal(send(fd, "xyz?", 4, MSG_OOB), 4);
	assert_int_equal(fake_ask(fd, FAKE_URGENT), '?');
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	assert_int_equal(sendmsg(fd, &msg, MSG_OOB), 4);
	assert_int_equal(fake_ask(fd, FAKE_URGENT), '!');
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	assert_int_equal(send(fd, "", 0, MSG_OOB), 0);
	assert_fails(send(fd, (void *)16, 1, MSG_OOB), EFAULT);
	close(fd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(send(pair[0], "x", 1, MSG_OOB), 1);
	assert_int_equal(recv(pair[1], buf, 1, MSG_OOB), 1);
	close(pair[0]);
	close(pair[1]);
}

/* A receive call on a listener must not take a record meant for accept(). */
static void test_listener(void **state)
{
	int fd = near_listener(), conn;

	(void)state;
	fake_tell(fd, FAKE_ARRIVE, 1);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		assert_fails(forms[i](fd), ENOTCONN);
	conn = accept(fd, NULL, NULL);
	assert_true(conn >= 0);
	close(conn);
	close(fd);
	/* The number is that of a connection now. */
	conn = near_connected();
	assert_int_equal(conn, fd);
	fake_tell(conn, FAKE_SEND, 2);
	assert_int_equal(by_recv(conn), 2);
	close(conn);
}

/* Memory that is not there is EFAULT, as for the kernel. */
static void test_bad_memory(void **state)
{
	void *nowhere = (void *)16;
	struct msghdr msg = {.msg_iov = nowhere, .msg_iovlen = 1};
	int fd = near_connected();
	socklen_t len = sizeof(struct sockaddr_in);

	(void)state;
	assert_fails(connect(fd, nowhere, sizeof(struct sockaddr_in)), EFAULT);
	assert_fails(bind(fd, nowhere, sizeof(struct sockaddr_in)), EFAULT);
	assert_fails(getsockname(fd, nowhere, &len), EFAULT);
	assert_fails(getsockname(fd, (struct sockaddr *)buf, nowhere), EFAULT);
	assert_fails(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, nowhere, &len), EFAULT);
	assert_fails(getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, buf, nowhere), EFAULT);
	assert_fails(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, nowhere, 4), EFAULT);
	fake_tell(fd, FAKE_SEND, 1);
	assert_fails(recvmsg(fd, nowhere, 0), EFAULT);
	assert_fails(recvmsg(fd, nowhere, MSG_TRUNC), EFAULT);
	assert_fails(recvmsg(fd, &msg, MSG_TRUNC), EFAULT);
	assert_fails(sendmsg(fd, nowhere, 0), EFAULT);
	assert_fails(sendmsg(fd, &msg, MSG_OOB), EFAULT);
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
		cmocka_unit_test(test_several_messages), cmocka_unit_test(test_send_after_a_reset),
		cmocka_unit_test(test_urgent),           cmocka_unit_test(test_listener),
		cmocka_unit_test(test_bad_memory),       cmocka_unit_test(test_end_with_far_end),
		cmocka_unit_test(test_both_ends),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
