/* SPDX-License-Identifier: Apache-2.0 */
/* test-passed-starved.c - without free numbers for passed descriptors, the instance waits for no
 * close() */
#include "host.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/near/near.h"
#include "lfp/log.h"
#include "tests/qemu-user.h"
#include "tests/transport/lingering.h"
#include "transport/passed.h"

#define MANY    24 /* descriptors that one message brings */
#define FEW     12 /* numbers that are left */
#define LINGER  8  /* seconds that a wrong close() waits */
#define MOST_NS UINT64_C(4000000000)

static int keep[MANY][2], lingering[MANY];

static void make_lingering(void)
{
	const struct linger linger = {1, LINGER};

	for (int i = 0; i < MANY; i++) {
		lingering[i] = lingering_make(keep[i]);
		assert_int_equal(
			setsockopt(lingering[i], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)),
			0);
	}
}

/* Only the messages keep them after this. */
static void forget_own(void)
{
	for (int i = 0; i < MANY; i++)
		close(lingering[i]);
}

static void end_lingering(void)
{
	for (int i = 0; i < MANY; i++) {
		close(keep[i][0]);
		close(keep[i][1]);
	}
}

static void send_lingering(int to, const void *bytes, size_t len)
{
	struct iovec iov = {(void *)(uintptr_t)bytes, len};
	union passed control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = CMSG_SPACE(sizeof(lingering))};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(lingering));
	memcpy(CMSG_DATA(&control.header), lingering, sizeof(lingering));
	assert_int_equal(sendmsg(to, &msg, MSG_NOSIGNAL), len);
}

static struct lfp_ctl_request_head ping(void)
{
	return (struct lfp_ctl_request_head){.magic = LFP_CTL_MAGIC, .op = LFP_CTL_PING};
}

static struct rlimit limit;

static void lower_limit(rlim_t numbers)
{
	struct rlimit few;
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = (rlim_t)fd + numbers;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	numbers_start();
}

static void restore_limit(void)
{
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	numbers_start();
}

static uint64_t begun;

/* Another call is answered, and nothing has waited. */
static void check_clock(struct host *host)
{
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	assert_true(uv_hrtime() - begun < MOST_NS);
}

static bool has_ended(int conn)
{
	char c;
	ssize_t n = recv(conn, &c, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN);
}

static void with_a_call(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_request_head head = ping();
	int conn, parked = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);

	host_until(host, host->inst->ctl->nr_parked == 1);
	make_lingering();
	conn = call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, conn, NULL, NULL), 0);
	send_lingering(parked, &head, sizeof(head));
	forget_own();
	lower_limit(FEW);
	begun = uv_hrtime();
	host_until(host, has_ended(parked));
	check_clock(host);
	restore_limit();
	close(parked);
	end_lingering();
}

/* One descriptor comes with each good call, and calls go on. */
static void good_calls(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	lower_limit(FEW);
	for (int i = 0; i < 3 * FEW; i++) {
		conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
		host_answer(host, host_expect(host, LFP_GETSOCKNAME), ENOBUFS);
		assert_int_equal(call_wait(host, conn, NULL, NULL), ENOBUFS);
	}
	restore_limit();
	close(fd);
}

/* The only number is the connection's. */
static void no_number(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id);
	int parked = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1), conn;

	host_until(host, host->inst->ctl->nr_parked == 1);
	conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
	lower_limit(1);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENFILE);
	restore_limit();
	assert_int_equal(call(host, LFP_CTL_PING, 0, 0, -1), 0);
	close(parked);
	close(fd);
}

/* The program keeps both ends. */
static int hand_over(struct host *host, int ends[2])
{
	int parked = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);

	host_until(host, host->inst->ctl->nr_parked == 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
	return parked;
}

static void good_call_handed_over(void **state)
{
	struct host *host = *state;
	int ends[2], parked = hand_over(host, ends), fd;
	uint64_t id;

	fd = new_socket(host, &id);
	lower_limit(FEW);
	request_put(ends[0], LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
	host_answer(host, host_expect(host, LFP_GETSOCKNAME), ENOBUFS);
	assert_int_equal(call_wait(host, ends[0], NULL, NULL), ENOBUFS);
	check_clock(host);
	restore_limit();
	close(ends[1]);
	close(parked);
	close(fd);
}

/* Between the instance's look and the next step the program takes the message. */
static int take_from = -1;

static bool is_same(int a, int b)
{
	struct stat of_a, of_b;

	return !fstat(a, &of_a) && !fstat(b, &of_b) && of_a.st_ino == of_b.st_ino;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, msg, flags);
	int error = errno;
	char c;

	if ((flags & MSG_PEEK) && n > 0 && take_from >= 0 && is_same(fd, take_from)) {
		assert_int_equal(recv(take_from, &c, 1, MSG_DONTWAIT), 1);
		take_from = -1;
	}
	errno = error;
	return n;
}

static void swapped_after_the_look(void **state)
{
	struct host *host = *state;
	struct lfp_ctl_request_head head = ping();
	int ends[2], parked = hand_over(host, ends);

	make_lingering();
	lower_limit(FEW);
	begun = uv_hrtime();
	request_put(ends[0], LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	send_lingering(ends[0], &head, sizeof(head));
	forget_own();
	take_from = ends[1];
	assert_int_equal(call_wait(host, ends[0], NULL, NULL), 0);
	assert_int_equal(take_from, -1);
	close(ends[1]);
	check_clock(host);
	restore_limit();
	close(parked);
	end_lingering();
}

/* They can use up some numbers: then messages of their user stay unread. */
static void files(void **state)
{
	struct host *host = *state;
	unsigned int nr = 0;
	int file, parked, error = 0;

	QEMU_USER_LACKS("FUSE in its own byte order");
	file = stuck_file_open();
	if (file < 0)
		skip(); /* cannot mount a file system in user space */
	parked = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);
	host_until(host, host->inst->ctl->nr_parked == 1);
	while (!error && nr++ < 200)
		error = call_wait(host, call_send(host, LFP_CTL_PING, 0, 0, 0, 0, "", 0, file),
				  NULL, NULL);
	assert_int_equal(error, ENFILE);
	assert_true(nr < 100);
	stuck_file_end(file);
	host_until(host, call(host, LFP_CTL_PING, 0, 0, -1) == 0);
	close(parked);
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
static void with_data(void **state)
{
	struct host *host;
	uint64_t id;
	int fd;

	QEMU_USER_LACKS("seccomp filters");
	refuse_passrights();
	host_set_up(state);
	host = *state;
	assert_false(host->inst->near->takes_no_rights);
	fd = connected_socket(host, &id);
	make_lingering();
	lower_limit(FEW);
	/* Data alone goes on. */
	assert_int_equal(send(fd, "good", 4, 0), 4);
	assert_int_equal(host_expect(host, LFP_DATA).count, 4);
	begun = uv_hrtime();
	send_lingering(fd, "x", 1);
	forget_own();
	host_expect(host, LFP_CLOSE);
	check_clock(host);
	restore_limit();
	close(fd);
	end_lingering();
	host_tear_down(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(with_a_call),
		TEST(good_calls),
		TEST(no_number),
		TEST(good_call_handed_over),
		TEST(swapped_after_the_look),
		TEST(files),
		cmocka_unit_test(with_data),
	};

	QEMU_USER_CANNOT("a control message that was cut off: it takes all descriptors");
	lfp_log_set_info(false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
