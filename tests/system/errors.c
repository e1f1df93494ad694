/* SPDX-License-Identifier: Apache-2.0 */
/* errors.c - results of failing calls; the output must be the same natively and on LFP
 *
 *	errors
 *
 * Uses 127.0.0.1, where no other program listens, and 192.0.2.1, to which there is no route.
 */
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "tests/system/tool.h"

static struct sockaddr_in loop, unused, away;
static char buf[16];

static void say(const char *what, long rc)
{
	printf("%s: %s\n", what, rc < 0 ? error_name(errno) : rc == 0 ? "0" : "more than 0");
}

static int make(int flags)
{
	int fd = socket(AF_INET, SOCK_STREAM | flags, 0);

	if (fd < 0)
		die("socket");
	return fd;
}

#define ADDR(a) (struct sockaddr *)(a), sizeof(*(a))

static void making(void)
{
	say("socket of family 99", socket(99, SOCK_STREAM, 0));
	say("socket of type 99", socket(AF_INET, 99, 0));
	say("stream with protocol UDP", socket(AF_INET, SOCK_STREAM, IPPROTO_UDP));
	say("stream with protocol 255", socket(AF_INET, SOCK_STREAM, 255));
}

static void binding(void)
{
	struct sockaddr_in addr = unused, short_addr = unused;
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	socklen_t len = sizeof(addr);
	int one = make(0), two = make(0);

	say("bind away", bind(one, ADDR(&away)));
	addr.sin_port = 0;
	say("bind", bind(one, ADDR(&addr)));
	say("bind twice", bind(one, ADDR(&addr)));
	say("getsockname", getsockname(one, (struct sockaddr *)&addr, &len));
	say("bind in use", bind(two, ADDR(&addr)));
	say("bind too short", bind(two, (struct sockaddr *)&short_addr, 4));
	say("bind of another family", bind(two, ADDR(&six)));
	say("listen", listen(one, 1));
	say("listen again", listen(one, 2));
	say("connect a listener", connect(one, ADDR(&unused)));
	say("send on a listener", send(one, "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT));
	say("recv on a listener", recv(one, buf, 1, MSG_DONTWAIT));
	say("getpeername of a listener", getpeername(one, (struct sockaddr *)&addr, &len));
	say("accept of what does not listen", accept(two, NULL, NULL));
	fcntl(one, F_SETFL, O_NONBLOCK);
	say("accept without a connection", accept(one, NULL, NULL));
	say("shutdown of a listener", shutdown(one, SHUT_RD));
	close(one);
	close(two);
}

/* The kernel shows the end of a near end first, and frees the room of its buffer right behind. */
static void poll_out_as_well(struct pollfd *pfd)
{
	int tries = 0;

	while (!(pfd->revents & POLLOUT) && ++tries < 10000) {
		usleep(1000);
		poll(pfd, 1, 0);
	}
}

static void connecting(void)
{
	struct sockaddr_in broadcast = unused, family = unused;
	struct pollfd pfd;
	socklen_t len;
	int fd = make(0), error = 0;

	say("send before connect", send(fd, "x", 1, MSG_NOSIGNAL));
	say("recv before connect", recv(fd, buf, 1, 0));
	say("getpeername before connect",
	    getpeername(fd, (struct sockaddr *)&family, &(socklen_t){16}));
	say("shutdown before connect", shutdown(fd, SHUT_WR));
	say("connect refused", connect(fd, ADDR(&unused)));
	say("connect refused again", connect(fd, ADDR(&unused)));
	close(fd);

	fd = make(0);
	say("connect without a road", connect(fd, ADDR(&away)));
	broadcast.sin_addr.s_addr = INADDR_BROADCAST;
	say("connect to all", connect(fd, ADDR(&broadcast)));
	family.sin_family = 99;
	say("connect to family 99", connect(fd, ADDR(&family)));
	say("connect too short", connect(fd, (struct sockaddr *)&unused, 4));
	close(fd);

	fd = make(SOCK_NONBLOCK);
	say("connect refused, not blocking",
	    connect(fd, ADDR(&unused)) < 0 && errno == EINPROGRESS ? 0 : -1);
	pfd = (struct pollfd){.fd = fd, .events = POLLIN | POLLOUT};
	say("poll", poll(&pfd, 1, 60000));
	poll_out_as_well(&pfd);
	printf("poll shows%s%s%s%s\n", pfd.revents & POLLIN ? " IN" : "",
	       pfd.revents & POLLOUT ? " OUT" : "", pfd.revents & POLLERR ? " ERR" : "",
	       pfd.revents & POLLHUP ? " HUP" : "");
	len = sizeof(error);
	say("getsockopt", getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len));
	printf("SO_ERROR: %s\n", error_name(error));
	say("getsockopt", getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len));
	printf("SO_ERROR again: %s\n", error_name(error));
	close(fd);
}

/* A pair of connected sockets. */
static void join(int pair[2])
{
	struct sockaddr_in addr = loop;
	socklen_t len = sizeof(addr);
	int listener = tcp_listen(&addr, 0);

	if (getsockname(listener, (struct sockaddr *)&addr, &len) < 0)
		die("getsockname");
	pair[0] = tcp_connect(&addr);
	if (pair[0] < 0)
		die("connect");
	pair[1] = accept(listener, NULL, NULL);
	if (pair[1] < 0)
		die("accept");
	close(listener);
}

/* Until there is something to read, or an end. */
static void await(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	if (poll(&pfd, 1, 60000) != 1)
		die("nothing to read");
}

static void connected(void)
{
	struct linger reset = {.l_onoff = 1};
	struct timeval moment = {.tv_usec = 50000};
	int pair[2];

	join(pair);
	say("connect twice", connect(pair[0], ADDR(&unused)));
	say("listen when connected", listen(pair[0], 1));
	say("bind when connected", bind(pair[0], ADDR(&loop)));
	say("accept when connected", accept(pair[0], NULL, NULL));
	say("recv without data, not blocking", recv(pair[0], buf, 1, MSG_DONTWAIT));
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	say("recv with SO_RCVTIMEO", recv(pair[0], buf, 1, 0));
	say("shutdown with a bad direction", shutdown(pair[0], 7));
	say("shutdown", shutdown(pair[0], SHUT_WR));
	say("send after shutdown", send(pair[0], "x", 1, MSG_NOSIGNAL));
	await(pair[1]);
	say("recv after the peer's shutdown", recv(pair[1], buf, 1, 0));
	say("send the other way", send(pair[1], "x", 1, MSG_NOSIGNAL));
	await(pair[0]);
	say("recv", recv(pair[0], buf, 2, 0));
	close(pair[0]);
	close(pair[1]);

	join(pair);
	setsockopt(pair[1], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(pair[1]);
	await(pair[0]);
	say("recv after a reset", recv(pair[0], buf, 1, 0));
	say("recv once more", recv(pair[0], buf, 1, 0));
	say("send after a reset", send(pair[0], "x", 1, MSG_NOSIGNAL));
	close(pair[0]);

	join(pair);
	if (send(pair[0], "unread", 6, 0) != 6)
		die("send");
	await(pair[1]);
	close(pair[1]);
	await(pair[0]);
	say("recv after a close with unread data", recv(pair[0], buf, 1, 0));
	close(pair[0]);
}

static void options(void)
{
	int fd = make(0), value = 1;
	socklen_t len = sizeof(value);

	say("setsockopt", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, sizeof(value)));
	say("setsockopt too short", setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value, 1));
	say("setsockopt of an unknown option",
	    setsockopt(fd, SOL_SOCKET, 9999, &value, sizeof(value)));
	say("setsockopt of an unknown level", setsockopt(fd, 250, 1, &value, sizeof(value)));
	say("setsockopt TCP, unknown", setsockopt(fd, IPPROTO_TCP, 9999, &value, sizeof(value)));
	say("getsockopt of an unknown option", getsockopt(fd, SOL_SOCKET, 9999, &value, &len));
	say("getsockopt TCP, unknown", getsockopt(fd, IPPROTO_TCP, 9999, &value, &len));
	value = 1000;
	say("TCP_KEEPIDLE out of range",
	    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &(int){100000}, sizeof(int)));
	say("an IPv6 option of an IPv4 socket",
	    setsockopt(fd, IPPROTO_IPV6, 26, &value, sizeof(value)));
	close(fd);
}

static void descriptors(void)
{
	struct rlimit limit, low;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), fd = make(0);

	close(fd);
	say("bind of a closed descriptor", bind(fd, ADDR(&loop)));
	say("connect of a closed descriptor", connect(fd, ADDR(&loop)));
	say("accept of a closed descriptor", accept(fd, NULL, NULL));
	say("connect of no socket", connect(null, ADDR(&loop)));
	say("listen of no socket", listen(null, 1));
	say("recv of no socket", recv(null, buf, 1, 0));
	close(null);

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	low = limit;
	low.rlim_cur = (rlim_t)null; /* the lowest free one */
	setrlimit(RLIMIT_NOFILE, &low);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	say("socket at the descriptor limit", fd);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	loop = host_addr("127.0.0.1", 0);
	unused = host_addr("127.0.0.1", 9);
	away = host_addr("192.0.2.1", 9);
	making();
	binding();
	connecting();
	connected();
	options();
	descriptors();
	return 0;
}
