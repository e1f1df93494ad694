/* SPDX-License-Identifier: Apache-2.0 */
/* test-passed-ends.c - descriptors that a program has passed never make the instance wait in
 * close() */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ijblfp/near/near.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "tests/qemu-user.h"
#include "tests/transport/lingering.h"
#include "transport/passed.h"

#define LINGER  8 /* seconds that a wrong close() waits */
#define MOST_NS UINT64_C(4000000000)

/* A connection whose last close() waits. Only the messages that carry it keep it. */
static int keep[2];

static void send_lingering(int to, int flags)
{
	struct linger linger = {1, LINGER};
	int fd = lingering_make(keep);
	struct iovec iov = {(void *)(uintptr_t) "x", 1};
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	/* The kernel may refuse it: then the attack is over. */
	if (sendmsg(to, &msg, MSG_NOSIGNAL | flags) != 1) {
		struct linger off = {0};

		setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	}
	close(fd);
}

static void forget_lingering(void)
{
	close(keep[0]);
	close(keep[1]);
}

/* Between a look and the next step: sends to this one, once. */
static int strike_to = -1, struck;

static void strike(void)
{
	int to = strike_to;

	strike_to = -1;
	if (to < 0)
		return;
	struck++;
	send_lingering(to, MSG_DONTWAIT);
}

static bool is_peer(int fd)
{
	struct ucred a, b;
	socklen_t len = sizeof(a);

	return strike_to >= 0 && !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &a, &len) &&
	       !getsockopt(strike_to, SOL_SOCKET, SO_PEERCRED, &b, &len);
}

ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	ssize_t n = syscall(SYS_recvfrom, fd, buf, len, flags, NULL, NULL);
	int error = errno;

	if ((flags & MSG_PEEK) && is_peer(fd))
		strike();
	errno = error;
	return n;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, msg, flags);
	int error = errno;

	if ((flags & MSG_PEEK) && is_peer(fd))
		strike();
	errno = error;
	return n;
}

/* A path of the program's own, outside of the instance's directories. */
static void own_path(const struct host *host, struct sockaddr_un *addr)
{
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "%s/own", host->root);
}

/* Connects a near end to a listener of the program's own, and puts a lingering socket into it. */
static void poison(const struct host *host, int near)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), end;
	struct sockaddr_un addr;

	own_path(host, &addr);
	unlink(addr.sun_path);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(near, (struct sockaddr *)&addr, sizeof(addr)), 0);
	end = accept(listener, NULL, NULL);
	assert_true(end >= 0);
	send_lingering(end, 0);
	close(end);
	close(listener);
}

static uint64_t begun;

static void begin_clock(void)
{
	begun = uv_hrtime();
}

/* Another call is answered, and nothing has waited. */
static void check_clock(struct host *host)
{
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	assert_true(uv_hrtime() - begun < MOST_NS);
}

static void near_end_of_a_call(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);
	int conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
	struct got got = host_expect(host, LFP_GETSOCKNAME);

	poison(host, fd);
	close(fd);
	begin_clock();
	host_answer(host, got, ENOTCONN);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOTCONN);
	check_clock(host);
	forget_lingering();
}

/* connect() with a near end that belongs to something else when lfpd answers. Returns its error. */
static int connect_poisoned(struct host *host, uint16_t status)
{
	struct lfp_addr peer = some_addr(81);
	uint64_t id;
	int fd = new_socket(host, &id), error;
	int conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer),
			     fd);
	struct got got = host_expect(host, LFP_CONNECT);

	poison(host, fd);
	close(fd);
	begin_clock();
	host_answer(host, got, status);
	error = call_wait(host, conn, NULL, NULL);
	check_clock(host);
	forget_lingering();
	return error;
}

/* A copy that is kept for a connection that is refused. */
static void near_end_of_connect(void **state)
{
	assert_int_equal(connect_poisoned(*state, ECONNREFUSED), ECONNREFUSED);
}

static void near_end_of_a_connection(void **state)
{
	assert_int_not_equal(connect_poisoned(*state, 0), 0);
}

/* DROP and TAKEN find near ends by the gift, not by names. */
static void near_end_that_was_not_given(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	poison(host, fd);
	begin_clock();
	conn = call_send(host, LFP_CTL_DROP, 0, 0, 0, 0, "", 0, fd);
	close(fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EBADF);
	check_clock(host);
	forget_lingering();
}

/* The program sends after the instance has looked and before it closes. */
static void between_look_and_close(void **state)
{
	struct host *host = *state;
	int conn = call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	struct pollfd pfd = {.fd = conn, .events = POLLIN};

	strike_to = conn;
	struck = 0;
	begin_clock();
	host_until(host, poll(&pfd, 1, 0) == 1 && struck);
	check_clock(host);
	close(conn);
	forget_lingering();
}

static int connect_op(void)
{
	struct sockaddr_un addr;
	char path[LFP_PLACE_MAX];
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(lfp_place_vse(path, "07", "op"), 0);
	assert_int_equal(lfp_unix_addr(&addr, path), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* The operator's socket: a descriptor that comes with a line, and one that is unread at the end. */
static void operators_socket(void **state)
{
	struct host *host = *state;
	int fd = connect_op();

	begin_clock();
	send_lingering(fd, 0);
	for (int i = 0; i < 10; i++)
		host_turn(host);
	check_clock(host);
	forget_lingering();
	close(fd);

	fd = connect_op();
	assert_int_equal(send(fd, "info\n", 5, 0), 5);
	send_lingering(fd, 0);
	begin_clock();
	close(fd);
	for (int i = 0; i < 10; i++)
		host_turn(host);
	check_clock(host);
	forget_lingering();
}

static void far_end(struct host *host)
{
	struct lfp_addr peer = some_addr(81);
	uint64_t id;
	int fd = connected_socket(host, &id), conn;

	assert_false(host->inst->near->takes_no_rights);
	/* lfpd's window is full, so nothing of it is read before the end. */
	write_block(host, fd, 16384);
	send_lingering(fd, 0);
	begin_clock();
	close(fd);
	host_send(host, (struct lfp_frame){.code = LFP_RESET, .sock = id, .status = ECONNRESET});
	for (int i = 0; i < 50; i++)
		host_turn(host);
	check_clock(host);
	forget_lingering();

	/* A failed connect still shows at once, with the gate unread. */
	fd = new_socket(host, &id);
	conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EINPROGRESS);
	host_send(host,
		  (struct lfp_frame){.code = LFP_CONNECTED, .sock = id, .status = ECONNREFUSED});
	host_until(host, poll_now(fd));
	assert_int_equal(poll_now(fd), POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP);
	close(fd);
}

static void refuse_passrights(void)
{
	const struct sock_filter ops[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PASSED_PASSRIGHTS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(ops) / sizeof(ops[0]),
					   (struct sock_filter *)(uintptr_t)ops};

	assert_int_equal(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* As on a kernel before 6.16; the filter stays, so this comes last. */
static void far_end_of_an_old_kernel(void **state)
{
	struct host *host;

	QEMU_USER_LACKS("seccomp filters");
	refuse_passrights();
	host_set_up(state);
	host = *state;
	far_end(host);
	host_tear_down(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(near_end_of_a_call),
		TEST(near_end_of_connect),
		TEST(near_end_of_a_connection),
		TEST(near_end_that_was_not_given),
		TEST(between_look_and_close),
		TEST(operators_socket),
		cmocka_unit_test(far_end_of_an_old_kernel),
	};

	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
