/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connections that take their time; natively and on LFP it must be the same text
 *
 *	connect host PORT	the other side
 *	connect run HOST PORT
 *
 * The host listens on PORT with a backlog that is full, so that connect() waits. On PORT + 1 it
 * takes orders, one byte a connection: f(ull) begins anew, g(o) lets all in and echoes what they
 * send, r(efuse) listens no more; in capitals the same, but LATER_MS later.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "tests/system/connect-host.h"
#include "tests/system/interrupt.h"

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

static int try(int fd)
{
	return connect(fd, ADDR(&target));
}

static void say_events(const char *what, unsigned int events)
{
	printf("%s:%s%s%s%s%s\n", what, events & POLLIN ? " IN" : "",
	       events & POLLOUT ? " OUT" : "", events & POLLERR ? " ERR" : "",
	       events & POLLHUP ? " HUP" : "", events & POLLRDHUP ? " RDHUP" : "");
}

static void look(const char *what, int fd, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};

	if (poll(&pfd, 1, ms) < 0)
		die("poll");
	say_events(what, (unsigned int)pfd.revents);
}

static void say_error(const char *what, int fd)
{
	int error = -1;
	socklen_t len = sizeof(error);

	say(what, getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len));
	printf("%s, SO_ERROR: %s\n", what, error_name(error));
}

static void use(const char *what, int fd)
{
	char buf[5] = "";

	fcntl(fd, F_SETFL, 0);
	if (send_all(fd, "hello", 5) < 0 || recv_all(fd, buf, 5) < 0)
		printf("%s, echo: %s\n", what, error_name(errno));
	else
		printf("%s, echo: %.5s\n", what, buf);
}

/* The connection is under way, and every call must show that. */
static void is_pending(const char *what, int fd)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	char c;

	printf("%s\n", what);
	look("- poll", fd, 0);
	say("- getpeername", getpeername(fd, (struct sockaddr *)&addr, &len));
	say("- send", send(fd, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL));
	say("- recv", recv(fd, &c, 1, MSG_DONTWAIT));
	say_error("- getsockopt", fd);
}

/* The connection is made after all. */
static void is_made(const char *what, int fd)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	look(what, fd, LONG_MS);
	say_error(what, fd);
	say(what, getpeername(fd, (struct sockaddr *)&addr, &len));
	say("- connect", try(fd));
	say("- connect again", try(fd));
	use(what, fd);
	close(fd);
}

/* As say(), of a call that an alarm interrupts. */
#define SAY_WITH_ALARM(what, flags, call)                                                          \
	do {                                                                                       \
		int said_error;                                                                    \
		long said;                                                                         \
                                                                                                   \
		alarm_soon(flags);                                                                 \
		said = (call);                                                                     \
		said_error = errno;                                                                \
		alarm_end();                                                                       \
		errno = said_error;                                                                \
		say(what, said);                                                                   \
	} while (0)

static void set_sndtimeo(int fd, unsigned int ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) < 0)
		die("SO_SNDTIMEO");
}

struct epoll {
	int epfd, fd;
	const char *name;
	uint32_t flags;
};

static void epoll_look(const struct epoll *epoll, const char *what, int ms)
{
	struct epoll_event event = {0};
	char text[64];

	snprintf(text, sizeof(text), "%s, %s", epoll->name, what);
	if (epoll_wait(epoll->epfd, &event, 1, ms) < 0)
		die("epoll_wait");
	say_events(text, event.events);
}

static void epoll_set(const struct epoll *epoll, int op)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | epoll->flags};

	if (epoll_ctl(epoll->epfd, op, epoll->fd, &event) < 0)
		die("epoll_ctl");
}

/* Registered when the socket was new. */
static void epoll_begin(struct epoll *epoll)
{
	epoll->epfd = epoll_create1(EPOLL_CLOEXEC);
	epoll->fd = make(SOCK_NONBLOCK);
	epoll_set(epoll, EPOLL_CTL_ADD);
	epoll_look(epoll, "new", 0);
	epoll_look(epoll, "new, again", 0);
	say(epoll->name, try(epoll->fd));
	if (epoll->flags & EPOLLONESHOT)
		epoll_set(epoll, EPOLL_CTL_MOD);
	epoll_look(epoll, "under way", MOMENT_MS);
}

static void epoll_end(const struct epoll *epoll)
{
	epoll_look(epoll, "made", LONG_MS);
	epoll_look(epoll, "made, again", 0);
	use(epoll->name, epoll->fd);
	close(epoll->fd);
	close(epoll->epfd);
}

struct waiter {
	int fd;
	pthread_t thread;
	atomic_int tid;
};

static void *connect_in_thread(void *arg)
{
	struct waiter *waiter = arg;

	waiter->tid = gettid();
	return (void *)(intptr_t)(try(waiter->fd) < 0 ? errno : 0);
}

/* A thread that waits in connect(). */
static void waiter_start(struct waiter *waiter, int fd)
{
	*waiter = (struct waiter){.fd = fd};
	errno = pthread_create(&waiter->thread, NULL, connect_in_thread, waiter);
	if (errno)
		die("pthread_create");
	while (!waiter->tid)
		poll(NULL, 0, 1);
	await_sleep(waiter->tid);
}

static int cancelled(void)
{
	struct waiter waiter;
	int fd = make(0);
	void *result;

	waiter_start(&waiter, fd);
	pthread_cancel(waiter.thread);
	pthread_join(waiter.thread, &result);
	printf("a thread in connect: %s\n", result == PTHREAD_CANCELED ? "cancelled" : "ended");
	poll(NULL, 0, MOMENT_MS);
	return fd;
}

static int interrupted(void)
{
	int fd = make(0);

	SAY_WITH_ALARM("connect and a signal", 0, try(fd));
	SAY_WITH_ALARM("connect and a signal, again", 0, try(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	say("connect not blocking after a signal", try(fd));
	return fd;
}

static int timed_out(void)
{
	int fd = make(0);
	int64_t start = now_ms();

	set_sndtimeo(fd, 100);
	say("connect with SO_SNDTIMEO", try(fd));
	printf("- in time: %d\n", now_ms() - start >= 90 && now_ms() - start < 5000);
	say("connect with SO_SNDTIMEO, again", try(fd));
	set_sndtimeo(fd, LONG_MS);
	SAY_WITH_ALARM("connect with SO_SNDTIMEO and a signal", SA_RESTART, try(fd));
	return fd;
}

static int changed(void)
{
	int fd = make(SOCK_NONBLOCK);

	say("connect not blocking", try(fd));
	say("SO_SNDBUF", setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){1 << 20}, sizeof(int)));
	look("larger SO_SNDBUF", fd, 0);
	say("SO_SNDBUF", setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)));
	look("smaller SO_SNDBUF", fd, 0);
	fcntl(fd, F_SETFL, 0);
	SAY_WITH_ALARM("connect when blocking again", 0, try(fd));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	say("connect when not blocking again", try(fd));
	return fd;
}

/* Many at once, which are all made in the end. */
static void that_complete(void)
{
	struct epoll epolls[] = {
		{.name = "LT"},
		{.name = "ET", .flags = EPOLLET},
		{.name = "ONESHOT", .flags = EPOLLONESHOT},
		{.name = "ET ONESHOT", .flags = EPOLLET | EPOLLONESHOT},
	};
	const size_t nr = sizeof(epolls) / sizeof(epolls[0]);
	int fds[4];

	tell('f');
	for (size_t i = 0; i < nr; i++)
		epoll_begin(&epolls[i]);
	fds[0] = interrupted();
	fds[1] = timed_out();
	fds[2] = changed();
	fds[3] = cancelled();
	is_pending("after a signal", fds[0]);
	is_pending("after a time-out", fds[1]);
	is_pending("after changes", fds[2]);
	is_pending("after a cancelled thread", fds[3]);
	tell('g');
	for (size_t i = 0; i < nr; i++)
		epoll_end(&epolls[i]);
	is_made("after a signal", fds[0]);
	is_made("after a time-out", fds[1]);
	is_made("after changes", fds[2]);
	is_made("after a cancelled thread", fds[3]);
}

static void *go_on_after_alarm(void *arg)
{
	while (!alarms)
		poll(NULL, 0, 10);
	tell('g');
	return arg;
}

static void restarted(void)
{
	sigset_t alarm_only, old;
	pthread_t thread;
	int fd = make(0);

	tell('f');
	alarms = 0;
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm_only, &old);
	errno = pthread_create(&thread, NULL, go_on_after_alarm, NULL);
	if (errno)
		die("pthread_create");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	SAY_WITH_ALARM("connect and SA_RESTART", SA_RESTART, try(fd));
	pthread_join(thread, NULL);
	printf("- signals: %d\n", alarms > 0);
	say("- connect again", try(fd));
	use("connect and SA_RESTART", fd);
	close(fd);
}

static void in_two_threads(void)
{
	struct waiter waiters[2];
	int fd = make(0);
	void *result;

	tell('f');
	for (int i = 0; i < 2; i++)
		waiter_start(&waiters[i], fd);
	tell('g');
	for (int i = 0; i < 2; i++) {
		pthread_join(waiters[i].thread, &result);
		printf("one of two threads: %s\n", error_name((int)(intptr_t)result));
	}
	use("two threads", fd);
	close(fd);
}

/* One thread waits; another one does not want to. */
static void waits_in_thread(void)
{
	struct waiter waiter;
	int fd = make(0);
	void *result;

	tell('f');
	waiter_start(&waiter, fd);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	say("connect while another thread waits", try(fd));
	fcntl(fd, F_SETFL, 0);
	tell('G');
	alarm_soon(0); /* this thread's */
	pthread_join(waiter.thread, &result);
	alarm_end();
	printf("the thread that waits: %s\n", error_name((int)(intptr_t)result));
	use("another thread", fd);
	close(fd);
}

static void blocking_again(void)
{
	int fd = make(SOCK_NONBLOCK);

	tell('f');
	say("connect not blocking", try(fd));
	tell('G');
	fcntl(fd, F_SETFL, 0);
	say("connect blocking then", try(fd));
	use("connect blocking then", fd);
	close(fd);
}

static void send_waits(void)
{
	char buf[6] = "";
	int fd = make(SOCK_NONBLOCK);

	tell('f');
	say("connect not blocking", try(fd));
	tell('G');
	fcntl(fd, F_SETFL, 0);
	printf("send that waits: %zd\n", send(fd, "early", 5, 0));
	printf("recv that waits: %zd\n", recv(fd, buf, 5, MSG_WAITALL));
	printf("echo: %s\n", buf);
	close(fd);
}

static void ended(const char *what, pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	if (WIFSIGNALED(status))
		printf("%s ends by signal %d\n", what, WTERMSIG(status));
	else
		printf("%s ends: %s\n", what, error_name(WEXITSTATUS(status)));
}

static void forked(void)
{
	int fd = make(0);
	pid_t pid;

	tell('f');
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(try(fd) < 0 ? errno : 0);
	await_sleep(pid);
	look("the parent, while the child waits", fd, 0);
	tell('g');
	ended("the child that connects", pid);
	look("the parent then", fd, 0);
	say("- connect", try(fd));
	use("the parent", fd);
	close(fd);
}

/* The one that waits is killed: the connection goes on being made. */
static void killed(void)
{
	int fd = make(0);
	pid_t pid;

	tell('f');
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(try(fd) < 0 ? errno : 0);
	await_sleep(pid);
	kill(pid, SIGKILL);
	ended("the child that is killed", pid);
	poll(NULL, 0, MOMENT_MS);
	is_pending("after the child", fd);
	tell('g');
	is_made("after the child", fd);
}

static void that_fail(void)
{
	struct epoll epoll = {.name = "ET, refused", .flags = EPOLLET};
	int plain = make(SOCK_NONBLOCK), left, waiting = make(0);

	tell('f');
	epoll_begin(&epoll);
	say("connect not blocking", try(plain));
	left = interrupted();
	tell('R');
	say("connect blocking, refused", try(waiting));
	epoll_look(&epoll, "refused", LONG_MS);
	epoll_look(&epoll, "refused, again", 0);
	look("refused", plain, LONG_MS);
	say_error("refused", plain);
	look("refused, told", plain, 0);
	look("refused after a signal", left, LONG_MS);
	say("- connect", try(left));
	tell('f');
	tell('g');
	say("connect blocking, after it was refused", try(waiting));
	use("connect blocking, after it was refused", waiting);
	close(epoll.fd);
	close(epoll.epfd);
	close(plain);
	close(left);
	close(waiting);
}

int main(int argc, char **argv)
{
	bool is_host = argc == 3 && !strcmp(argv[1], "host");
	unsigned long port;

	if (!is_host && (argc != 4 || strcmp(argv[1], "run") != 0))
		return 64;
	setvbuf(stdout, NULL, _IOLBF, 0);
	port = number(argv[argc - 1]);
	target = host_addr(is_host ? "0.0.0.0" : argv[2], port);
	control = host_addr(is_host ? "0.0.0.0" : argv[2], port + 1);
	if (is_host)
		host();
	that_complete();
	restarted();
	in_two_threads();
	waits_in_thread();
	blocking_again();
	send_waits();
	forked();
	killed();
	that_fail();
	return 0;
}
