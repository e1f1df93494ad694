/* SPDX-License-Identifier: Apache-2.0 */
/* forced.c - differences that a UNIX socket in place of an Internet one could show */
#include <sys/epoll.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tests/conformance/jobs.h"
#include "tests/conformance/slow.h"

/* Calls on a socket whose connect() waits in another thread. */
static void seen_waiting(int af)
{
	struct addr slow = slow_addr(af, 0);
	struct job job;
	int fd = new_socket(af, SOCK_STREAM);

	about("tcp%d a connect that waits", digit(af));
	slow_fill();
	job_block(&job, JOB_CONNECT, fd, &slow);
	say("events", "%s", events_text(all_events(fd)));
	slow_let_in();
	job_say("it is made", &job);
	say("then", "%s", events_text(all_events(fd)));
	close(fd);
}

enum before { REFUSED, DISSOLVED };

/* The socket's connection before, which was refused or has been dissolved. */
static void connected_before(int fd, enum before before, int at, const struct addr *addr,
			     const struct addr *none)
{
	struct addr end = unspec();

	if (before == REFUSED) {
		connect(fd, ADDR(none));
		WAIT(all_events(fd) & POLLHUP);
		socket_error(fd);
		return;
	}
	connect(fd, ADDR(addr));
	close((int)MUST(accept(at, NULL, NULL)));
	MUST(connect(fd, ADDR(&end)));
}

/* Another connection on a socket that a child holds too, and an epoll set. */
static void connects_again(int af, enum before before)
{
	struct addr addr, none = nobody(af);
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM | SOCK_NONBLOCK), conn;
	int set = epoll_create1(0), go[2], status;
	struct epoll_event event = {.events = EPOLLIN};
	pid_t pid;

	about("tcp%d %s, connects again", digit(af), before == REFUSED ? "refused" : "dissolved");
	MUST(pipe(go));
	MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	connected_before(fd, before, at, &addr, &none);
	fflush(stdout);
	pid = (pid_t)MUST(fork());
	if (!pid) {
		char c;

		if (read(go[0], &c, 1) != 1)
			_exit(2);
		_exit(send(fd, "c", 1, MSG_NOSIGNAL) == 1 ? 0 : 1);
	}
	if (connect(fd, ADDR(&addr)) < 0 && errno != EINPROGRESS)
		connect(fd, ADDR(&addr)); /* all pending events are reported */
	say("connected", "%s", events_with(fd, POLLOUT));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("data", "%s", exchange(fd, conn));
	MUST(send(conn, "e", 1, 0));
	readable(fd);
	TRY("the epoll set", epoll_wait(set, &event, 1, NOTHING_MS));
	MUST(write(go[1], "g", 1));
	waitpid(pid, &status, 0);
	say("a child that holds it sends", "%d",
	    WIFEXITED(status) && !WEXITSTATUS(status) && readable(conn));
	close(go[0]);
	close(go[1]);
	close(set);
	close(conn);
	close(fd);
	close(at);
}

/* A child ends sending, and its connect() is refused: the socket that the parent holds, too. */
static void refused_elsewhere(int af)
{
	struct addr none = nobody(af);
	int fd = new_socket(af, SOCK_STREAM), status;
	pid_t pid;

	about("tcp%d shut and refused in a child", digit(af));
	fflush(stdout);
	pid = (pid_t)MUST(fork());
	if (!pid) {
		shutdown(fd, SHUT_WR);
		connect(fd, ADDR(&none));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	TRY("send", send(fd, "x", 1, MSG_NOSIGNAL));
	close(fd);
}

static void urgent_alone(int af)
{
	int fd[2];

	about("tcp%d urgent data alone", digit(af));
	stream_pair(af, fd);
	MUST(send(fd[0], "!", 1, MSG_OOB));
	WAIT(all_events(fd[1]) & POLLPRI);
	say("events", "%s", events_text(all_events(fd[1])));
	close_pair(fd);
}

static void reset_by_peer(int af, int fd[2])
{
	const struct linger none = {.l_onoff = 1};

	stream_pair(af, fd);
	MUST(setsockopt(fd[1], SOL_SOCKET, SO_LINGER, &none, sizeof(none)));
	close(fd[1]);
	WAIT(all_events(fd[0]) & POLLHUP);
}

/* Other reading calls report a reset, too. */
static void other_reads(int af)
{
	char c;
	struct iovec iov = {&c, 1};
	int fd[2], out[2];
	FILE *file;

	about("tcp%d reset", digit(af));
	MUST(pipe(out));
	reset_by_peer(af, fd);
	TRY("splice", splice(fd[0], NULL, out[1], NULL, 1, 0));
	close(fd[0]);
	reset_by_peer(af, fd);
	TRY("preadv2", preadv2(fd[0], &iov, 1, -1, 0));
	close(fd[0]);
	reset_by_peer(af, fd);
	file = fdopen(fd[0], "r");
	if (file) {
		errno = 0;
		c = (char)(getc(file) == EOF);
		say("getc", "end %d, %s", c, error_name(errno));
		fclose(file);
	}
	close(out[0]);
	close(out[1]);
}

/* A listener by another descriptor, which the library has not seen listen. */
static void listener_copy(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), copy = (int)MUST(dup(at));
	char c;

	about("tcp%d a listener's copy", digit(af));
	TRY("recv", recv(copy, &c, 1, MSG_DONTWAIT));
	close(copy);
	close(at);
}

/* Errors that write(2) reports too late. */
static void late_answers(void)
{
	static char large[65508];
	struct addr addr[2], other = numeric("10.9.0.2", 9);
	int fd[2];

	about("udp4 too long");
	fd[0] = bound(AF_INET, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(AF_INET, SOCK_DGRAM, &addr[1]);
	MUST(connect(fd[0], ADDR(&addr[1])));
	TRY("write", write(fd[0], large, sizeof(large)));
	WAIT(all_events(fd[0]) & POLLOUT);
	close_pair(fd);

	about("udp4 too long for the way");
	fd[0] = new_socket(AF_INET, SOCK_DGRAM);
	MUST(set_option(fd[0], IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO));
	MUST(connect(fd[0], ADDR(&other)));
	TRY("short", send(fd[0], large, 100, 0));
	TRY("long", send(fd[0], large, 3000, 0));
	close(fd[0]);
}

/* A handler without SA_RESTART, and calls that do not wait. */
static void interrupted_early(int af)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {0};
	int fd = new_socket(af, SOCK_STREAM), seen = 0;
	int64_t end = now_ms() + VAIN_MS;

	about("tcp%d signals", digit(af));
	catch_signal(SIGALRM, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 20000 && !seen && now_ms() < end; i++)
		seen = set_option(fd, SOL_SOCKET, SO_KEEPALIVE, i & 1) < 0 && errno == EINTR;
	setitimer(ITIMER_REAL, &never, NULL);
	say("setsockopt says EINTR", "%d", seen);
	close(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		seen_waiting(af);
		connects_again(af, REFUSED);
		connects_again(af, DISSOLVED);
		refused_elsewhere(af);
		urgent_alone(af);
		other_reads(af);
		listener_copy(af);
		interrupted_early(af);
	}
	late_answers();
	return 0;
}
