/* SPDX-License-Identifier: Apache-2.0 */
/* low-water.c - SO_RCVLOWAT: which calls wait for how much */
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/conformance/jobs.h"

enum { LOW = 5 };

/* Connected; fd[1] has the option. */
static void low_pair(int af, int fd[2])
{
	stream_pair(af, fd);
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, LOW));
}

static void put(int fd, const char *text, int to)
{
	MUST(send(fd, text, strlen(text), 0));
	wait_bytes(to, (int)strlen(text));
}

static void receives(int af)
{
	struct job job;
	char buf[64];
	int fd[2];

	about("tcp%d", digit(af));
	low_pair(af, fd);
	put(fd[0], "abc", fd[1]);
	TRY("below: FIONREAD", bytes_there(fd[1]));
	TRY("below: peek without waiting", recv(fd[1], buf, 64, MSG_PEEK | MSG_DONTWAIT));
	TRY("below: recv without waiting", recv(fd[1], buf, 64, MSG_DONTWAIT));
	TRY("below: nothing more", recv(fd[1], buf, 64, MSG_DONTWAIT));
	put(fd[0], "abc", fd[1]);
	TRY("below: recv of fewer", recv(fd[1], buf, 2, 0));
	MUST(recv(fd[1], buf, 1, 0));

	job_block(&job, JOB_RECV, fd[1], NULL);
	MUST(send(fd[0], "abc", 3, 0));
	say("recv of more", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(send(fd[0], "de", 2, 0));
	say("recv of more, at it", "%ld", job_result(&job));

	MUST(send(fd[0], "abcdef", 6, 0));
	job_block(&job, JOB_WAITALL, fd[1], NULL);
	say("MSG_WAITALL", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(send(fd[0], "ghi", 3, 0));
	say("MSG_WAITALL, 3 more", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	shutdown(fd[0], SHUT_WR);
	say("MSG_WAITALL, the end", "%ld", job_result(&job));
	close_pair(fd);

	low_pair(af, fd);
	MUST(send(fd[0], "abc", 3, 0));
	job_block(&job, JOB_READ, fd[1], NULL);
	shutdown(fd[0], SHUT_WR);
	say("read, then the end", "%ld", job_result(&job));
	say("at the end", "%s", events_with(fd[1], POLLIN | POLLRDHUP));
	TRY("at the end: recv", recv(fd[1], buf, 64, 0));
	close_pair(fd);
}

/* The events that an epoll set reports, after at most @ms. */
static unsigned int waits(int set, int ms)
{
	struct epoll_event event = {.events = 0};

	return epoll_wait(set, &event, 1, ms) == 1 ? event.events : 0;
}

static int watch(int fd, unsigned int how)
{
	struct epoll_event event = {.events = EPOLLIN | how};
	int set = (int)MUST(epoll_create1(0));

	MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
	return set;
}

static void polls(int af)
{
	struct timeval none = {0};
	fd_set readable;
	int fd[2], level, edge, once;

	about("tcp%d polls", digit(af));
	low_pair(af, fd);
	level = watch(fd[1], 0);
	once = watch(fd[1], EPOLLONESHOT);
	edge = watch(fd[1], EPOLLET);
	say("nothing", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	put(fd[0], "abc", fd[1]);
	say("below: poll", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	FD_ZERO(&readable);
	FD_SET(fd[1], &readable);
	TRY("below: select", select(fd[1] + 1, &readable, NULL, NULL, &none));
	say("below: level", "%s", events_text(waits(level, 0)));
	say("below: edge", "%s", events_text(waits(edge, 0)));
	say("below: once", "%s", events_text(waits(once, 0)));
	MUST(send(fd[0], "de", 2, 0));
	wait_bytes(fd[1], LOW);
	say("at it: poll", "%s", events_text(poll_for(fd[1], POLLIN, WAIT_MS)));
	FD_ZERO(&readable);
	FD_SET(fd[1], &readable);
	none = (struct timeval){0};
	TRY("at it: select", select(fd[1] + 1, &readable, NULL, NULL, &none));
	say("at it: level", "%s", events_text(waits(level, WAIT_MS)));
	say("at it: edge", "%s", events_text(waits(edge, WAIT_MS)));
	MUST(recv(fd[1], (char[4]){0}, 4, MSG_DONTWAIT));
	say("a part is read: poll", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, 1));
	say("lowered: poll", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, LOW));
	say("raised: poll", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	shutdown(fd[0], SHUT_WR);
	say("below, and the end: poll", "%s", events_with(fd[1], POLLIN | POLLRDHUP));
	close(level);
	close(edge);
	close(once);
	close_pair(fd);
}

/* Calls that wait: for the rest, for the end, and for a lower mark. */
static void wakes(int af, const char *what, enum job_call call, unsigned int how)
{
	struct job job;
	int fd[2], at;

	about("tcp%d %s waits", digit(af), what);
	low_pair(af, fd);
	at = call == JOB_EPOLL ? watch(fd[1], how) : fd[1];
	job_block(&job, call, at, NULL);
	MUST(send(fd[0], "abc", 3, 0));
	say("below", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(send(fd[0], "de", 2, 0));
	say("at it", "%ld", job_result(&job));
	MUST(recv(fd[1], (char[8]){0}, 5, 0));

	put(fd[0], "abc", fd[1]);
	job_start(&job, call, at, NULL);
	say("below, again", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(recv(fd[1], (char[8]){0}, 2, MSG_DONTWAIT));
	MUST(send(fd[0], "def", 3, 0));
	say("below, a part was read", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(send(fd[0], "g", 1, 0));
	say("the rest", "%ld", job_result(&job));
	MUST(recv(fd[1], (char[8]){0}, 5, 0));

	put(fd[0], "abc", fd[1]);
	if (!(how & EPOLLET)) {
		job_start(&job, call, at, NULL);
		say("not lowered", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
		MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, 3));
		say("lowered", "%ld", job_result(&job));
		MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, LOW));
	}
	job_start(&job, call, at, NULL);
	say("not the end", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	shutdown(fd[0], SHUT_WR);
	say("the end", "%ld", job_result(&job));
	if (at != fd[1])
		close(at);
	close_pair(fd);
}

/* Others are ready besides. */
static void among(int af)
{
	int fd[3][2], set = epoll_create1(0), outer = watch(set, 0);
	struct epoll_event event, events[8];
	struct pollfd pfds[3];
	struct timeval none = {0};
	fd_set readable;

	about("tcp%d among others", digit(af));
	for (int i = 0; i < 3; i++) {
		low_pair(af, fd[i]);
		event = (struct epoll_event){.events = EPOLLIN, .data.u32 = (uint32_t)i};
		MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd[i][1], &event));
		pfds[i] = (struct pollfd){.fd = fd[i][1], .events = POLLIN};
	}
	put(fd[0][0], "abc", fd[0][1]);
	put(fd[1][0], "abc", fd[1][1]);
	TRY("all below: poll", poll(pfds, 3, 0));
	TRY("all below: a set of sets", poll_for(outer, POLLIN, 0));
	TRY("all below: poll of a set", poll_for(set, POLLIN, 0));
	TRY("all below: epoll_wait", epoll_wait(set, events, 8, 0));
	TRY("all below: one at a time", epoll_wait(set, events, 1, 0));
	TRY("all below: for a while", poll(pfds, 3, 50));
	TRY("all below: epoll_wait for a while", epoll_wait(set, events, 1, 50));
	put(fd[2][0], "abcde", fd[2][1]);
	poll_for(fd[2][1], POLLIN, WAIT_MS);
	TRY("one at it: poll", poll(pfds, 3, 0));
	say("one at it: it", "%d%d%d", pfds[0].revents != 0, pfds[1].revents != 0,
	    pfds[2].revents != 0);
	FD_ZERO(&readable);
	for (int i = 0; i < 3; i++)
		FD_SET(fd[i][1], &readable);
	TRY("one at it: select", select(fd[2][1] + 1, &readable, NULL, NULL, &none));
	say("one at it: its bit", "%d%d%d", FD_ISSET(fd[0][1], &readable) != 0,
	    FD_ISSET(fd[1][1], &readable) != 0, FD_ISSET(fd[2][1], &readable) != 0);
	for (int i = 0; i < 4; i++) {
		int rc = epoll_wait(set, events, 1, 0);
		char name[40];

		snprintf(name, sizeof(name), "one at it: epoll_wait %d", i);
		say(name, "%d: %u", rc, events[0].data.u32);
	}
	TRY("one at it: epoll_wait of all", epoll_wait(set, events, 8, 0));
	TRY("one at it: a set of sets", epoll_wait(outer, events, 8, 0));
	for (int i = 0; i < 3; i++)
		close_pair(fd[i]);
	close(outer);
	close(set);
}

/* The mark goes with the socket: to a copy, to a child, to calls by number. */
static void copies(int af)
{
	struct timespec none = {0};
	struct pollfd pfd;
	int fd[2], copy, status;
	pid_t pid;

	about("tcp%d copies", digit(af));
	low_pair(af, fd);
	put(fd[0], "abc", fd[1]);
	copy = dup(fd[1]);
	say("dup", "%s", events_text(poll_for(copy, POLLIN, 0)));
	pfd = (struct pollfd){.fd = copy, .events = POLLIN | POLLRDNORM};
	TRY("by number", syscall(SYS_ppoll, &pfd, 1, &none, NULL, 0));
	TRY("ppoll", ppoll(&pfd, 1, &none, NULL));
	pid = fork();
	if (!pid)
		_exit(poll_for(fd[1], POLLIN, 0) != 0);
	MUST(waitpid(pid, &status, 0));
	TRY("child", WEXITSTATUS(status));
	MUST(send(fd[0], "de", 2, 0));
	say("dup, at it", "%s", events_text(poll_for(copy, POLLIN, WAIT_MS)));
	close(copy);
	close_pair(fd);
}

static void interrupted(int af)
{
	/* A call that does not wait must not leave its timer, which would interrupt a later
	 * call. */
	const struct itimerval soon = {.it_value.tv_usec = 50000}, never = {0};
	struct timeval limit = {.tv_usec = 60000};
	struct epoll_event event;
	fd_set readable;
	int fd[2], set;

	about("tcp%d a signal", digit(af));
	low_pair(af, fd);
	set = watch(fd[1], 0);
	put(fd[0], "abc", fd[1]);
	catch_signal(SIGALRM, SA_RESTART);
	setitimer(ITIMER_REAL, &soon, NULL);
	TRY("poll", poll(&(struct pollfd){.fd = fd[1], .events = POLLIN}, 1, WAIT_MS));
	setitimer(ITIMER_REAL, &soon, NULL);
	TRY("epoll_wait", epoll_wait(set, &event, 1, WAIT_MS));
	FD_ZERO(&readable);
	FD_SET(fd[1], &readable);
	setitimer(ITIMER_REAL, &soon, NULL);
	TRY("pselect", pselect(fd[1] + 1, &readable, NULL, NULL, NULL, NULL));
	setitimer(ITIMER_REAL, &never, NULL);
	say("signals", "%d", (int)signals_seen);
	FD_ZERO(&readable);
	FD_SET(fd[1], &readable);
	TRY("select, its time", select(fd[1] + 1, &readable, NULL, NULL, &limit));
	say("select, time left", "%ld.%06ld", (long)limit.tv_sec, (long)limit.tv_usec);
	say("select, set", "%d", FD_ISSET(fd[1], &readable) != 0);
	close(set);
	close_pair(fd);
}

/* More pieces than a UNIX socket has room for. */
static void pieces(int af)
{
	enum { MUCH_LOW = 4000 };
	int fd[2];

	about("tcp%d pieces", digit(af));
	low_pair(af, fd);
	MUST(set_option(fd[0], IPPROTO_TCP, TCP_NODELAY, 1));
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVLOWAT, MUCH_LOW));
	for (int i = 0; i < MUCH_LOW; i++)
		MUST(send(fd[0], "x", 1, 0));
	say("all", "%s", events_text(poll_for(fd[1], POLLIN, WAIT_MS)));
	close_pair(fd);
}

/* The urgent byte has arrived, but recv() does not return it. */
static void urgent(int af)
{
	int fd[2];

	about("tcp%d urgent", digit(af));
	low_pair(af, fd);
	MUST(send(fd[0], "X", 1, MSG_OOB));
	poll_for(fd[1], POLLPRI, WAIT_MS);
	MUST(send(fd[0], "bcde", 4, 0));
	WAIT(bytes_there(fd[1]) >= 0 && sockatmark(fd[1]) == 1);
	poll_for(fd[1], POLLIN, VAIN_MS);
	say("below", "%s", events_text(poll_for(fd[1], POLLIN | POLLPRI, 0)));
	MUST(send(fd[0], "f", 1, 0));
	say("at it", "%s", events_with(fd[1], POLLIN));
	close_pair(fd);
}

static void of_listener(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd = new_socket(af, SOCK_STREAM), set;

	about("tcp%d listener", digit(af));
	MUST(set_option(at, SOL_SOCKET, SO_RCVLOWAT, 4000));
	set = watch(at, 0);
	MUST(connect(fd, ADDR(&addr)));
	say("poll", "%s", events_text(poll_for(at, POLLIN, WAIT_MS)));
	say("epoll", "%s", events_text(waits(set, WAIT_MS)));
	close(set);
	close(fd);
	close(at);
}

static void inherited(int af)
{
	struct addr addr;
	struct job job;
	int at = listener(af, 0, &addr), fd, conn;

	about("tcp%d accepted", digit(af));
	MUST(set_option(at, SOL_SOCKET, SO_RCVLOWAT, LOW));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("it", get_option(conn, SOL_SOCKET, SO_RCVLOWAT));
	job_block(&job, JOB_RECV, conn, NULL);
	MUST(send(fd, "abc", 3, 0));
	say("recv", "%s", job_blocks(&job) ? "it waits" : "it does not wait");
	MUST(send(fd, "de", 2, 0));
	say("recv, at it", "%ld", job_result(&job));
	close(conn);
	close(fd);
	close(at);
}

/* TCP copies the listener's mark when the connection is made (sk_clone_lock()). */
static void inherited_late(int af)
{
	struct addr addr;
	int at = listener(af, 0, &addr), fd, conn;

	about("tcp%d mark set while a connection waits", digit(af));
	fd = new_socket(af, SOCK_STREAM);
	MUST(connect(fd, ADDR(&addr)));
	MUST(set_option(at, SOL_SOCKET, SO_RCVLOWAT, LOW));
	conn = (int)MUST(accept(at, NULL, NULL));
	TRY("the mark of the accepted socket", get_option(conn, SOL_SOCKET, SO_RCVLOWAT));
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
		receives(af);
		polls(af);
		wakes(af, "poll", JOB_POLL, 0);
		wakes(af, "select", JOB_SELECT, 0);
		wakes(af, "epoll_wait, level", JOB_EPOLL, 0);
		wakes(af, "epoll_wait, edge", JOB_EPOLL, EPOLLET);
		among(af);
		copies(af);
		interrupted(af);
		pieces(af);
		urgent(af);
		of_listener(af);
		inherited(af);
		inherited_late(af);
	}
	return 0;
}
