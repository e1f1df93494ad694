/* SPDX-License-Identifier: Apache-2.0 */
/* accepting.c - accept and accept4, listen, what accepted sockets inherit, and states that do not
 * fit */
#include <sys/select.h>

#include "tests/conformance/jobs.h"

static int connected_to(const struct addr *addr)
{
	int fd = new_socket(addr->sa.sa_family, SOCK_STREAM);

	MUST(connect(fd, ADDR(addr)));
	return fd;
}

static void names_and_flags(int af)
{
	struct addr addr, from, name, mine;
	int at = listener(af, 0, &addr), fd, conn;

	about("tcp%d", digit(af));
	fd = connected_to(&addr);
	from = (struct addr){.len = sizeof(from.storage)};
	conn = TRY_FD("accept", accept(at, &from.sa, &from.len));
	leak_check(conn);
	mine = name_of(fd);
	say("the peer's name", "%s, the same %d", text_of(&from), same_addr(&from, &mine));
	name = name_of(conn);
	say("its own name", "%s, the same %d", text_of(&name), same_addr(&name, &addr));
	TRY("F_GETFL", fcntl(conn, F_GETFL));
	TRY("F_GETFD", fcntl(conn, F_GETFD));
	TRY("SO_ACCEPTCONN", get_option(conn, SOL_SOCKET, SO_ACCEPTCONN));
	TRY("SO_ACCEPTCONN of the listener", get_option(at, SOL_SOCKET, SO_ACCEPTCONN));
	TRY("accept on a connection", accept(conn, NULL, NULL));
	TRY("listen on a connection", listen(conn, 1));
	TRY("bind of a connection", bind(conn, ADDR(&addr)));
	close(conn);
	close(fd);

	fd = connected_to(&addr);
	from = (struct addr){.len = 5};
	from.in.sin_addr.s_addr = 0x5a5a5a5a;
	conn = TRY_FD("a short name", accept(at, &from.sa, &from.len));
	say("a short name: it", "%u bytes, family %d, the rest %x", from.len,
	    from.sa.sa_family == af, from.in.sin_addr.s_addr);
	close(conn);
	close(fd);
	fd = connected_to(&addr);
	conn = TRY_FD("accept4", accept4(at, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
	TRY("accept4: F_GETFL", fcntl(conn, F_GETFL));
	TRY("accept4: F_GETFD", fcntl(conn, F_GETFD));
	close(conn);
	close(fd);
	TRY("accept4 with unknown flags", accept4(at, NULL, NULL, 0x40));
	fd = connected_to(&addr);
	TRY("a name without length", accept(at, &from.sa, NULL));
	from.len = (socklen_t)-1;
	close(fd);
	fd = connected_to(&addr);
	TRY("a negative length", accept(at, &from.sa, &from.len));
	close(fd);
	close(at);

	at = listener(af, SOCK_NONBLOCK, &addr);
	TRY("empty queue", accept(at, NULL, NULL));
	fd = connected_to(&addr);
	readable(at);
	conn = TRY_FD("a connection waits", accept(at, NULL, NULL));
	TRY("O_NONBLOCK is not inherited", fcntl(conn, F_GETFL) & O_NONBLOCK);
	TRY("empty queue again", accept4(at, NULL, NULL, SOCK_NONBLOCK));
	close(conn);
	close(fd);
	close(at);
}

static void states(int af)
{
	struct addr addr, name;
	int fd = new_socket(af, SOCK_STREAM), at;

	about("tcp%d states", digit(af));
	TRY("new: accept", accept(fd, NULL, NULL));
	TRY("new: SO_ACCEPTCONN", get_option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	TRY("new: listen", listen(fd, 0));
	name = name_of(fd);
	say("listening without bind", "%s", text_of(&name));
	TRY("twice: listen", listen(fd, 10));
	TRY("negative: listen", listen(fd, -1));
	TRY("listening: SO_ACCEPTCONN", get_option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	addr = loopback(af, port_of(&name));
	at = connected_to(&addr);
	close(TRY_FD("listening: accept", accept(fd, NULL, NULL)));
	TRY("listening: getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	addr = loopback(af, 0);
	TRY("listening: bind", bind(fd, ADDR(&addr)));
	TRY("listening: shutdown for writing", shutdown(fd, SHUT_WR));
	TRY("listening: accept after that", (set_blocking(fd, false), accept(fd, NULL, NULL)));
	TRY("listening: shutdown", shutdown(fd, SHUT_RDWR));
	TRY("no more: accept", accept(fd, NULL, NULL));
	say("no more: events", "%s", events_text(all_events(fd)));
	TRY("no more: SO_ACCEPTCONN", get_option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	TRY("no more: listen", listen(fd, 5));
	TRY("again: SO_ACCEPTCONN", get_option(fd, SOL_SOCKET, SO_ACCEPTCONN));
	close(at);
	close(fd);

	fd = bound(af, SOCK_STREAM, &addr);
	TRY("bound: bind", bind(fd, ADDR(&addr)));
	TRY("bound: accept", accept(fd, NULL, NULL));
	at = new_socket(af, SOCK_STREAM);
	TRY("bound, not listening: connect", connect(at, ADDR(&addr)));
	close(at);
	close(fd);

	about("udp%d states", digit(af));
	fd = bound(af, SOCK_DGRAM, &addr);
	TRY("listen", listen(fd, 1));
	TRY("accept", accept(fd, NULL, NULL));
	TRY("bound: bind", bind(fd, ADDR(&addr)));
	close(fd);
}

/* Accepted connections inherit the listener's options. */
static void inherited(int af)
{
	static const struct {
		const char *text;
		int level, name, value;
	} options[] = {
		{"SO_KEEPALIVE", SOL_SOCKET, SO_KEEPALIVE, 1},
		{"SO_RCVLOWAT", SOL_SOCKET, SO_RCVLOWAT, 4},
		{"SO_OOBINLINE", SOL_SOCKET, SO_OOBINLINE, 1},
		{"SO_PRIORITY", SOL_SOCKET, SO_PRIORITY, 3},
		{"SO_REUSEADDR", SOL_SOCKET, SO_REUSEADDR, 1},
		{"SO_RCVBUF", SOL_SOCKET, SO_RCVBUF, 40000},
		{"SO_SNDBUF", SOL_SOCKET, SO_SNDBUF, 30000},
		{"SO_DONTROUTE", SOL_SOCKET, SO_DONTROUTE, 1},
		{"TCP_NODELAY", IPPROTO_TCP, TCP_NODELAY, 1},
		{"TCP_KEEPIDLE", IPPROTO_TCP, TCP_KEEPIDLE, 77},
		{"TCP_KEEPINTVL", IPPROTO_TCP, TCP_KEEPINTVL, 11},
		{"TCP_KEEPCNT", IPPROTO_TCP, TCP_KEEPCNT, 4},
		{"TCP_USER_TIMEOUT", IPPROTO_TCP, TCP_USER_TIMEOUT, 5000},
		{"TCP_LINGER2", IPPROTO_TCP, TCP_LINGER2, 9},
	};
	struct linger linger = {1, 7};
	socklen_t len = sizeof(linger);
	struct addr addr;
	int at, fd, conn, before;

	about("tcp%d inherited", digit(af));
	before = listener(af, 0, &addr);
	fd = connected_to(&addr);
	conn = accept(before, NULL, NULL);
	TRY("without: SO_KEEPALIVE", get_option(conn, SOL_SOCKET, SO_KEEPALIVE));
	TRY("without: TCP_NODELAY", get_option(conn, IPPROTO_TCP, TCP_NODELAY));
	close(fd);
	close(conn);
	close(before);

	at = listener(af, 0, &addr);
	MUST(setsockopt(at, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		MUST(set_option(at, options[i].level, options[i].name, options[i].value));
	fd = connected_to(&addr);
	conn = (int)MUST(accept(at, NULL, NULL));
	linger = (struct linger){0};
	MUST(getsockopt(conn, SOL_SOCKET, SO_LINGER, &linger, &len));
	say("SO_LINGER", "%d %d", linger.l_onoff, linger.l_linger);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		say(options[i].text, "%d", get_option(conn, options[i].level, options[i].name));
	linger.l_onoff = 0;
	MUST(setsockopt(conn, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
	MUST(set_option(conn, SOL_SOCKET, SO_RCVLOWAT, 1));
	say("it works", "%s", exchange(fd, conn));
	close(fd);
	close(conn);
	close(at);
}

static void woken(int af)
{
	struct addr addr;
	struct job job;
	int at, fd;

	about("tcp%d woken", digit(af));
	at = listener(af, 0, &addr);
	job_block(&job, JOB_ACCEPT, at, NULL);
	fd = connected_to(&addr);
	job_say("by a connection", &job);
	close(fd);
	job_block(&job, JOB_ACCEPT, at, NULL);
	TRY("shutdown", shutdown(at, SHUT_RDWR));
	job_say("by shutdown", &job);
	close(at);

	at = listener(af, 0, &addr);
	job_block(&job, JOB_ACCEPT, at, NULL);
	TRY("shutdown for reading", shutdown(at, SHUT_RD));
	job_say("by shutdown for reading", &job);
	TRY("and then", accept(at, NULL, NULL));
	close(at);

	at = listener(af, 0, &addr);
	job_block(&job, JOB_POLL, at, NULL);
	fd = connected_to(&addr);
	job_say("poll", &job);
	close(fd);
	close(at);
}

/* Pending connections: accept() returns the oldest first; data of a peer that has gone stays
 * readable; close() and shutdown() of the listener reset all of them. */
static void queue(int af)
{
	struct addr addr, name, from;
	int at = listener(af, 0, &addr), fd[3], conn, in_order = 1;

	about("tcp%d queue", digit(af));
	for (int i = 0; i < 3; i++) {
		fd[i] = connected_to(&addr);
		readable(at);
	}
	for (int i = 0; i < 3; i++) {
		from = (struct addr){.len = sizeof(from.storage)};
		conn = (int)MUST(accept(at, &from.sa, &from.len));
		name = name_of(fd[i]);
		in_order &= same_addr(&name, &from);
		close(conn);
		close(fd[i]);
	}
	say("in order", "%d", in_order);
	fd[0] = connected_to(&addr);
	MUST(send(fd[0], "bye", 3, 0));
	close(fd[0]);
	conn = TRY_FD("of one that has gone", accept(at, NULL, NULL));
	say("its data", "%s", received(conn, 0));
	say("its end", "%s", received(conn, 0));
	close(conn);
	fd[0] = connected_to(&addr);
	readable(at);
	close(at);
	WAIT(all_events(fd[0]) & POLLHUP);
	say("after the listener is closed", "%s", received(fd[0], 0));
	say("no listener", "%s", connect_when_gone(&addr));
	close(fd[0]);
	at = listener(af, 0, &addr);
	fd[0] = connected_to(&addr);
	readable(at);
	MUST(shutdown(at, SHUT_RD));
	WAIT(all_events(fd[0]) & POLLRDHUP);
	say("after the listener is shut down", "%s", received(fd[0], 0));
	close(fd[0]);
	close(at);
}

/* A backlog of 0 holds one connection. Other clients wait. */
static void backlog(int af)
{
	struct addr addr;
	int at = bound(af, SOCK_STREAM, &addr), fd[3];

	about("tcp%d backlog", digit(af));
	MUST(listen(at, 0));
	for (int i = 0; i < 3; i++) {
		fd[i] = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
		connect(fd[i], ADDR(&addr));
		/* The other clients connect once the queue has room. */
		if (!i)
			WAIT(all_events(fd[0]) & POLLOUT && all_events(at) & POLLIN);
	}
	say("the first is in", "%s", events_with(fd[0], POLLOUT));
	say("the second waits", "%s", events_text(poll_for(fd[1], POLLOUT, VAIN_MS)));
	say("the third waits", "%s", events_text(poll_for(fd[2], POLLOUT, 3 * NOTHING_MS)));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	close(at);
}

static int urgent_by_select(int fd)
{
	struct timeval tv = {.tv_sec = WAIT_MS / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, NULL, NULL, &set, &tv);
}

/* The first thing that an accepted socket sends, or gets, is urgent. */
static void urgent_first(int af)
{
	int fd[2];
	char c = 0;

	about("tcp%d urgent first", digit(af));
	for (int from = 0; from < 2; from++) {
		int to = 1 - from;

		stream_pair(af, fd);
		about("tcp%d urgent first, from %s", digit(af), from ? "accept" : "connect");
		TRY("send", send(fd[from], "u", 1, MSG_OOB));
		say("events", "%s", events_with(fd[to], POLLPRI));
		TRY("exceptfds", urgent_by_select(fd[to]));
		say("events then", "%s", events_text(all_events(fd[from])));
		TRY("recv", recv(fd[to], &c, 1, MSG_OOB | MSG_DONTWAIT));
		say("recv: it", "%c", c);
		TRY("send more", send(fd[from], "vw", 2, MSG_OOB));
		say("more events", "%s", events_with(fd[to], POLLPRI | POLLIN));
		say("more recv", "%s", received(fd[to], MSG_OOB | MSG_DONTWAIT));
		say("data", "%s", received(fd[to], 0));
		say("and back", "%s", exchange(fd[to], fd[from]));
		say("and there", "%s", exchange(fd[from], fd[to]));
		close_pair(fd);
	}
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		names_and_flags(af);
		states(af);
		inherited(af);
		woken(af);
		queue(af);
		backlog(af);
		urgent_first(af);
	}
	return 0;
}
