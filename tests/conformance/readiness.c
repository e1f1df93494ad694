/* SPDX-License-Identifier: Apache-2.0 */
/* readiness.c - poll, ppoll, select and pselect in every state, and with large descriptors */
#include <sys/resource.h>
#include <sys/select.h>

#include "tests/conformance/conform.h"

static void drain(int fd, size_t len)
{
	static char block[65536];

	while (len && readable(fd)) {
		ssize_t n = recv(fd, block, sizeof(block), MSG_DONTWAIT);

		if (n <= 0)
			break;
		len -= (size_t)n;
	}
	say("all sent data has arrived", "%d", len == 0);
}

/* A connection from its beginning to its end */
static void stream_states(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), a, b;
	size_t sent;

	about("tcp%d", digit(af));
	say("listener", "%s", events_text(all_events(at)));
	a = new_socket(af, SOCK_STREAM);
	MUST(connect(a, ADDR(&addr)));
	say("listener with a connection", "%s", events_with(at, POLLIN));
	b = (int)MUST(accept(at, NULL, NULL));
	say("listener without it again", "%s", events_text(all_events(at)));
	say("connected", "%s", events_text(all_events(a)));
	say("accepted", "%s", events_text(all_events(b)));
	MUST(send(a, "x", 1, 0));
	say("with data", "%s", events_with(b, POLLIN));
	MUST(send(a, "y", 1, MSG_OOB));
	say("with urgent data", "%s", events_with(b, POLLPRI));
	set_blocking(a, false);
	sent = fill(a);
	say("when nothing more goes in", "%s", events_text(all_events(a)));
	TRY("send", send(a, "x", 1, 0));
	/* The urgent byte is not in the stream. */
	drain(b, sent + 1);
	say("when it goes again", "%s", events_with(a, POLLOUT));
	TRY("shutdown", shutdown(a, SHUT_WR));
	say("its end is seen", "%s", events_with(b, POLLRDHUP));
	say("at the end itself", "%s", events_text(all_events(a)));
	TRY("shutdown of the other", shutdown(b, SHUT_WR));
	say("both have ended", "%s", events_with(a, POLLHUP));
	say("both have ended, the other", "%s", events_with(b, POLLHUP));
	close(a);
	close(b);
	close(at);
}

static void ends(int af)
{
	int fd[2];
	char c;

	about("tcp%d", digit(af));
	stream_pair(af, fd);
	close(fd[1]);
	say("closed by the peer", "%s", events_with(fd[0], POLLRDHUP));
	close(fd[0]);

	stream_pair(af, fd);
	shutdown(fd[0], SHUT_RD);
	say("no more reading", "%s", events_text(all_events(fd[0])));
	TRY("recv", recv(fd[0], &c, 1, 0));
	close_pair(fd);

	stream_pair(af, fd);
	shutdown(fd[0], SHUT_RDWR);
	say("all shut down: the peer", "%s", events_with(fd[1], POLLRDHUP));
	close(fd[1]);
	say("all shut down", "%s", events_with(fd[0], POLLHUP));
	close(fd[0]);

	stream_pair(af, fd);
	MUST(send(fd[0], "lost", 4, 0));
	wait_bytes(fd[1], 4);
	close(fd[1]);
	say("reset", "%s", events_with(fd[0], POLLHUP));
	TRY("recv, reset", recv(fd[0], &c, 1, 0));
	say("after the reset was told", "%s", events_text(all_events(fd[0])));
	close(fd[0]);
}

static void connecting(int af)
{
	struct addr none = nobody(af);
	int fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK), rc;

	about("tcp%d", digit(af));
	rc = connect(fd, ADDR(&none));
	say("refused, at once or later", "%d",
	    rc < 0 && (errno == EINPROGRESS || errno == ECONNREFUSED));
	/* The error may be there an instant before the room to write is. */
	say("refused", "%s",
	    events_with(fd, rc < 0 && errno == ECONNREFUSED ? 0 : POLLERR | POLLOUT));
	close(fd);
}

static void datagrams(int af)
{
	int fd[2];
	struct addr addr;

	about("udp%d", digit(af));
	fd[0] = new_socket(af, SOCK_DGRAM);
	say("new", "%s", events_text(all_events(fd[0])));
	close(fd[0]);
	fd[0] = bound(af, SOCK_DGRAM, &addr);
	say("bound", "%s", events_text(all_events(fd[0])));
	close(fd[0]);
	datagram_pair(af, fd);
	say("connected", "%s", events_text(all_events(fd[0])));
	MUST(send(fd[0], "", 0, 0));
	say("with an empty datagram", "%s", events_with(fd[1], POLLIN));
	say("it is received", "%s", received(fd[1], 0));
	say("without it", "%s", events_text(all_events(fd[1])));
	shutdown(fd[1], SHUT_RD);
	say("no more reading", "%s", events_with(fd[1], POLLRDHUP));
	shutdown(fd[1], SHUT_RDWR);
	say("all shut down", "%s", events_with(fd[1], POLLHUP));
	close_pair(fd);
}

/* The calls themselves */
static void calls(int af, int type)
{
	struct timespec none = {0}, moment = {.tv_nsec = 30 * 1000 * 1000};
	struct timeval tv = {0};
	struct pollfd pfd[3];
	fd_set in, out, except;
	sigset_t mask;
	int fd[2];
	int64_t start;

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	if (type == SOCK_STREAM)
		stream_pair(af, fd);
	else
		datagram_pair(af, fd);
	if (fd[0] < 0 || fd[1] < 0)
		return;
	sigemptyset(&mask);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&except);
	FD_SET(fd[0], &in);
	FD_SET(fd[1], &in);
	FD_SET(fd[0], &out);
	FD_SET(fd[1], &except);
	TRY("select, nothing to read", select(fd[1] + 1, &in, &out, &except, &tv));
	say("select, nothing to read: sets", "%d %d %d %d", FD_ISSET(fd[0], &in) != 0,
	    FD_ISSET(fd[1], &in) != 0, FD_ISSET(fd[0], &out) != 0, FD_ISSET(fd[1], &except) != 0);
	MUST(send(fd[0], "x", 1, 0));
	FD_SET(fd[0], &in);
	FD_SET(fd[1], &in);
	tv.tv_sec = WAIT_MS / 1000;
	TRY("select, something to read", select(fd[1] + 1, &in, NULL, NULL, &tv));
	say("select, something to read: sets", "%d %d", FD_ISSET(fd[0], &in) != 0,
	    FD_ISSET(fd[1], &in) != 0);
	TRY("pselect", pselect(fd[1] + 1, &in, NULL, NULL, &none, &mask));
	pfd[0] = (struct pollfd){.fd = fd[0], .events = POLLIN};
	pfd[1] = (struct pollfd){.fd = fd[1], .events = POLLIN | POLLOUT};
	pfd[2] = (struct pollfd){.fd = 900, .events = POLLIN};
	TRY("ppoll", ppoll(pfd, 3, &none, &mask));
	say("ppoll: events", "%s, %s, %s", events_text((unsigned int)pfd[0].revents),
	    events_text((unsigned int)pfd[1].revents), events_text((unsigned int)pfd[2].revents));
	start = now_ms();
	TRY("ppoll, a moment", ppoll(pfd, 1, &moment, NULL));
	say("ppoll, a moment: it waited", "%d", now_ms() - start >= 29);
	start = now_ms();
	FD_ZERO(&in);
	FD_SET(fd[0], &in);
	TRY("pselect, a moment", pselect(fd[0] + 1, &in, NULL, NULL, &moment, NULL));
	say("pselect, a moment: it waited", "%d", now_ms() - start >= 29);
	close_pair(fd);
}

/* Descriptors beyond FD_SETSIZE; a set of ours is as large as it must be. */
static void large(int af)
{
	enum { NUMBER = 3000, WORDS = 4096 / 64 };
	static unsigned long set[WORDS];
	struct rlimit limit;
	struct timeval tv = {.tv_sec = WAIT_MS / 1000};
	int fd[2], high;

	about("tcp%d", digit(af));
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 4096;
	MUST(setrlimit(RLIMIT_NOFILE, &limit));
	stream_pair(af, fd);
	high = (int)MUST(fcntl(fd[1], F_DUPFD, NUMBER));
	MUST(send(fd[0], "x", 1, 0));
	say("poll of 3000", "%s", events_with(high, POLLIN));
	memset(set, 0, sizeof(set));
	set[NUMBER / 64] |= 1UL << NUMBER % 64;
	TRY("select of 3000", select(NUMBER + 1, (fd_set *)set, NULL, NULL, &tv));
	say("select of 3000: the set", "%d", set[NUMBER / 64] == 1UL << NUMBER % 64);
	TRY("getsockopt of 3000", get_option(high, SOL_SOCKET, SO_TYPE));
	say("data by 3000", "%s", exchange(high, fd[0]));
	close(high);
	close_pair(fd);
	/* A new socket with a large number, as all small ones are taken */
	for (high = dup(0); high >= 0 && high < 1100; high = dup(0))
		;
	stream_pair(af, fd);
	say("new ones are large", "%d", fd[0] > 1024 && fd[1] > 1024);
	say("data by large ones", "%s", exchange(fd[0], fd[1]));
	close_pair(fd);
	closefrom(3);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		stream_states(af);
		ends(af);
		connecting(af);
		datagrams(af);
		calls(af, SOCK_STREAM);
		calls(af, SOCK_DGRAM);
		large(af);
	}
	return 0;
}
