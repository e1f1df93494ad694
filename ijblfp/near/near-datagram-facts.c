/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram-facts.c - checks that this kernel behaves as near ends of datagram sockets need */
#include "ijblfp/near/near-datagram.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/near/sources.h"

#define FILLERS 64

/* One trial: a near end, two sockets that send to it, an edge-triggered epoll set. */
struct trial {
	struct near_maker *maker;
	struct sources sources;
	struct near_id id;
	int near, first, second, set;
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool begin(struct trial *t)
{
	const struct lfp_meta meta = {.ttl = 1}, other = {.ttl = 2};

	t->near = near_datagram_create(t->maker, false, &t->id);
	t->first = sources_make(&t->sources, &meta);
	t->second = sources_make(&t->sources, &other);
	t->set = epoll_create1(EPOLL_CLOEXEC);
	return t->near >= 0 && t->first >= 0 && t->second >= 0 && t->set >= 0;
}

static void end(struct trial *t)
{
	near_names_forget(&t->maker->names, t->id.name);
	t->id.name = 0;
	shut(&t->near);
	shut(&t->first);
	shut(&t->second);
	shut(&t->set);
}

static bool connect_near(const struct trial *t, int fd)
{
	return !near_names_connect(&t->maker->names, fd, t->id.name);
}

/* Connects the near end to @fd, and @fd to the near end. */
static bool pair(const struct trial *t, int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return !getsockname(fd, (struct sockaddr *)&addr, &len) &&
	       !connect(t->near, (const struct sockaddr *)&addr, len) && connect_near(t, fd);
}

static bool send_one(int fd)
{
	return send(fd, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* Returns true if a datagram came from the source with this ttl. */
static bool take_one(const struct trial *t, uint8_t ttl)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	struct lfp_meta meta;
	char c;

	return recvfrom(t->near, &c, 1, MSG_DONTWAIT, (struct sockaddr *)&addr, &len) == 1 &&
	       !lfp_source_parse(&addr, len, &meta) && meta.ttl == ttl;
}

static bool names_stay(struct trial *t)
{
	if (!connect_near(t, t->first) || !connect_near(t, t->second) || !send_one(t->second) ||
	    !send_one(t->first))
		return false;
	shut(&t->second);
	return take_one(t, 2) && take_one(t, 1);
}

/* Fills the near end's queue. Returns 1 if it is full, 0 if it seems to be unbounded. Several
 * senders are needed: with systemd's net.unix.max_dgram_qlen of 512, one sender's own buffer fills
 * first. */
static int fill_queue(struct trial *t)
{
	const struct lfp_meta meta = {.ttl = 1};

	for (int i = 0; i < FILLERS; i++) {
		int fd = sources_make(&t->sources, &meta), sent = 0, error;

		if (fd < 0 || !connect_near(t, fd)) {
			shut(&fd);
			return -1;
		}
		while (send_one(fd))
			sent++;
		error = errno;
		close(fd);
		if (!sent || error != EAGAIN)
			return error == EAGAIN ? 1 : -1;
	}
	return 0;
}

static bool room_is_told(struct trial *t)
{
	struct epoll_event event = {.events = EPOLLOUT | EPOLLET};
	int rc;

	if (!connect_near(t, t->first))
		return false;
	rc = fill_queue(t);
	if (rc <= 0)
		return !rc;
	return !epoll_ctl(t->set, EPOLL_CTL_ADD, t->first, &event) &&
	       !epoll_wait(t->set, &event, 1, 0) && take_one(t, 1) &&
	       epoll_wait(t->set, &event, 1, 0) == 1;
}

static bool pairs_keep_others_out(struct trial *t)
{
	if (!connect_near(t, t->second) || !send_one(t->second) || !pair(t, t->first))
		return false;
	/* Datagrams that had arrived stay. */
	return !send_one(t->second) && errno == EPERM && take_one(t, 2) && send_one(t->first) &&
	       take_one(t, 1);
}

static bool close_is_found(struct trial *t)
{
	if (near_names_is_gone(&t->maker->names, t->id.name))
		return false;
	shut(&t->near);
	return near_names_is_gone(&t->maker->names, t->id.name);
}

static bool errors_show(struct trial *t)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	struct pollfd pfd = {.events = POLLIN};
	char c;

	/* Makes the error as datagram_raise() does, with the near end's own datagram as the token.
	 */
	if (!pair(t, t->first) || !send_one(t->near) ||
	    connect(t->first, &unspec, sizeof(unspec)) || !connect_near(t, t->first))
		return false;
	pfd.fd = t->near;
	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLERR) &&
	       recv(t->near, &c, 1, MSG_DONTWAIT) < 0 && errno == ECONNRESET &&
	       send_one(t->first) && take_one(t, 1);
}

static bool holds(struct trial *t, bool (*fact)(struct trial *t))
{
	bool rc = begin(t) && fact(t);

	end(t);
	return rc;
}

const char *near_datagram_self_test(struct near_maker *maker)
{
	static const struct {
		bool (*holds)(struct trial *t);
		const char *fact;
	} facts[] = {
		{names_stay, "a datagram keeps the name of its sender"},
		{room_is_told, "the sender to a datagram socket learns of room in its queue"},
		{pairs_keep_others_out,
		 "a connected datagram socket keeps its datagrams, and accepts none from other "
		 "senders"},
		{close_is_found, "connecting to a path shows whether its socket is closed"},
	};
	struct trial t = {.maker = maker, .near = -1, .first = -1, .second = -1, .set = -1};
	const char *fact = NULL;

	sources_init(&t.sources, maker->names.run + UINT32_MAX, maker->network);
	for (size_t i = 0; !fact && i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!holds(&t, facts[i].holds))
			fact = facts[i].fact;
	if (!fact)
		maker->shows_errors = holds(&t, errors_show);
	return fact;
}
