/* SPDX-License-Identifier: Apache-2.0 */
/* near-facts.c - checks that this kernel behaves as near ends need */
#include "ijblfp/near/near.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/near-stopper.h"

#define CREATE_TRIES    200
#define CREATE_PAUSE_MS 10

/* One trial: a near end, its far end, an edge-triggered epoll set. */
struct trial {
	struct near_maker *maker;
	struct near_id id;
	int near, far, set;
};

static short poll_now(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};

	return poll(&pfd, 1, 0) < 0 ? -1 : pfd.revents;
}

/* Returns the events of the set since the last call. */
static uint32_t edge(const struct trial *t)
{
	struct epoll_event event = {0};

	return epoll_wait(t->set, &event, 1, 0) == 1 ? event.events : 0;
}

static bool edge_watch(const struct trial *t, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events | EPOLLET};

	return !epoll_ctl(t->set, EPOLL_CTL_ADD, fd, &event);
}

/* Other processes of this user may have so many descriptors in flight that the maker cannot send
 * any for a moment (RLIMIT_NOFILE, too_many_unix_fds()). At a start there is time to wait. */
static int create(struct trial *t)
{
	int tries = 0, fd;

	while ((fd = near_create(t->maker, &t->id)) == -ENOBUFS && ++tries < CREATE_TRIES)
		(void)poll(NULL, 0, CREATE_PAUSE_MS);
	return fd;
}

static bool begin(struct trial *t)
{
	t->far = -1;
	t->near = create(t);
	t->set = epoll_create1(EPOLL_CLOEXEC);
	return t->near >= 0 && t->set >= 0;
}

static bool begin_paired(struct trial *t)
{
	if (!begin(t) || near_size(t->maker, t->near))
		return false;
	t->far = near_pair(t->maker, t->near);
	return t->far >= 0;
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void end(struct trial *t)
{
	near_names_forget(&t->maker->names, t->id.name);
	t->id.name = 0;
	shut(&t->near);
	shut(&t->far);
	shut(&t->set);
}

static bool looks_new(struct trial *t)
{
	char c;

	return begin(t) && poll_now(t->near) == (POLLOUT | POLLHUP) &&
	       recv(t->near, &c, 1, MSG_DONTWAIT) < 0 && errno == EINVAL;
}

static bool is_found(struct trial *t)
{
	struct near_id id;

	return begin_paired(t) && !near_identify(t->maker, t->near, &id) && id.name == t->id.name &&
	       id.cookie == t->id.cookie;
}

static bool gate_holds(struct trial *t)
{
	int64_t filled;

	if (!begin_paired(t) || !edge_watch(t, t->near, EPOLLOUT))
		return false;
	filled = near_gate_fill(t->near);
	if (filled <= 0 || poll_now(t->near) != 0)
		return false;
	edge(t);
	return !near_gate_drain(t->far, (uint64_t)filled) && poll_now(t->near) == POLLOUT &&
	       edge(t) == EPOLLOUT;
}

static bool gate_breaks(struct trial *t)
{
	if (!begin_paired(t) || near_gate_fill(t->near) <= 0)
		return false;
	shut(&t->far);
	return poll_now(t->near) == (POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP);
}

static bool records_stay_apart(struct trial *t)
{
	struct lfp_accept_record record = {.magic = LFP_CTL_RECORD_MAGIC};
	char buf[4 * sizeof(struct lfp_accept_record)];
	int size = NEAR_RECORD_BUFFER, nr = 0, rc;

	if (!begin_paired(t) || setsockopt(t->far, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)))
		return false;
	while (!(rc = near_send_record(t->far, &record, t->set)))
		if (++nr > 1000)
			return false;
	/* This user's descriptors in flight are at their limit, which says nothing about the
	 * kernel. */
	if (rc == -ETOOMANYREFS && nr < 4)
		return true;
	return (rc == -EAGAIN || rc == -ETOOMANYREFS) && nr >= 4 &&
	       recv(t->near, buf, sizeof(buf), MSG_DONTWAIT) == sizeof(struct lfp_accept_record);
}

static bool listener_refuses_writes(struct trial *t)
{
	struct lfp_accept_record record = {.magic = LFP_CTL_RECORD_MAGIC};
	int rc;

	if (!begin_paired(t) || near_gate_fill(t->near) <= 0 || shutdown(t->far, SHUT_RD))
		return false;
	if (poll_now(t->near) != 0 || send(t->near, "x", 1, MSG_NOSIGNAL) >= 0 || errno != EPIPE)
		return false;
	rc = near_send_record(t->far, &record, t->set);
	if (rc && rc != -ETOOMANYREFS)
		return false;
	return poll_now(t->near) == (rc ? 0 : POLLIN) && edge_watch(t, t->far, EPOLLRDHUP) &&
	       !(edge(t) & EPOLLHUP);
}

static bool close_is_seen(struct trial *t)
{
	if (!begin_paired(t) || !edge_watch(t, t->far, EPOLLIN | EPOLLRDHUP) ||
	    shutdown(t->far, SHUT_WR) || shutdown(t->near, SHUT_WR) || !(edge(t) & EPOLLHUP) ||
	    edge(t) || near_names_is_gone(&t->maker->names, t->id.name))
		return false;
	shut(&t->near);
	return (edge(t) & EPOLLHUP) && near_names_is_gone(&t->maker->names, t->id.name);
}

static bool unread_is_told(struct trial *t)
{
	char buf[2];

	if (!begin_paired(t) || send(t->near, "x", 1, MSG_NOSIGNAL) != 1 ||
	    send(t->far, "y", 1, MSG_NOSIGNAL) != 1)
		return false;
	shut(&t->near);
	return recv(t->far, buf, 2, 0) == 1 && recv(t->far, buf, 2, 0) < 0 && errno == ECONNRESET;
}

/* Linux 6.17 counts in a number of its own (unix_inq_len()), which manage_oob() does not correct.
 */
static bool passed_is_counted(struct trial *t)
{
	char c;
	int bytes = 0;

	return begin_paired(t) && send(t->near, "u", 1, MSG_OOB | MSG_NOSIGNAL) == 1 &&
	       send(t->near, "d", 1, MSG_NOSIGNAL) == 1 && recv(t->far, &c, 1, MSG_DONTWAIT) == 1 &&
	       c == 'd' && !ioctl(t->far, FIONREAD, &bytes) && bytes == 1;
}

/* Before Linux 6.5 pages join the urgent byte's buffer (lfp/ctl.h). If this cannot be tried, it
 * counts as true. */
static bool pages_are_merged(struct trial *t)
{
	char c;
	int pipe[2];
	bool apart;

	if (!begin_paired(t) || pipe2(pipe, O_CLOEXEC | O_NONBLOCK))
		return true;
	apart = send(t->near, "u", 1, MSG_OOB | MSG_NOSIGNAL) == 1 && write(pipe[1], "d", 1) == 1 &&
		splice(pipe[0], NULL, t->near, NULL, 1, SPLICE_F_NONBLOCK) == 1 &&
		recv(t->far, &c, 1, MSG_DONTWAIT) == 1 && c == 'd';
	shut(&pipe[0]);
	shut(&pipe[1]);
	return !apart;
}

/* Kernels before 5.0 keep the lower half. */
static bool mark_is_kept(struct trial *t)
{
	uint64_t mark = lfp_fresh_mark(t->maker->names.nn, AF_INET6);

	return begin(t) &&
	       !setsockopt(t->near, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, sizeof(mark)) &&
	       near_fresh_family(t->maker, t->near) == AF_INET6;
}

/* A byte was sent to the socket before. */
static bool stopper_is_seen(struct trial *t)
{
	return begin_paired(t) && send(t->near, "x", 1, MSG_NOSIGNAL) == 1 &&
	       near_stopper_is_found(t->near, t->far);
}

const char *near_self_test(struct near_maker *maker)
{
	static const struct {
		bool (*holds)(struct trial *t);
		const char *fact;
	} facts[] = {
		{looks_new, "a socket that is bound and not connected polls OUT and HUP"},
		{is_found,
		 "a socket keeps its name and its cookie when it is connected to the instance"},
		{gate_holds, "a full send buffer hides POLLOUT, and reading it gives an edge"},
		{gate_breaks, "closing one end with unread data shows an error at the other"},
		{records_stay_apart,
		 "messages with descriptors are not merged, and a buffer bounds them"},
		{listener_refuses_writes, "an unread end refuses writes and polls no event for it"},
		{close_is_seen,
		 "closing a socket that is shut down gives an edge, and connecting to its path "
		 "shows that it is closed"},
		{unread_is_told,
		 "closing with unread data gives ECONNRESET after the data that was sent"},
	};
	struct trial t = {.maker = maker, .near = -1, .far = -1, .set = -1};

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		bool holds = facts[i].holds(&t);

		end(&t);
		if (!holds)
			return facts[i].fact;
	}
	maker->counts_passed = passed_is_counted(&t);
	end(&t);
	maker->merges_pages = pages_are_merged(&t);
	end(&t);
	maker->keeps_marks = mark_is_kept(&t);
	end(&t);
	maker->finds_stopper = stopper_is_seen(&t);
	end(&t);
	return NULL;
}
