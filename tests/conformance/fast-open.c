/* SPDX-License-Identifier: Apache-2.0 */
/* fast-open.c - TCP_FASTOPEN_CONNECT: behaviour without a cookie of the peer */
#include "tests/conformance/conform.h"

static int set(int fd, int value)
{
	return set_option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, value);
}

static int get(int fd)
{
	return get_option(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT);
}

static void values(int af)
{
	int fd = new_socket(af, SOCK_STREAM);

	about("tcp%d value", digit(af));
	TRY("of a new socket", get(fd));
	TRY("2", set(fd, 2));
	TRY("-1", set(fd, -1));
	TRY("of one byte", setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "\1", 1));
	TRY("1", set(fd, 1));
	TRY("1: it", get(fd));
	TRY("0", set(fd, 0));
	TRY("0: it", get(fd));
	close(fd);
	fd = new_socket(af, SOCK_DGRAM);
	about("udp%d value", digit(af));
	TRY("of a new socket", get(fd));
	TRY("1", set(fd, 1));
	close(fd);
}

/* A connection with the option, to a server that speaks first. */
static void connects(int af, bool blocking)
{
	struct addr addr;
	char c = 0;
	int at, fd, conn;

	about("tcp%d, %s:", digit(af), blocking ? "waits" : "does not wait");
	at = listener(af, 0, &addr);
	fd = new_socket(af, SOCK_STREAM);
	MUST(set(fd, 1));
	set_blocking(fd, blocking);
	TRY("connect", connect(fd, ADDR(&addr)));
	say("events", "%s", events_with(fd, POLLOUT));
	say("SO_ERROR", "%s", socket_error(fd));
	TRY("1 when it is connected", set(fd, 1));
	TRY("0 when it is connected", set(fd, 0));
	TRY("it", get(fd));
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("of the accepted one", get(conn));
	MUST(send(conn, "s", 1, 0));
	say("data of the server", "%s", readable(fd) ? "readable" : "nothing");
	TRY("recv", recv(fd, &c, 1, MSG_DONTWAIT));
	TRY("connect again", connect(fd, ADDR(&addr)));
	close(conn);
	close(fd);
	close(at);
}

static void refused(int af)
{
	struct addr none = nobody(af), addr;
	int fd = new_socket(af, SOCK_STREAM), at;

	about("tcp%d refused", digit(af));
	MUST(set(fd, 1));
	TRY("connect", connect(fd, ADDR(&none)));
	TRY("it", get(fd));
	TRY("0 after it", set(fd, 0));
	TRY("1 after it", set(fd, 1));
	at = listener(af, 0, &addr);
	TRY("connect to another one", connect(fd, ADDR(&addr)));
	TRY("it then", get(fd));
	close(at);
	close(fd);
}

static void listens(int af)
{
	struct addr addr;
	int at = bound(af, SOCK_STREAM, &addr), fd, conn;

	about("tcp%d listener", digit(af));
	MUST(set(at, 1));
	MUST(listen(at, 5));
	TRY("1", set(at, 1));
	TRY("it", get(at));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("of the accepted one", get(conn));
	close(conn);
	close(fd);
	close(at);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		values(af);
		connects(af, true);
		connects(af, false);
		refused(af);
		listens(af);
	}
	return 0;
}
