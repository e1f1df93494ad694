/* SPDX-License-Identifier: Apache-2.0 */
/* connecting.c - connect in every state: made, refused, under way, again, ended, to odd addresses
 */
#include "tests/conformance/jobs.h"
#include "tests/conformance/slow.h"

static void plain(int af)
{
	struct addr addr, none = nobody(af), end = unspec();
	int at = listener(af, 0, &addr), fd, conn;

	about("tcp%d", digit(af));
	fd = new_socket(af, SOCK_STREAM);
	TRY("refused", connect(fd, ADDR(&none)));
	say("refused: SO_ERROR", "%s", socket_error(fd));
	say("refused: events", "%s", events_text(all_events(fd)));
	TRY("the same socket again", connect(fd, ADDR(&addr)));
	TRY("twice", connect(fd, ADDR(&addr)));
	TRY("to another peer", connect(fd, ADDR(&none)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("it works", "%s", exchange(fd, conn));
	TRY("AF_UNSPEC ends it", connect(fd, ADDR(&end)));
	say("the other sees", "%s", received(conn, 0));
	TRY("getpeername then", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	TRY("send then", send(fd, "x", 1, 0));
	TRY("recv then", recv(fd, &(char){0}, 1, MSG_DONTWAIT));
	close(conn);
	TRY("and another connection", connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("which works", "%s", exchange(fd, conn));
	close(fd);
	close(conn);

	fd = new_socket(af, SOCK_STREAM);
	TRY("AF_UNSPEC when new", connect(fd, ADDR(&end)));
	TRY("then listen", listen(fd, 5));
	TRY("a listener connects", connect(fd, ADDR(&addr)));
	close(fd);

	fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	TRY("made before a shutdown", connect(fd, ADDR(&addr)));
	WAIT(all_events(fd) & POLLOUT);
	TRY("the shutdown", shutdown(fd, SHUT_WR));
	TRY("connect after a shutdown", connect(fd, ADDR(&addr)));
	close(fd);
	close(at);
}

static void odd_addresses(int af, int type)
{
	struct addr addr = loopback(af, 9), other = loopback(af == AF_INET ? AF_INET6 : AF_INET, 9);
	struct addr anybody = wildcard(af, 9), long_one = addr, seen;
	int fd = new_socket(af, type);

	about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
	TRY("too short", connect(fd, &addr.sa, 4));
	TRY("one byte", connect(fd, &addr.sa, 1));
	TRY("no length", connect(fd, &addr.sa, 0));
	TRY("negative length", connect(fd, &addr.sa, (socklen_t)-1));
	TRY("much too long", connect(fd, &addr.sa, 500));
	TRY("bad pointer", connect(fd, bad_address(), sizeof(addr.in)));
	if (af == AF_INET6)
		TRY("IPv4", connect(fd, ADDR(&other)) == 0 || errno);
	else
		TRY("IPv6", connect(fd, ADDR(&other)));
	addr.sa.sa_family = AF_UNIX;
	TRY("AF_UNIX", connect(fd, ADDR(&addr)));
	addr.sa.sa_family = 77;
	TRY("unknown family", connect(fd, ADDR(&addr)));
	close(fd);
	fd = new_socket(af, type);
	/* The host itself */
	if (type == SOCK_STREAM) {
		int at = listener(af, 0, &anybody);

		long_one = wildcard(af, port_of(&anybody));
		TRY("to the wildcard", connect(fd, ADDR(&long_one)));
		seen = peer_of(fd);
		say("to the wildcard: whose name is", "%s", text_of(&seen));
		close(at);
	} else {
		TRY("to the wildcard", connect(fd, ADDR(&anybody)));
		seen = peer_of(fd);
		say("to the wildcard: whose name is", "%s", text_of(&seen));
	}
	close(fd);
	fd = new_socket(af, type);
	long_one = numeric(af == AF_INET ? "255.255.255.255" : "ff02::1", 9);
	TRY("to everybody", connect(fd, ADDR(&long_one)));
	close(fd);
	fd = new_socket(af, type);
	long_one = numeric(af == AF_INET ? "192.0.2.1" : "2001:db8::1", 9);
	TRY("no route", connect(fd, ADDR(&long_one)));
	close(fd);
	fd = new_socket(af, type);
	long_one = numeric(af == AF_INET ? "127.0.0.1" : "::1", 0);
	TRY("port 0", connect(fd, ADDR(&long_one)) == 0 || errno == ECONNREFUSED);
	close(fd);
}

static void not_blocking(int af)
{
	struct addr addr, none = nobody(af);
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK), conn, rc;

	about("tcp%d not blocking", digit(af));
	rc = connect(fd, ADDR(&addr));
	say("at once or later", "%d", rc == 0 || errno == EINPROGRESS);
	say("made", "%s", events_with(fd, POLLOUT));
	say("SO_ERROR", "%s", socket_error(fd));
	rc = rc < 0 ? connect(fd, ADDR(&addr)) : 0;
	say("told", "%d", rc);
	TRY("then", connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("it works", "%s", exchange(conn, fd));
	TRY("still not blocking", recv(fd, &(char){0}, 1, 0));
	close(conn);
	close(fd);

	fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	rc = connect(fd, ADDR(&none));
	say("refused at once or later", "%d",
	    rc < 0 && (errno == ECONNREFUSED || errno == EINPROGRESS));
	if (rc < 0 && errno == EINPROGRESS) {
		WAIT(all_events(fd) & POLLHUP);
		say("refused: SO_ERROR", "%s", socket_error(fd));
	} else {
		say("refused: SO_ERROR", "ECONNREFUSED");
	}
	say("refused: SO_ERROR again", "%s", socket_error(fd));
	TRY("refused: getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	TRY("refused: send", send(fd, "x", 1, 0));
	TRY("refused: recv", recv(fd, &(char){0}, 1, 0));
	TRY("it must be told", connect(fd, ADDR(&addr)));
	rc = connect(fd, ADDR(&addr));
	say("another try, at once or later", "%d", rc == 0 || errno == EINPROGRESS);
	WAIT(all_events(fd) == POLLOUT);
	say("another try", "%s", events_text(all_events(fd)));
	set_time_limit(at, SO_RCVTIMEO, WAIT_MS);
	conn = (int)MUST(accept(at, NULL, NULL));
	say("which works", "%s", exchange(conn, fd));
	close(fd);
	close(conn);
	close(at);
}

static void under_way(int af)
{
	struct addr slow = slow_addr(af, 0), name, end = unspec();
	struct job job;
	int fd, again;

	about("tcp%d under way", digit(af));
	slow_fill();
	fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	TRY("connect", connect(fd, ADDR(&slow)));
	TRY("again", connect(fd, ADDR(&slow)));
	say("events", "%s", events_text(all_events(fd)));
	say("SO_ERROR", "%s", socket_error(fd));
	TRY("getpeername", getpeername(fd, &(struct sockaddr){0}, &(socklen_t){0}));
	name = name_of(fd);
	say("its own name", "%s", text_of(&name));
	TRY("send", send(fd, "x", 1, 0));
	TRY("recv", recv(fd, &(char){0}, 1, 0));
	TRY("listen", listen(fd, 1));
	TRY("bind", bind(fd, ADDR(&name)));
	TRY("FIONREAD", bytes_there(fd));
	again = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	TRY("a second one", connect(again, ADDR(&slow)));
	TRY("which is given up", connect(again, ADDR(&end)));
	say("given up: events", "%s", events_text(all_events(again)));
	TRY("given up: listen", listen(again, 1));
	close(again);
	again = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	TRY("a third one", connect(again, ADDR(&slow)));
	TRY("which is shut down", shutdown(again, SHUT_RDWR));
	say("shut down: events", "%s", events_with(again, POLLHUP));
	close(again);

	/* Without O_NONBLOCK the same call waits. */
	set_blocking(fd, true);
	job_block(&job, JOB_CONNECT, fd, &slow);
	slow_let_in();
	job_say("it waits until it is made", &job);
	say("made: SO_ERROR", "%s", socket_error(fd));
	TRY("made: connect", connect(fd, ADDR(&slow)));
	TRY("made: getpeername", getpeername(fd, &name.sa, &name.len));
	close(fd);
}

/* The connection is made and lost before a call has told the program of either. */
static void lost_untold(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd, conn, rc;

	for (int asks = 0; asks < 2; asks++) {
		about("tcp%d made and lost, %s", digit(af), asks ? "asked" : "not asked");
		fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
		rc = connect(fd, ADDR(&addr));
		say("at once or later", "%d", rc == 0 || errno == EINPROGRESS);
		conn = (int)MUST(accept(at, NULL, NULL));
		MUST(send(fd, "x", 1, 0));
		WAIT(bytes_there(conn) == 1);
		close(conn); /* with a byte unread: a reset */
		WAIT(all_events(fd) & POLLHUP);
		if (asks)
			say("SO_ERROR", "%s", socket_error(fd));
		TRY("connect tells it", connect(fd, ADDR(&addr)));
		rc = connect(fd, ADDR(&addr));
		say("another try, at once or later", "%d", rc == 0 || errno == EINPROGRESS);
		WAIT(all_events(fd) == POLLOUT);
		conn = (int)MUST(accept(at, NULL, NULL));
		say("which works", "%s", exchange(conn, fd));
		close(fd);
		close(conn);
	}
	close(at);
}

/* A signal interrupts a connect() that waits for an unanswered connection. */
static void interrupted(int af)
{
	struct addr slow = slow_addr(af, 0);
	struct job job;
	int fd;

	about("tcp%d interrupted", digit(af));
	slow_fill();
	fd = new_socket(af, SOCK_STREAM);
	catch_signal(SIGUSR1, 0);
	job_block(&job, JOB_CONNECT, fd, &slow);
	pthread_kill(job.thread, SIGUSR1);
	job_say("connect", &job);
	set_blocking(fd, false);
	TRY("it goes on", connect(fd, ADDR(&slow)));
	set_blocking(fd, true);
	catch_signal(SIGUSR1, SA_RESTART);
	job_block(&job, JOB_CONNECT, fd, &slow);
	pthread_kill(job.thread, SIGUSR1);
	say("with SA_RESTART", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	slow_let_in();
	job_say("with SA_RESTART, then", &job);
	say("signals", "%d", (int)signals_seen);
	TRY("made", connect(fd, ADDR(&slow)));
	close(fd);
}

/* The connect() waits and is finally refused. */
static void refused_late(int af)
{
	struct addr slow = slow_addr(af, 0);
	struct job job;
	int fd, waiting;

	about("tcp%d refused late", digit(af));
	slow_fill();
	fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK);
	TRY("connect", connect(fd, ADDR(&slow)));
	waiting = new_socket(af, SOCK_STREAM);
	job_block(&job, JOB_CONNECT, waiting, &slow);
	slow_refuse();
	job_say("the waiting call", &job);
	/* POLLOUT may come a moment after POLLERR: docs/near-ends.md. */
	WAIT((all_events(fd) & (POLLERR | POLLOUT)) == (POLLERR | POLLOUT));
	say("events", "%s", events_text(all_events(fd)));
	say("SO_ERROR", "%s", socket_error(fd));
	say("SO_ERROR again", "%s", socket_error(fd));
	say("events then", "%s", events_text(all_events(fd)));
	close(fd);
	close(waiting);
}

/* To itself: a port may connect to its own name. */
static void to_itself(int af)
{
	struct addr addr;
	int fd = bound(af, SOCK_STREAM, &addr);
	struct addr name, peer;

	about("tcp%d to itself", digit(af));
	TRY("connect", connect(fd, ADDR(&addr)));
	name = name_of(fd), peer = peer_of(fd);
	say("one name", "%d", same_addr(&name, &peer));
	say("data", "%s", exchange(fd, fd));
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		plain(af);
		odd_addresses(af, SOCK_STREAM);
		odd_addresses(af, SOCK_DGRAM);
		not_blocking(af);
		lost_untold(af);
		under_way(af);
		interrupted(af);
		refused_late(af);
		to_itself(af);
	}
	return 0;
}
