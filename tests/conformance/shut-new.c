/* SPDX-License-Identifier: Apache-2.0 */
/* shut-new.c - shutdown() of an unconnected socket, and later calls on it */
#include "tests/conformance/conform.h"

static const char *const hows[] = {"SHUT_RD", "SHUT_WR", "SHUT_RDWR"};

static void calls(int af, int how)
{
	int fd = new_socket(af, SOCK_STREAM);
	struct addr addr = loopback(af, 0);

	set_blocking(fd, false);
	TRY("shutdown", shutdown(fd, how));
	TRY("shutdown again", shutdown(fd, how));
	say("events", "%s", events_text(all_events(fd)));
	say("recv", "%s", received(fd, MSG_DONTWAIT));
	TRY("send", send(fd, "x", 1, MSG_NOSIGNAL));
	TRY("write", write(fd, "x", 1));
	say("SO_ERROR", "%s", socket_error(fd));
	TRY("getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	TRY("accept", accept(fd, NULL, NULL));
	TRY("bind", bind(fd, ADDR(&addr)));
	say("events of a bound one", "%s", events_text(all_events(fd)));
	close(fd);
}

/* The end of file has no address. */
static void address(int af)
{
	struct addr from = {.len = sizeof(from.storage)};
	int fd = new_socket(af, SOCK_STREAM);
	char byte;

	(void)shutdown(fd, SHUT_RDWR);
	TRY("recvfrom", recvfrom(fd, &byte, 1, 0, &from.sa, &from.len));
	say("its address", "%u bytes", from.len);
	close(fd);
}

static void connects(int af, int how, bool blocking)
{
	struct addr addr;
	int at = listener(af, 0, &addr), conn;
	int fd = new_socket(af, SOCK_STREAM);

	TRY("shutdown", shutdown(fd, how));
	set_blocking(fd, blocking);
	TRY("connect", connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("connected: events", "%s", events_with(fd, POLLOUT));
	say("there and back", "%s", exchange(fd, conn));
	say("back", "%s", exchange(conn, fd));
	close(fd);
	close(conn);
	close(at);
}

static void fails(int af, int how)
{
	struct addr none = nobody(af), other = loopback(af == AF_INET ? AF_INET6 : AF_INET, 9),
		    addr;
	int at = listener(af, 0, &addr), conn;
	int fd = new_socket(af, SOCK_STREAM);

	TRY("refused: shutdown", shutdown(fd, how));
	TRY("the other family: connect", connect(fd, ADDR(&other)));
	say("the other family: events", "%s", events_text(all_events(fd)));
	TRY("refused: connect", connect(fd, ADDR(&none)));
	say("refused: recv", "%s", received(fd, MSG_DONTWAIT));
	say("refused: events", "%s", events_text(all_events(fd)));
	TRY("refused: then a listener", connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("refused: then a listener: events", "%s", events_with(fd, POLLOUT));
	say("refused: then a listener: there", "%s", exchange(fd, conn));
	say("refused: then a listener: back", "%s", exchange(conn, fd));
	close(conn);
	close(at);
	close(fd);
}

static void listens(int af, int how)
{
	struct addr addr;
	int fd = bound(af, SOCK_STREAM, &addr), client;

	TRY("listens: shutdown", shutdown(fd, how));
	TRY("listens: listen", listen(fd, 5));
	client = new_socket(af, SOCK_STREAM);
	TRY("listens: a client connects", connect(client, ADDR(&addr)));
	say("listens: events", "%s", events_with(fd, POLLIN));
	close(TRY_FD("listens: accept", accept(fd, NULL, NULL)));
	close(client);
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		for (int how = SHUT_RD; how <= SHUT_RDWR; how++) {
			about("tcp%d new %s", digit(af), hows[how]);
			calls(af, how);
			about("tcp%d %s, waits:", digit(af), hows[how]);
			connects(af, how, true);
			about("tcp%d %s, does not wait:", digit(af), hows[how]);
			connects(af, how, false);
			about("tcp%d %s", digit(af), hows[how]);
			fails(af, how);
			listens(af, how);
		}
		about("tcp%d end:", digit(af));
		address(af);
		about("tcp%d", digit(af));
		{
			int fd = new_socket(af, SOCK_STREAM);

			TRY("how 3", shutdown(fd, 3));
			TRY("how -1", shutdown(fd, -1));
			close(fd);
		}
	}
	return 0;
}
