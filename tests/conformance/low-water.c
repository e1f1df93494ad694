/* SPDX-License-Identifier: Apache-2.0 */
/* low-water.c - SO_RCVLOWAT: which calls wait for how much */
#include <sys/epoll.h>

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

/* What an epoll set says of it, after at most @ms. */
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
	int fd[2], level, edge;

	about("tcp%d polls", digit(af));
	low_pair(af, fd);
	level = watch(fd[1], 0);
	edge = watch(fd[1], EPOLLET);
	say("nothing", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	put(fd[0], "abc", fd[1]);
	say("below: poll", "%s", events_text(poll_for(fd[1], POLLIN, 0)));
	FD_ZERO(&readable);
	FD_SET(fd[1], &readable);
	TRY("below: select", select(fd[1] + 1, &readable, NULL, NULL, &none));
	say("below: level", "%s", events_text(waits(level, 0)));
	say("below: edge", "%s", events_text(waits(edge, 0)));
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
	close_pair(fd);
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

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		receives(af);
		polls(af);
		inherited(af);
	}
	return 0;
}
