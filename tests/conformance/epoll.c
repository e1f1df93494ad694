/* SPDX-License-Identifier: Apache-2.0 */
/* epoll.c - level, edge, once, exclusive, nested; sets that outlive copies */
#include "tests/conformance/jobs.h"

#define ALL (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI)

static void add(int set, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
}

static const char *look(int set, int ms)
{
	struct epoll_event event;
	int n = epoll_wait(set, &event, 1, ms);

	return n < 0 ? error_name(errno) : events_text(n ? event.events : 0);
}

/* All events of @fd until it is writable: the end of a UNIX socket's peer, and the room that it
 * leaves, may be two events (net/unix/af_unix.c, unix_release_sock()). */
static const char *look_until_out(int set, int fd)
{
	struct epoll_event event = {0};
	uint32_t events = 0;

	if (epoll_wait(set, &event, 1, WAIT_MS) == 1)
		events = event.events;
	if (!(events & EPOLLOUT) && poll_for(fd, POLLOUT, WAIT_MS) &&
	    epoll_wait(set, &event, 1, WAIT_MS) == 1)
		events |= event.events;
	return events_text(events);
}

static void pair_of(int af, int type, int fd[2])
{
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
}

static void level(int af, int type)
{
	int fd[2], set = epoll_create1(0);
	char buf[8];

	pair_of(af, type, fd);
	add(set, fd[1], ALL);
	say("level: idle", "%s", look(set, 0));
	MUST(send(fd[0], "abc", 3, 0));
	readable(fd[1]);
	say("level: data", "%s", look(set, 0));
	say("level: data, again", "%s", look(set, 0));
	MUST(recv(fd[1], buf, 8, 0));
	say("level: no data", "%s", look(set, 0));
	if (type == SOCK_STREAM) {
		close(fd[0]);
		WAIT(all_events(fd[1]) & POLLRDHUP);
		say("level: the end", "%s", look(set, 0));
	} else {
		close(fd[0]);
	}
	close(fd[1]);
	say("level: closed", "%s", look(set, 0));
	close(set);
}

static void edge(int af, int type)
{
	int fd[2], set = epoll_create1(0);
	char buf[8];

	pair_of(af, type, fd);
	add(set, fd[1], ALL | EPOLLET);
	say("edge: at first", "%s", look(set, 0));
	say("edge: nothing new", "%s", look(set, NOTHING_MS));
	MUST(send(fd[0], "abc", 3, 0));
	say("edge: data", "%s", look(set, WAIT_MS));
	say("edge: the same data", "%s", look(set, NOTHING_MS));
	MUST(send(fd[0], "def", 3, 0));
	say("edge: more data", "%s", look(set, WAIT_MS));
	MUST(recv(fd[1], buf, 1, 0));
	say("edge: some of it read", "%s", look(set, NOTHING_MS));
	if (type == SOCK_STREAM) {
		shutdown(fd[0], SHUT_WR);
		say("edge: the end", "%s", look(set, WAIT_MS));
		say("edge: still the end", "%s", look(set, NOTHING_MS));
	}
	close_pair(fd);
	close(set);
}

static void once(int af, int type)
{
	struct epoll_event event = {.events = ALL | EPOLLONESHOT};
	int fd[2], set = epoll_create1(0);

	pair_of(af, type, fd);
	add(set, fd[1], EPOLLIN | EPOLLONESHOT);
	MUST(send(fd[0], "abc", 3, 0));
	say("once: data", "%s", look(set, WAIT_MS));
	MUST(send(fd[0], "def", 3, 0));
	readable(fd[1]);
	say("once: not twice", "%s", look(set, NOTHING_MS));
	TRY("once: armed again", epoll_ctl(set, EPOLL_CTL_MOD, fd[1], &event));
	say("once: armed again, events", "%s", look(set, WAIT_MS));
	TRY("once: removed", epoll_ctl(set, EPOLL_CTL_DEL, fd[1], NULL));
	TRY("once: removed twice", epoll_ctl(set, EPOLL_CTL_DEL, fd[1], NULL));
	TRY("once: changed after that", epoll_ctl(set, EPOLL_CTL_MOD, fd[1], &event));
	close_pair(fd);
	close(set);
}

static void sets(int af, int type)
{
	struct epoll_event event = {.events = EPOLLIN}, both[2];
	int fd[2], set = epoll_create1(0), outer = epoll_create1(0), second = epoll_create1(0),
		   copy;

	pair_of(af, type, fd);
	add(set, fd[1], EPOLLIN);
	TRY("added twice", epoll_ctl(set, EPOLL_CTL_ADD, fd[1], &event));
	add(second, fd[1], EPOLLIN);
	add(outer, set, EPOLLIN);
	say("nested: idle", "%s", look(outer, 0));
	MUST(send(fd[0], "abc", 3, 0));
	say("nested: data", "%s", look(outer, WAIT_MS));
	say("nested: by poll", "%s", events_text(poll_for(outer, POLLIN, WAIT_MS)));
	say("in a second set", "%s", look(second, WAIT_MS));
	/* A set holds the socket, not the number. */
	copy = dup(fd[1]);
	close(fd[1]);
	say("with a copy", "%s", look(set, 0));
	say("the copy can be added", "%s",
	    epoll_ctl(set, EPOLL_CTL_ADD, copy, &event) ? "no" : "yes");
	TRY("both are told", epoll_wait(set, both, 2, WAIT_MS));
	close(copy);
	say("when it is closed, too", "%s", look(set, 0));
	close(fd[0]);
	close(set);
	close(second);
	close(outer);
}

/* A socket that was added while new reports all later events. */
static void from_the_beginning(int af, uint32_t flags, const char *name)
{
	struct addr addr;
	int at = listener(af, SOCK_NONBLOCK, &addr), set = epoll_create1(0),
	    listening = epoll_create1(0);
	int fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK), conn;

	about("tcp%d %s", digit(af), name);
	add(listening, at, EPOLLIN | flags);
	say("listener", "%s", look(listening, 0));
	add(set, fd, ALL | flags);
	look(set, 0);
	MUST(connect(fd, ADDR(&addr)) < 0 && errno != EINPROGRESS ? -1 : 0);
	say("connected", "%s", look(set, WAIT_MS));
	say("listener has one", "%s", look(listening, WAIT_MS));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("listener has none", "%s", look(listening, NOTHING_MS));
	TRY("accept", accept(at, NULL, NULL));
	say("SO_ERROR", "%s", socket_error(fd));
	say("data", "%s", exchange(fd, conn));
	close(fd);
	close(conn);
	close(set);
	/* The next one is an edge again. */
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	say("listener has another one", "%s", look(listening, WAIT_MS));
	close(fd);
	close(at);
	close(listening);
}

/* Two sets wait for one listener; with EPOLLEXCLUSIVE at least one of them reports it. */
static void exclusive(int af)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE};
	struct addr addr;
	struct job jobs[2];
	int at = listener(af, 0, &addr), set[2], fd, told = 0;

	about("tcp%d exclusive", digit(af));
	for (int i = 0; i < 2; i++) {
		set[i] = epoll_create1(0);
		TRY(i ? "second set" : "first set", epoll_ctl(set[i], EPOLL_CTL_ADD, at, &event));
		job_block(&jobs[i], JOB_EPOLL, set[i], NULL);
	}
	TRY("changing it", epoll_ctl(set[0], EPOLL_CTL_MOD, at, &event));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	WAIT(jobs[0].done || jobs[1].done);
	for (int i = 0; i < 2; i++)
		told += jobs[i].done;
	say("told", "%s", told ? "at least one" : "none");
	for (int i = 0; i < 2; i++) {
		if (!jobs[i].done)
			MUST(epoll_ctl(set[i], EPOLL_CTL_DEL, at, NULL));
		event.events = EPOLLIN;
		if (!jobs[i].done)
			MUST(epoll_ctl(set[i], EPOLL_CTL_ADD, at, &event));
		job_say(i ? "the second waiter" : "the first waiter", &jobs[i]);
		close(set[i]);
	}
	close(fd);
	close(at);
}

/* A connect() that waits is an edge, too. */
static void waited(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM), set = epoll_create1(0);

	about("tcp%d a connect() that waits", digit(af));
	add(set, fd, ALL | EPOLLET);
	look(set, 0);
	TRY("connect", connect(fd, ADDR(&addr)));
	say("events", "%s", look_until_out(set, fd));
	close(fd);
	close(set);
	close(at);
}

static void refused(int af)
{
	struct addr none = nobody(af);
	int fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK), set = epoll_create1(0);

	about("tcp%d refused", digit(af));
	add(set, fd, ALL | EPOLLET);
	look(set, 0);
	connect(fd, ADDR(&none));
	say("events", "%s", look_until_out(set, fd));
	say("SO_ERROR", "%s", socket_error(fd));
	close(fd);
	close(set);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
			about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
			level(af, type);
			edge(af, type);
			once(af, type);
			sets(af, type);
		}
		from_the_beginning(af, 0, "level");
		from_the_beginning(af, EPOLLET, "edge");
		exclusive(af);
		waited(af);
		refused(af);
	}
	return 0;
}
