/* SPDX-License-Identifier: Apache-2.0 */
/* connect-refused.c - calls on a socket whose connection was refused, and its next connect() */
#include "tests/conformance/conform.h"

/* A socket whose connect() was refused: a blocking call, or a non-blocking one that has ended. */
static int refused(int af, bool blocking)
{
	struct addr none = nobody(af);
	int fd = new_socket(af, SOCK_STREAM);
	int rc;

	set_blocking(fd, blocking);
	rc = connect(fd, ADDR(&none));
	if (rc == 0 || errno != (blocking ? ECONNREFUSED : EINPROGRESS))
		printf("%s set-up: connect -> %d %s\n", scope, rc, error_name(errno));
	if (!blocking)
		WAIT(all_events(fd) & POLLERR);
	set_blocking(fd, false);
	return fd;
}

static void say_name(const char *name, int fd)
{
	struct addr own = name_of(fd);

	say(name, "%s", text_of(&own));
}

/* accept() neither reports nor clears the error. */
static void accepting(int af, bool blocking)
{
	struct addr own = loopback(af, 0);
	int fd = refused(af, blocking);

	say_name("getsockname at once", fd);
	TRY("accept", accept(fd, NULL, NULL));
	TRY("accept again", accept(fd, NULL, NULL));
	say("accept: events", "%s", events_text(all_events(fd)));
	TRY("bind", bind(fd, ADDR(&own)));
	TRY("listen", listen(fd, 1));
	say("accept: the error is still there", "%s", socket_error(fd));
	TRY("accept after SO_ERROR", accept(fd, NULL, NULL));
	TRY("getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	say_name("getsockname", fd);
	close(fd);
}

static void receiving(int af, bool blocking)
{
	int fd = refused(af, blocking);

	TRY("send tells", send(fd, "x", 1, MSG_NOSIGNAL));
	say("send, then all events", "%s", events_text(all_events(fd)));
	TRY("send, then", send(fd, "x", 1, MSG_NOSIGNAL));
	say("send, then recv", "%s", received(fd, MSG_DONTWAIT));
	say("send, then recv again", "%s", received(fd, MSG_DONTWAIT));
	say("send, then SO_ERROR", "%s", socket_error(fd));
	say("send, then events", "%s", events_text(all_events(fd)));
	close(fd);

	fd = refused(af, blocking);
	TRY("write tells", write(fd, "x", 1));
	TRY("write, then", write(fd, "x", 1));
	close(fd);

	fd = refused(af, blocking);
	say("recv tells", "%s", received(fd, MSG_DONTWAIT));
	say("recv, then", "%s", received(fd, MSG_DONTWAIT));
	TRY("recv, then send", send(fd, "x", 1, MSG_NOSIGNAL));
	TRY("recv, then shutdown", shutdown(fd, SHUT_RDWR));
	close(fd);

	fd = refused(af, blocking);
	say("SO_ERROR tells", "%s", socket_error(fd));
	say("SO_ERROR, then", "%s", socket_error(fd));
	say("SO_ERROR, then events", "%s", events_text(all_events(fd)));
	say("SO_ERROR, then recv", "%s", received(fd, MSG_DONTWAIT));
	TRY("SO_ERROR, then send", send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

/* The socket connects to a listener, and works. */
static void connects(const char *name, int fd, int at, const struct addr *addr)
{
	char text[64];
	int conn;

	snprintf(text, sizeof(text), "%s events", name);
	set_blocking(fd, true);
	TRY(name, connect(fd, ADDR(addr)));
	say(text, "%s", events_with(fd, POLLOUT));
	set_blocking(at, false);
	WAIT_FOR(VAIN_MS, (conn = accept(at, NULL, NULL)) >= 0);
	snprintf(text, sizeof(text), "%s works", name);
	say(text, "%s", conn < 0 ? "no connection" : exchange(fd, conn));
	close(conn);
}

static void again(int af, bool blocking)
{
	struct addr addr, none;
	int at = listener(af, 0, &addr), fd;

	/* No call since: the next connect() first reports the error of the non-blocking one. */
	fd = refused(af, blocking);
	TRY("again, first", connect(fd, ADDR(&addr)));
	TRY("again, second", connect(fd, ADDR(&addr)));
	say("again: events", "%s", events_with(fd, POLLOUT));
	TRY("again, third", connect(fd, ADDR(&addr)));
	close(fd);

	/* It takes connections: at most these two, which were closed. */
	close(at);
	at = listener(af, 0, &addr);
	fd = refused(af, blocking);
	say("asked: SO_ERROR", "%s", socket_error(fd));
	connects("asked: connect", fd, at, &addr);
	close(fd);

	fd = refused(af, blocking);
	TRY("sent: send", send(fd, "x", 1, MSG_NOSIGNAL));
	connects("sent: connect", fd, at, &addr);
	close(fd);

	fd = refused(af, blocking);
	say("asked, not waiting: SO_ERROR", "%s", socket_error(fd));
	TRY("asked, not waiting: connect", connect(fd, ADDR(&addr)));
	say("asked, not waiting: events", "%s", events_with(fd, POLLOUT));
	say("asked, not waiting: SO_ERROR then", "%s", socket_error(fd));
	TRY("asked, not waiting: connect then", connect(fd, ADDR(&addr)));
	close(fd);

	fd = refused(af, blocking);
	none = nobody(af);
	say("refused twice: SO_ERROR", "%s", socket_error(fd));
	set_blocking(fd, true);
	TRY("refused twice: connect", connect(fd, ADDR(&none)));
	say("refused twice: SO_ERROR then", "%s", socket_error(fd));
	say_name("refused twice: getsockname", fd);
	TRY("refused twice: bind", bind(fd, ADDR(&(struct addr){.len = 0})));
	none = loopback(af, 0);
	TRY("refused twice: bind to a port", bind(fd, ADDR(&none)));
	TRY("refused twice: listen", listen(fd, 5));
	close(fd);
	close(at);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int blocking = 1; blocking >= 0; blocking--) {
			about("tcp%d %s", digit(af), blocking ? "waited:" : "not waited:");
			accepting(af, blocking);
			receiving(af, blocking);
			again(af, blocking);
		}
	}
	return 0;
}
