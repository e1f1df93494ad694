/* SPDX-License-Identifier: Apache-2.0 */
/* closing.c - ends of connections: FIN after all data, half-close, reset once, SO_LINGER, killed
 * programs */
#include <linux/sockios.h>
#include <sys/wait.h>

#include "tests/conformance/conform.h"

static void set_linger(int fd, int on, int seconds)
{
	struct linger linger = {on, seconds};

	MUST(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)));
}

static void orderly(int af)
{
	enum { LEN = 700000 };
	static unsigned char sent[LEN], got[LEN];
	int fd[2], status;
	pid_t pid;

	about("tcp%d orderly", digit(af));
	pattern(sent, LEN, 5);
	stream_pair(af, fd);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		/* All sent bytes arrive, although the program ends at once. */
		_exit(send_all(fd[0], sent, LEN) < 0);
	}
	close(fd[0]);
	waitpid(pid, &status, WNOHANG);
	say("all comes", "%zu", recv_all(fd[1], got, LEN));
	say("unchanged", "%d", !memcmp(sent, got, LEN));
	say("then the end", "%s", received(fd[1], 0));
	say("and again", "%s", received(fd[1], 0));
	waitpid(pid, &status, 0);
	close(fd[1]);

	stream_pair(af, fd);
	MUST(send(fd[0], "request", 7, 0));
	TRY("half-close", shutdown(fd[0], SHUT_WR));
	TRY("half-close twice", shutdown(fd[0], SHUT_WR));
	say("the request", "%s", received(fd[1], 0));
	say("its end", "%s", received(fd[1], 0));
	MUST(send(fd[1], "answer", 6, 0));
	say("the answer", "%s", received(fd[0], 0));
	TRY("no more requests", send(fd[0], "x", 1, MSG_NOSIGNAL));
	close(fd[1]);
	say("the end", "%s", received(fd[0], 0));
	TRY("unknown shutdown", shutdown(fd[0], 3));
	WAIT(shutdown(fd[0], SHUT_RDWR) < 0);
	TRY("shutdown when all has ended", shutdown(fd[0], SHUT_RDWR));
	close(fd[0]);
	fd[0] = new_socket(af, SOCK_STREAM);
	TRY("shutdown of a new one", shutdown(fd[0], SHUT_RDWR));
	close(fd[0]);
}

/* A late reader gets all data before the end of file, wherever that data was buffered. */
static void late_reader(int af)
{
	enum { NUMBER = 10, STEP = 30000 };
	static unsigned char sent[NUMBER * STEP], got[NUMBER * STEP];
	int fd[NUMBER][2], whole = 0;

	about("tcp%d late reader", digit(af));
	pattern(sent, sizeof(sent), 9);
	for (size_t i = 0; i < NUMBER; i++) {
		stream_pair(af, fd[i]);
		MUST(send_all(fd[i][0], sent, (i + 1) * STEP));
		close(fd[i][0]);
	}
	pause_ms(4 * NOTHING_MS);
	for (size_t i = 0; i < NUMBER; i++) {
		size_t len = (i + 1) * STEP;

		whole += recv_all(fd[i][1], got, len) == len && !memcmp(sent, got, len) &&
			 recv(fd[i][1], got, 1, 0) == 0;
		close(fd[i][1]);
	}
	say("whole streams", "%d of %d", whole, (int)NUMBER);
}

/* Data sent after the peer's shutdown(SHUT_RD) may cause a reset, as in TCP. */
static void after_reading(int af)
{
	int fd[2];

	about("tcp%d after SHUT_RD", digit(af));
	stream_pair(af, fd);
	TRY("shutdown", shutdown(fd[0], SHUT_RD));
	say("at once", "%s", received(fd[0], MSG_DONTWAIT));
	TRY("the peer may send", send(fd[1], "late", 4, MSG_NOSIGNAL));
	say("the peer is well", "%s", events_text(poll_for(fd[1], POLLIN | POLLRDHUP, NOTHING_MS)));
	/* Linux still delivers later data. */
	WAIT_FOR(VAIN_MS, bytes_there(fd[0]) == 4);
	say("later data", "%s", received(fd[0], MSG_DONTWAIT));
	say("and then", "%s", received(fd[0], MSG_DONTWAIT));
	TRY("writing works", send(fd[0], "x", 1, 0));
	say("it comes", "%s", received(fd[1], 0));
	close_pair(fd);
}

enum teller { BY_RECV, BY_READ, BY_SEND, BY_WRITE, BY_SO_ERROR };

static const char *const tellers[] = {"recv", "read", "send", "write", "SO_ERROR"};

static const char *tell(enum teller how, int fd)
{
	ssize_t n = -1;
	char c;

	if (how == BY_SO_ERROR)
		return socket_error(fd);
	if (how == BY_RECV)
		n = recv(fd, &c, 1, MSG_DONTWAIT);
	else if (how == BY_READ)
		n = read(fd, &c, 1);
	else if (how == BY_SEND)
		n = send(fd, "x", 1, MSG_NOSIGNAL);
	else
		n = write(fd, "x", 1);
	return n < 0 ? error_name(errno) : n ? "data" : "end";
}

/* A reset is reported once, to the first call that asks. */
static void reset(int af)
{
	int fd[2];

	for (enum teller how = BY_RECV; how <= BY_SO_ERROR; how++) {
		about("tcp%d reset, told by %s", digit(af), tellers[how]);
		stream_pair(af, fd);
		set_linger(fd[1], 1, 0);
		close(fd[1]);
		WAIT(all_events(fd[0]) & POLLHUP);
		say("first", "%s", tell(how, fd[0]));
		say("then recv", "%s", tell(BY_RECV, fd[0]));
		say("then send", "%s", tell(BY_SEND, fd[0]));
		say("then SO_ERROR", "%s", tell(BY_SO_ERROR, fd[0]));
		close(fd[0]);
	}
	about("tcp%d reset", digit(af));
	stream_pair(af, fd);
	MUST(send(fd[0], "unread", 6, 0));
	wait_bytes(fd[1], 6);
	close(fd[1]);
	WAIT(all_events(fd[0]) & POLLHUP);
	say("by unread data", "%s", tell(BY_RECV, fd[0]));
	close(fd[0]);
	/* On Linux data before the reset is lost: recv() returns the error first. */
	stream_pair(af, fd);
	MUST(send(fd[1], "before", 6, 0));
	wait_bytes(fd[0], 6);
	set_linger(fd[1], 1, 0);
	close(fd[1]);
	WAIT(all_events(fd[0]) & POLLHUP);
	say("data before it", "%s", received(fd[0], MSG_DONTWAIT));
	say("data before it, then", "%s", received(fd[0], MSG_DONTWAIT));
	say("data before it, at last", "%s", received(fd[0], MSG_DONTWAIT));
	close(fd[0]);
}

/* The same where the program itself has ended both directions. */
static void reset_of_shut(int af)
{
	struct addr peer;
	int fd[2];

	about("tcp%d reset, both directions shut", digit(af));
	stream_pair(af, fd);
	MUST(shutdown(fd[0], SHUT_RDWR));
	say("before", "%s", tell(BY_SO_ERROR, fd[0]));
	set_linger(fd[1], 1, 0);
	close(fd[1]);
	peer.len = sizeof(peer.storage);
	WAIT(getpeername(fd[0], &peer.sa, &peer.len) < 0);
	say("first", "%s", tell(BY_SO_ERROR, fd[0]));
	say("then recv", "%s", tell(BY_RECV, fd[0]));
	say("then SO_ERROR", "%s", tell(BY_SO_ERROR, fd[0]));
	TRY("shutdown", shutdown(fd[0], SHUT_RD));
	close(fd[0]);
}

/* A reset behind the peer's end is no error for a reader, which reads no more itself. */
static void reset_of_ended(int af)
{
	struct sockaddr unconnected = {.sa_family = AF_UNSPEC};
	int fd[2];

	about("tcp%d reset of one that has ended", digit(af));
	stream_pair(af, fd);
	TRY("it reads no more", shutdown(fd[0], SHUT_RD));
	TRY("the peer ends", shutdown(fd[1], SHUT_WR));
	pause_ms(NOTHING_MS); /* the end has come: nothing shows it */
	TRY("the peer resets", connect(fd[1], &unconnected, sizeof(unconnected)));
	WAIT(all_events(fd[0]) & POLLHUP);
	say("recv", "%s", received(fd[0], MSG_DONTWAIT));
	say("the error stays", "%s", socket_error(fd[0]));
	close_pair(fd);
}

static void linger(int af)
{
	int fd[2];
	char c;

	about("tcp%d linger", digit(af));
	stream_pair(af, fd);
	set_linger(fd[0], 1, 5);
	MUST(send(fd[0], "slowly", 6, 0));
	TRY("close with a time", close(fd[0]));
	say("the data come", "%s", received(fd[1], 0));
	say("then the end", "%s", received(fd[1], 0));
	close(fd[1]);
	stream_pair(af, fd);
	set_linger(fd[0], 1, 0);
	set_linger(fd[0], 0, 0);
	MUST(send(fd[0], "not lost", 8, 0));
	close(fd[0]);
	say("switched off again", "%s", received(fd[1], 0));
	say("switched off again, then", "%s", received(fd[1], 0));
	close(fd[1]);
	/* shutdown() ends in order, whatever SO_LINGER says. */
	stream_pair(af, fd);
	set_linger(fd[0], 1, 0);
	MUST(send(fd[0], "x", 1, 0));
	shutdown(fd[0], SHUT_WR);
	say("shutdown", "%s", received(fd[1], 0));
	say("shutdown, then", "%s", received(fd[1], 0));
	close(fd[1]);
	WAIT(all_events(fd[0]) & POLLHUP);
	TRY("the other way", recv(fd[0], &c, 1, 0));
	close(fd[0]);
}

/* With a linger time, close() waits for the peer, which does not read. */
static void linger_waits(void)
{
	static char much[1 << 20];
	int64_t start;
	int fd[2];

	about("tcp4 linger");
	stream_pair(AF_INET, fd);
	set_blocking(fd[0], false);
	for (int full = 0; full < 10; pause_ms(10))
		full = send(fd[0], much, sizeof(much), MSG_NOSIGNAL) > 0 ? 0 : full + 1;
	set_linger(fd[0], 1, VAIN_MS / 1000);
	start = now_ms();
	MUST(close(fd[0]));
	say("close with a time waits for the peer", "%d", now_ms() - start >= VAIN_MS - 100);
	close(fd[1]);
}

/* A killed program's connections end: by a reset if data is unread, else in order. */
static void killed(int af)
{
	int fd[2], status;
	pid_t pid;

	about("tcp%d killed", digit(af));
	for (int unread = 0; unread < 2; unread++) {
		stream_pair(af, fd);
		fflush(stdout);
		pid = fork();
		if (!pid) {
			MUST(write(fd[1], "alive", 5));
			pause();
			_exit(0);
		}
		close(fd[1]);
		say(unread ? "unread: before" : "before", "%s", received(fd[0], 0));
		if (unread) {
			int left = 1;

			MUST(send(fd[0], "unread", 6, 0));
			/* until it is there */
			WAIT(ioctl(fd[0], SIOCOUTQ, &left) == 0 && left == 0);
		}
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		WAIT(all_events(fd[0]) & POLLRDHUP);
		say(unread ? "unread: the peer sees" : "the peer sees", "%s", tell(BY_RECV, fd[0]));
		close(fd[0]);
	}
}

/* A program that sets SO_REUSEADDR can listen on the port again at once. */
static void again(int af)
{
	struct addr addr;
	int at = bound(af, SOCK_STREAM, &addr), fd, conn;

	about("tcp%d again", digit(af));
	MUST(set_option(at, SOL_SOCKET, SO_REUSEADDR, 1));
	MUST(listen(at, 1));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	close(conn);
	say("the end", "%s", received(fd, 0));
	close(at);
	at = new_socket(af, SOCK_STREAM);
	TRY("without SO_REUSEADDR", bind(at, ADDR(&addr)));
	MUST(set_option(at, SOL_SOCKET, SO_REUSEADDR, 1));
	close(fd);
	TRY("with SO_REUSEADDR", bind(at, ADDR(&addr)));
	TRY("listen", listen(at, 1));
	close(at);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		orderly(af);
		late_reader(af);
		after_reading(af);
		reset(af);
		reset_of_shut(af);
		reset_of_ended(af);
		linger(af);
		killed(af);
		again(af);
	}
	linger_waits();
	return 0;
}
