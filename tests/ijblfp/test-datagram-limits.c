/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram-limits.c - datagram sockets under a lack of resources, or with too many datagrams
 */
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/vsock.h"

#define COST LFP_DATAGRAM_COST

static void unfill(void);

static int teardown(void **state)
{
	unfill();
	host_destroy(*state);
	return 0;
}

#define FILL_MOST 256

static int filled[FILL_MOST], nr_filled;
static struct rlimit limit;

/* No descriptor is free. */
static void fill(void)
{
	struct rlimit few;
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = (rlim_t)fd + 8;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (nr_filled = 0; (fd = dup(0)) >= 0; nr_filled++) {
		assert_true(nr_filled < FILL_MOST);
		filled[nr_filled] = fd;
	}
	assert_int_equal(errno, EMFILE);
}

static void unfill(void)
{
	if (nr_filled)
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (nr_filled)
		close(filled[--nr_filled]);
}

/* The instance notices the close of a near end although no descriptor is free. */
static void closed_at_the_limit(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	/* All have been checked once. The descriptor that becomes free is taken, too. */
	fill();
	close(fd);
	assert_int_equal(dup(0), fd);
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, id);
	close(fd);
	unfill();
}

/* The host's socket again has the peer of the near end. */
static void expect_restored(struct host *host, const struct lfp_addr *peer)
{
	struct got got = host_expect(host, LFP_CONNECT);

	assert_int_equal(got.addr.family, peer->family);
	assert_int_equal(got.addr.port, peer->port);
	host_answer(host, got, 0);
}

static int begin_connect(struct host *host, int fd, const struct lfp_addr *peer, struct got *got)
{
	int conn = call_send(host, LFP_CTL_CONNECT, 0, 0, 0, 0, peer, sizeof(*peer), fd);

	*got = host_expect(host, LFP_CONNECT);
	return conn;
}

/* Datagrams both ways, to and from the peer at 53, at position @at of those that come. */
static void assert_works(struct host *host, int fd, uint64_t id, uint64_t at)
{
	struct got got;
	char buf[64];

	assert_int_equal(write(fd, "still", 5), 5);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.count, 5);
	assert_int_equal(got.addr.family, LFP_AF_UNSPEC);
	from_lfpd(host, id, at, 53, "later");
	assert_int_equal(take(host, fd, buf), 53);
	assert_string_equal(buf, "later");
}

static void no_descriptor_for_a_peer(void **state)
{
	struct host *host = *state;
	struct lfp_addr first = some_addr(53), second = some_addr(54);
	const struct lfp_addr none = {.family = LFP_AF_UNSPEC};
	struct sockaddr_un near;
	struct got got;
	char buf[64];
	uint64_t id, other_id;
	int fd = new_datagram(host, &id, &near), other = new_datagram(host, &other_id, &near), conn;

	connect_to(host, fd, &first);
	for (unsigned int i = 0; i < 3; i++)
		from_lfpd(host, id, i * (6 + COST), 53, "queued");
	host_until(host, poll_now(fd) & POLLIN);
	conn = begin_connect(host, fd, &second, &got);
	fill();
	host_answer(host, got, 0);
	expect_restored(host, &first);
	unfill();
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENFILE);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(take(host, fd, buf), 53);
		assert_string_equal(buf, "queued");
	}
	assert_works(host, fd, id, 3 * (6 + COST));

	/* A socket that had no peer has none again. */
	conn = begin_connect(host, other, &second, &got);
	fill();
	host_answer(host, got, 0);
	expect_restored(host, &none);
	unfill();
	assert_int_equal(call_wait(host, conn, NULL, NULL), ENFILE);
	assert_int_equal(write(other, "x", 1), -1);
	assert_int_equal(errno, ENOTCONN);
	connect_to(host, other, &second);
	close(fd);
	close(other);
	host_expect(host, LFP_CLOSE);
	host_expect(host, LFP_CLOSE);
}

/* The far end of the new peer cannot be connected to the near end, which is connected to it
 * already: under its path there is another socket, which has another peer. */
static void half_connected(void **state)
{
	struct host *host = *state;
	struct lfp_addr first = some_addr(53), second = some_addr(54);
	struct sockaddr_un near, addr = {.sun_family = AF_UNIX}, target = addr;
	struct got got;
	char path[256], away[300], dir[256], buf[64];
	uint64_t id;
	int fd = new_datagram(host, &id, &near), conn, busy, peer;

	connect_to(host, fd, &first);
	from_lfpd(host, id, 0, 53, "queued");
	host_until(host, poll_now(fd) & POLLIN);
	conn = begin_connect(host, fd, &second, &got);

	assert_non_null(getcwd(dir, sizeof(dir)));
	snprintf(path, sizeof(path), "%s/run/vselfp/07/private/%s", host->root, near.sun_path);
	snprintf(away, sizeof(away), "%s.away", path);
	busy = socket(AF_UNIX, SOCK_DGRAM, 0);
	peer = socket(AF_UNIX, SOCK_DGRAM, 0);
	assert_int_equal(chdir(host->root), 0);
	strcpy(addr.sun_path, "busy");
	strcpy(target.sun_path, "target");
	assert_int_equal(bind(busy, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(bind(peer, (struct sockaddr *)&target, sizeof(target)), 0);
	assert_int_equal(connect(busy, (struct sockaddr *)&target, sizeof(target)), 0);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(rename("busy", path), 0);
	assert_int_equal(chdir(dir), 0);
	host_answer(host, got, 0);
	expect_restored(host, &first);
	assert_int_equal(rename(away, path), 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EPERM);

	assert_int_equal(take(host, fd, buf), 53);
	assert_string_equal(buf, "queued");
	assert_works(host, fd, id, 6 + COST);
	close(busy);
	close(peer);
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* A message that is no datagram takes no room on the path, but counts as work. */
static void strange_ones(void **state)
{
	struct host *host = *state;
	struct lfp_meta meta = {.addr = some_addr(53)};
	struct sockaddr_un near, head;
	socklen_t len;
	size_t left = SIZE_MAX;
	uint64_t id;
	int fd = new_datagram(host, &id, &near), junk = 0;
	struct got got;

	len = lfp_head_name(&near, &head);
	while (junk < 200 && sendto(fd, "junk", 4, MSG_DONTWAIT, (struct sockaddr *)&head, len) > 0)
		junk++;
	assert_true(junk > 100);
	assert_true(datagram_read(host->inst, vsock_find(host->inst->socks, id), &left));
	assert_true(SIZE_MAX - left >= (size_t)junk / 64 * COST);
	assert_int_equal(send_to(fd, &near, &meta, "good", 4), LFP_META_SIZE + 4);
	got = host_expect(host, LFP_DATAGRAM);
	assert_int_equal(got.consumed, 0);
	assert_int_equal(got.first, 'g');
	close(fd);
	host_expect(host, LFP_CLOSE);
}

/* A datagram longer than UDP's limit: an error each time, and those after it go out. */
static void too_long(void **state)
{
	struct host *host = *state;
	static char data[65536];
	struct lfp_addr peer = some_addr(53);
	struct sockaddr_un near;
	uint64_t id;
	int fd = new_datagram(host, &id, &near);
	struct got got;

	connect_to(host, fd, &peer);
	for (int i = 0; i < 20; i++) {
		host_until(host, send(fd, data, sizeof(data) - 1, MSG_DONTWAIT) > 0);
		host_until(host, send(fd, "good", 4, MSG_DONTWAIT) == 4);
		got = host_expect(host, LFP_DATAGRAM);
		assert_int_equal(got.count, 4);
		assert_int_equal(got.consumed, (uint64_t)i * (4 + COST));
		assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), EMSGSIZE);
	}
	close(fd);
	host_expect(host, LFP_CLOSE);
}

#define MANY       600
#define SWEPT_MOST 512 /* however many there are */

/* A sweep for a port in use checks a bounded number: all programs wait for it. */
static void thousands(void **state)
{
	struct host *host = *state;
	struct lfp_list *all = &host->inst->datagrams->all, *at;
	struct rlimit now, more;
	struct sockaddr_un near;
	uint64_t id;
	int fds[MANY];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
	more = now;
	if (more.rlim_cur < 4096)
		more.rlim_cur = more.rlim_max < 4096 ? more.rlim_max : 4096;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &more), 0);
	for (int i = 0; i < MANY; i++) {
		fds[i] = new_datagram(host, &id, &near);
		host->nr_got = host->seen = 0;
	}
	at = all->next;
	for (int i = 0; i < SWEPT_MOST; i++)
		at = at->next;
	assert_int_equal(datagram_sweep(host->inst, SIZE_MAX, 0), 0);
	assert_ptr_equal(all->next, at);
	/* At the end of a task all of its own sockets are checked. */
	at = all->prev;
	assert_int_equal(
		datagram_sweep(host->inst, SIZE_MAX, vsock_find(host->inst->socks, id)->task), 0);
	assert_ptr_equal(all->prev, at);
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
}

/* The directory of near ends is cleaned by somebody: a call finds that its own socket is gone. */
static void unlinked(void **state)
{
	struct host *host = *state;
	struct sockaddr_un near;
	char path[256];
	uint64_t id;
	int fd = new_datagram(host, &id, &near);

	snprintf(path, sizeof(path), "%s%s", host->inst->near->names.path, near.sun_path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(call(host, LFP_CTL_SENT, 0, 0, fd), EBADF);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, host_set_up, teardown)
	const struct CMUnitTest tests[] = {
		TEST(closed_at_the_limit),
		TEST(no_descriptor_for_a_peer),
		TEST(half_connected),
		TEST(strange_ones),
		TEST(too_long),
		TEST(thousands),
		TEST(unlinked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
