/* SPDX-License-Identifier: Apache-2.0 */
/* test-share.c - no user gets all connections of the control channel */
#include "crediting.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"
#include "lfp/share.h"

#define A 65534u
#define B 65533u
#define C 65532u

/* SILENT_MAX of ctl-server.c. */
#define ALL   256
#define SHARE 192

static const uint8_t question[] = "\1name\0";

/* Makes a connection as user @uid, whom the kernel notes when it is made. */
static int come(struct host *host, uid_t uid)
{
	int ends[2];

	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(seteuid(0), 0);
	ctl_take(host->inst, ends[1], false);
	return ends[0];
}

static int come_with(struct host *host, uid_t uid, int op, const void *data, size_t len, int fd)
{
	int ends[2];

	assert_int_equal(seteuid(uid), 0);
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(seteuid(0), 0);
	request_put(ends[0], op, 0, 0, 0, 4, data, len, fd);
	ctl_take(host->inst, ends[1], false);
	return ends[0];
}

static bool is_open(int conn)
{
	char byte;

	return recv(conn, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

static unsigned int count_open(const int *conns, unsigned int nr)
{
	unsigned int open = 0;

	for (unsigned int i = 0; i < nr; i++)
		open += is_open(conns[i]);
	return open;
}

static void close_all(const int *conns, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		close(conns[i]);
}

static bool is_root(void)
{
	if (!geteuid())
		return true;
	print_message("only root can be several users\n");
	return false;
}

/* Connections without a request. */
static void silent(void **state)
{
	struct host *host = *state;
	int a[400], b[ALL - SHARE], c, roots;

	if (!is_root())
		skip();
	c = come(host, C);
	for (unsigned int i = 0; i < 400; i++)
		a[i] = come(host, A);
	assert_true(is_open(c));
	assert_int_equal(count_open(a, 400), SHARE);
	assert_true(is_open(a[399]));
	assert_false(is_open(a[400 - SHARE - 1]));
	/* All are in use: a connection of the user with most is dropped. */
	for (unsigned int i = 0; i < ALL - SHARE; i++)
		b[i] = come(host, B);
	assert_int_equal(host->inst->ctl->nr_silent, ALL);
	assert_int_equal(count_open(a, 400), SHARE - 1);
	roots = come(host, 0);
	assert_true(is_open(roots));
	assert_true(is_open(c));
	assert_int_equal(count_open(b, ALL - SHARE), ALL - SHARE);
	assert_int_equal(count_open(a, 400), SHARE - 2);
	/* They can still call. */
	request_put(c, LFP_CTL_PING, 0, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, c, NULL, NULL), 0);
	close(roots);
	close_all(a, 400);
	close_all(b, ALL - SHARE);
	host_until(host, host->inst->ctl->nr_silent == 0);
	assert_int_equal(host->inst->ctl->shares.users.count, 0);
}

static int park(struct host *host, uid_t uid)
{
	return come_with(host, uid, LFP_CTL_PARK, "", 0, -1);
}

static void parked(void **state)
{
	struct host *host = *state;
	int a[10], b[2], c;

	if (!is_root())
		skip();
	host->inst->ctl->parked_max = 8;
	b[0] = park(host, B);
	for (unsigned int i = 0; i < 10; i++)
		a[i] = park(host, A);
	assert_int_equal(count_open(a, 10), 6);
	assert_true(is_open(a[4]));
	b[1] = park(host, B);
	assert_int_equal(host->inst->ctl->nr_parked, 8);
	/* The connection that was used last is not the oldest. */
	request_put(a[4], LFP_CTL_SHUTDOWN, LFP_CTL_DIRECT, 0, 0, 0, "", 0, -1);
	assert_int_equal(call_wait(host, dup(a[4]), NULL, NULL), EBADF);
	c = park(host, C);
	assert_true(is_open(c));
	assert_int_equal(count_open(b, 2), 2);
	assert_int_equal(count_open(a, 10), 5);
	assert_true(is_open(a[4]));
	assert_false(is_open(a[5]));
	close_all(a, 10);
	close_all(b, 2);
	close(c);
	host_until(host, host->inst->ctl->nr_parked == 0);
	assert_int_equal(host->inst->ctl->shares.users.count, 0);
}

static int look_up(struct host *host, uid_t uid)
{
	return come_with(host, uid, LFP_CTL_GETADDRINFO, question, sizeof(question), -1);
}

/* Calls that wait for lfpd. */
static void calls(void **state)
{
	struct host *host = *state;
	struct lfp_frame nobody = {.code = LFP_GETADDRINFO_REPLY};
	struct lfp_ctl_reply reply;
	struct lfp_addr peer = some_addr(81);
	struct got got[7];
	uint64_t id;
	int a[6], conn, fd, unused = -1;

	if (!is_root())
		skip();
	if (getenv("VSELFPD_QEMU_USER"))
		print_message(
			"qemu-user lacks SO_MAX_PACING_RATE and SO_INCOMING_CPU: no fresh socket\n");
	else
		unused = fresh();
	fd = new_socket(host, &id);
	host->inst->ctl->calls_max = 8;
	for (int i = 0; i < 6; i++) {
		a[i] = look_up(host, A);
		got[i] = host_expect(host, LFP_GETADDRINFO);
	}
	conn = look_up(host, A);
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_int_equal(reply.value, EAI_AGAIN);
	conn = come_with(host, A, LFP_CTL_GETHOSTBYNAME, "name", 5, -1);
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_int_equal(reply.value, TRY_AGAIN);
	conn = come_with(host, A, LFP_CTL_CONNECT, &peer, sizeof(peer), fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EAGAIN);
	/* A refusal here would look like a lost connection. */
	conn = come_with(host, A, LFP_CTL_WHY_EOF, "", 0, fd);
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENOTCONN);
	/* It is answered at once, so a fresh socket is no way around the share. */
	if (unused >= 0) {
		conn = come_with(host, A, LFP_CTL_IDENTIFY, "", 0, unused);
		assert_int_equal(call_wait(host, conn, NULL, NULL), EAGAIN);
		assert_false(has_name(unused));
		close(unused);
	}
	/* Others go on, and so does this user after the answer to a call. */
	conn = look_up(host, B);
	got[6] = host_expect(host, LFP_GETADDRINFO);
	nobody.getaddrinfo_reply.error = EAI_NONAME;
	nobody.request = got[6].request;
	host_send(host, nobody);
	assert_int_equal(call_wait(host, conn, &reply, NULL), 0);
	assert_int_equal(reply.value, EAI_NONAME);
	nobody.request = got[0].request;
	host_send(host, nobody);
	assert_int_equal(call_wait(host, a[0], NULL, NULL), 0);
	a[0] = look_up(host, A);
	got[0] = host_expect(host, LFP_GETADDRINFO);
	for (int i = 0; i < 6; i++) {
		nobody.request = got[i].request;
		host_send(host, nobody);
		assert_int_equal(call_wait(host, a[i], NULL, NULL), 0);
	}
	assert_int_equal(host->inst->ctl->shares.users.count, 0);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(silent), TEST(parked), TEST(calls)};
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
