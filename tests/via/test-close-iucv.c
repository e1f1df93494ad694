/* SPDX-License-Identifier: Apache-2.0 */
/* test-close-iucv.c - sockets of AF_IUCV are closed without a wait, whatever their peers do
 *
 * It needs a kernel that has AF_IUCV. VSELFPD_IUCV has the hsuids of both ends, or one word, the
 * z/VM user id of this system. On HiperSockets, tests/s390x/modules/hsi.c holds back the end of a
 * transmission. The first word's device is hsi0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "transport/iucv-socket.h"
#include "via/close.h"
#include "via/loop.h"

#define MSGLIMIT 16
#define MTU      4096
#define BACKLOG  4
#define LINGER_S 20
#define WAIT_S   3     /* of a close that is to wait */
#define SOON_MS  10000 /* on a busy machine */
#define HOLD     "/sys/module/hsi/parameters/hold"

static char users[2][9]; /* of the end that is closed, and of its peer */
static bool hipersockets;

struct ends {
	int own, peer;
};

static int opened(const char *user, unsigned int *nr)
{
	struct iucv_wanted wanted = {.msglimit = MSGLIMIT, .mtu = MTU};
	char vmid[9], why[TRANSPORT_WHY];
	int fd;

	/* A name is in use until its socket is freed, which may be later than its close. */
	snprintf(wanted.name, sizeof(wanted.name), "C%07u", ++*nr);
	if (hipersockets)
		snprintf(wanted.hsuid, sizeof(wanted.hsuid), "%s", user);
	fd = iucv_open(&wanted, vmid, why);
	if (fd < 0)
		fail_msg("%s: %s %s", wanted.name, strerror(-fd), why);
	return fd;
}

static unsigned int names;

/* A listener, and the address that reaches it. */
static int listening(struct iucv_addr *addr)
{
	char name[9];
	int fd = opened(users[0], &names);

	snprintf(name, sizeof(name), "C%07u", names);
	iucv_addr_set(addr, users[0], name);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(listen(fd, BACKLOG), 0);
	return fd;
}

static int connected(const struct iucv_addr *addr)
{
	char why[TRANSPORT_WHY];
	int fd = opened(users[1], &names);

	assert_int_equal(iucv_connect(fd, addr, hipersockets, why), 0);
	return fd;
}

static struct ends ends_open(void)
{
	const int little = 4096;
	struct iucv_addr addr;
	struct ends ends;
	int listener = listening(&addr);

	ends.peer = connected(&addr);
	ends.own = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(ends.own >= 0);
	close(listener);
	/* In z/VM, messages that have no room here stay on their way. */
	assert_int_equal(setsockopt(ends.peer, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)), 0);
	return ends;
}

static void hold_transmissions(bool hold)
{
	int fd;

	if (!hipersockets)
		return;
	fd = open(HOLD, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, hold ? "1" : "0", 1), 1);
	close(fd);
}

/* Sends until nothing more has room. Returns the number of messages. */
static int fill(int fd)
{
	static const char message[MTU / 2];
	int nr = 0;

	while (send(fd, message, sizeof(message), MSG_EOR | MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		nr++;
	assert_int_equal(errno, EAGAIN);
	assert_true(nr > 0);
	return nr;
}

/* Messages are on their way, and a close of @fd waits @seconds for them. */
static void leave_unsent(int fd, int seconds)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = seconds};

	hold_transmissions(true);
	fill(fd);
	hold_transmissions(false);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
}

static void wait_for_message(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&poll_fd, 1, 120000), 1);
}

/* Returns the number of messages before the end. */
static int read_to_the_end(int fd)
{
	char buf[MTU];
	int nr = 0;

	for (;;) {
		ssize_t n;

		wait_for_message(fd);
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n <= 0)
			return nr;
		nr++;
	}
}

static void close_soon(int fd)
{
	int64_t since = via_now(), took;

	via_close(fd);
	took = via_now() - since;
	if (took >= SOON_MS)
		fail_msg("the close took %lld ms", (long long)took);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* The other cases show nothing if this one does not hold. */
static void test_close_alone_waits(void **state)
{
	struct ends ends = ends_open();
	int64_t since;

	(void)state;
	leave_unsent(ends.own, WAIT_S);
	since = via_now();
	close(ends.own);
	assert_true(via_now() - since >= WAIT_S * 1000 - 100);
	close(ends.peer);
}

static void test_unsent_data(void **state)
{
	struct ends ends = ends_open();

	(void)state;
	leave_unsent(ends.own, LINGER_S);
	close_soon(ends.own);
	read_to_the_end(ends.peer);
	close(ends.peer);
}

static void test_unread_data(void **state)
{
	struct ends ends = ends_open();

	(void)state;
	fill(ends.peer);
	close_soon(ends.own);
	assert_int_equal(read_to_the_end(ends.peer), 0);
	close(ends.peer);
}

/* Both at once: nobody takes anything. */
static void test_unsent_and_unread_data(void **state)
{
	struct ends ends = ends_open();

	(void)state;
	fill(ends.peer);
	leave_unsent(ends.own, LINGER_S);
	close_soon(ends.own);
	read_to_the_end(ends.peer);
	close(ends.peer);
}

static void test_peer_dies(void **state)
{
	struct ends ends = ends_open();
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		close(ends.own);
		fill(ends.peer);
		pause();
		_exit(1);
	}
	close(ends.peer);
	wait_for_message(ends.own);
	leave_unsent(ends.own, LINGER_S);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	read_to_the_end(ends.own);
	close_soon(ends.own);
}

/* The peer has not gone, but the way to it. */
static void set_device(bool up)
{
	struct ifreq request = {.ifr_name = "hsi0"};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &request), 0);
	request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
	assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
	close(fd);
}

static void test_severed_path(void **state)
{
	struct ends ends = ends_open();

	(void)state;
	leave_unsent(ends.own, LINGER_S);
	if (hipersockets)
		set_device(false);
	else
		close(ends.peer);
	assert_int_equal(read_to_the_end(ends.own), 0);
	close_soon(ends.own);
	if (hipersockets) {
		set_device(true);
		close(ends.peer);
	}
}

/* Peers beyond the backlog are refused. Some of the others go, and hold their places until they are
 * accepted; then the next one has a place. */
static void test_backlog_is_full(void **state)
{
	struct iucv_addr addr;
	char why[TRANSPORT_WHY];
	int peers[BACKLOG * 4], nr = 0, rc = 0, listener = listening(&addr), fd;

	(void)state;
	while (!rc && nr < BACKLOG * 4) {
		peers[nr] = opened(users[1], &names);
		rc = iucv_connect(peers[nr], &addr, hipersockets, why);
		if (!rc)
			nr++;
	}
	assert_int_equal(rc, -ECONNREFUSED);
	assert_true(nr >= BACKLOG && nr <= BACKLOG + 1);
	close_soon(peers[nr]);
	for (int i = 0; i < nr; i += 2)
		close_soon(peers[i]);
	for (int i = 0; i < nr; i++) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			close_soon(fd);
	}
	assert_int_equal(accept4(listener, NULL, NULL, SOCK_CLOEXEC), -1);
	for (int i = 1; i < nr; i += 2) {
		assert_int_equal(read_to_the_end(peers[i]), 0);
		close_soon(peers[i]);
	}
	peers[0] = connected(&addr);
	fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	close_soon(fd);
	close_soon(peers[0]);

	/* Those that nobody has accepted end with the listener. */
	peers[0] = connected(&addr);
	close_soon(listener);
	assert_int_equal(read_to_the_end(peers[0]), 0);
	close_soon(peers[0]);
}

static void test_no_iucv(void **state)
{
	(void)state;
	print_message("skipped: VSELFPD_IUCV names no users of AF_IUCV\n");
	skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_alone_waits),
		cmocka_unit_test(test_unsent_data),
		cmocka_unit_test(test_unread_data),
		cmocka_unit_test(test_unsent_and_unread_data),
		cmocka_unit_test(test_peer_dies),
		cmocka_unit_test(test_severed_path),
		cmocka_unit_test(test_backlog_is_full),
	};
	const struct CMUnitTest none[] = {cmocka_unit_test(test_no_iucv)};
	const char *both = getenv("VSELFPD_IUCV");
	int nr = both ? sscanf(both, "%8s %8s", users[0], users[1]) : 0;

	if (nr < 1)
		return cmocka_run_group_tests(none, NULL, NULL);
	hipersockets = nr == 2;
	if (!hipersockets)
		memcpy(users[1], users[0], sizeof(users[1]));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
