/* SPDX-License-Identifier: Apache-2.0 */
/* supervised.c - faults that only a program under the seccomp supervisor can cause; also built
 * statically
 *
 *	supervised echo PORT NR		accept NR connections in turn, and echo; a line for each
 *	supervised get HOST PORT	connect, send and receive; print both names
 *	supervised signals PORT		accept() and a signal: SA_RESTART, without, a time limit
 *	supervised storm HOST PORT NR	NR connections under a timer that never rests
 *	supervised busy HOST PORT	one thread waits in accept() while others make calls
 *	supervised limit HOST PORT	no descriptor left
 *	supervised denied		what the filter refuses
 *	supervised hidden socket() in a process that no other process may inspect supervised watched
 *	COMMAND... start it under a seccomp listener of its own supervised wait PORT wait in
 *	accept() for ever supervised gone socket() again and again until it fails: the error
 *	supervised sendmsg HOST PORT messages in pieces, with and without an address supervised
 *	crowd PORT after a line of input, more calls that wait than the
 *					supervisor has threads for
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "tests/system/tool.h"

enum { SHORT_MS = 100 };

#define ADDR(a) (struct sockaddr *)(a), sizeof(*(a))

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static void handle(int sig, int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

	if (sigaction(sig, &action, NULL) < 0)
		die("sigaction");
}

static void every_ms(int first, int again)
{
	struct itimerval timer = {.it_value = {first / 1000, first % 1000 * 1000},
				  .it_interval = {again / 1000, again % 1000 * 1000}};

	if (setitimer(ITIMER_REAL, &timer, NULL) < 0)
		die("setitimer");
}

static int take(const char *what, int rc)
{
	printf("%s: %s\n", what, rc < 0 ? error_name(errno) : "0");
	fflush(stdout);
	return rc;
}

static void print_name(const char *what, int fd, int (*get)(int, struct sockaddr *, socklen_t *))
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	char text[INET_ADDRSTRLEN];

	if (get(fd, (struct sockaddr *)&addr, &len) < 0)
		die(what);
	printf("%s: %s, family %d, %u bytes\n", what,
	       inet_ntop(AF_INET, &addr.sin_addr, text, sizeof(text)), addr.sin_family, len);
}

static int accept_one(int at)
{
	return accept(at, NULL, NULL);
}

static int serve_echo(unsigned long port, unsigned long nr)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", port);
	int at = tcp_listen(&addr, 0);
	char buf[4096];

	while (nr--) {
		int fd = accept_one(at);
		ssize_t n, sum = 0;

		if (fd < 0)
			die("accept");
		while ((n = recv(fd, buf, sizeof(buf), 0)) > 0 && !send_all(fd, buf, (size_t)n))
			sum += n;
		printf("%zd bytes\n", sum);
		fflush(stdout);
		close(fd);
	}
	return 0;
}

static int get(const struct sockaddr_in *addr)
{
	int fd = tcp_connect(addr);
	char buf[6] = "";

	if (fd < 0)
		die("connect");
	print_name("getpeername", fd, getpeername);
	print_name("getsockname", fd, getsockname);
	if (send_all(fd, "hello", 5) || recv_all(fd, buf, 5))
		die("data");
	printf("%s\n", buf);
	return 0;
}

/* accept() by @at, with a signal after a moment; a connection comes from a thread if it is to. */
static struct sockaddr_in own;

static void *connect_later(void *arg)
{
	(void)arg;
	do
		poll(NULL, 0, 3 * SHORT_MS);
	while (signals < 2);
	if (tcp_connect(&own) < 0)
		die("connect");
	return NULL;
}

static int test_signals(unsigned long port)
{
	struct timeval limit = {.tv_sec = 90};
	pthread_t thread;
	int at, fd;

	own = host_addr("127.0.0.1", port);
	at = tcp_listen(&own, 0);
	handle(SIGALRM, 0);
	every_ms(SHORT_MS, SHORT_MS); /* the first may come before the call does */
	take("without SA_RESTART", accept_one(at));
	printf("signals: %d\n", signals > 0);

	handle(SIGALRM, SA_RESTART);
	signals = 0;
	pthread_create(&thread, NULL, connect_later, NULL);
	pthread_kill(pthread_self(), SIGALRM);
	fd = take("with SA_RESTART, then a connection", accept_one(at));
	pthread_join(thread, NULL);
	printf("more than one signal: %d\n", signals > 1);
	close(fd);

	setsockopt(at, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	take("with SA_RESTART and a time limit", accept_one(at));
	every_ms(0, 0);
	limit = (struct timeval){.tv_usec = SHORT_MS * 1000};
	setsockopt(at, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	take("the time is over", accept_one(at));
	signal(SIGALRM, SIG_IGN);
	every_ms(SHORT_MS / 4, 0);
	take("a signal that is ignored", accept_one(at));
	return 0;
}

/* After EINTR the connection is made all the same; but under a supervisor the signal may have come
 * before the call did, and then there is none yet: libvsesock(7). */
static void connect_surely(int fd, const struct sockaddr_in *addr)
{
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);

	do {
		if (!connect(fd, ADDR(addr)))
			return;
		if (errno != EINTR)
			die("connect");
		while (poll(&pfd, 1, -1) < 0 && errno == EINTR)
			;
		while (getpeername(fd, (struct sockaddr *)&peer, &len) < 0 && errno == EINTR)
			;
	} while (errno == ENOTCONN);
}

static int test_storm(const struct sockaddr_in *addr, unsigned long nr)
{
	unsigned long good = 0;

	handle(SIGALRM, 0);
	every_ms(1, 1);
	for (unsigned long i = 0; i < nr; i++) {
		char c = (char)i, d = 0;
		int fd;

		do
			fd = socket(AF_INET, SOCK_STREAM, 0);
		while (fd < 0 && errno == EINTR);
		if (fd < 0)
			die("socket");
		errno = 0;
		connect_surely(fd, addr);
		while (write(fd, &c, 1) < 0 && errno == EINTR)
			;
		while (read(fd, &d, 1) < 0 && errno == EINTR)
			;
		good += c == d;
		close(fd);
	}
	every_ms(0, 0);
	printf("%lu good, under signals: %d\n", good, signals > 0);
	return 0;
}

static void *wait_in_accept(void *arg)
{
	accept_one(*(int *)arg);
	return NULL;
}

static int test_busy(const struct sockaddr_in *addr)
{
	struct sockaddr_in any = host_addr("127.0.0.1", 0);
	enum { WAITERS = 20 };
	int at = tcp_listen(&any, 0), good = 0;
	pthread_t threads[WAITERS];

	for (int i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, wait_in_accept, &at);
	for (int i = 0; i < 50; i++) {
		int fd = tcp_connect(addr);
		char c = 'x';

		good += fd >= 0 && !send_all(fd, &c, 1) && !recv_all(fd, &c, 1);
		close(fd);
	}
	printf("%d good\n", good);
	fflush(stdout);
	shutdown(at, SHUT_RDWR);
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	printf("all woken\n");
	return 0;
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int refused;
} crowd = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void *wait_in_crowd(void *arg)
{
	if (accept_one(*(int *)arg) < 0 && errno == ENOBUFS) {
		pthread_mutex_lock(&crowd.lock);
		crowd.refused++;
		pthread_cond_signal(&crowd.changed);
		pthread_mutex_unlock(&crowd.lock);
	}
	return NULL;
}

static void crowded_datagrams(void)
{
	struct sockaddr_in any = host_addr("127.0.0.1", 0), from;
	socklen_t len = sizeof(any);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	char c = 'd';

	take("bind", bind(fd, ADDR(&any)));
	take("getsockname", getsockname(fd, (struct sockaddr *)&any, &len));
	printf("sendto: %zd\n", sendto(fd, &c, 1, 0, ADDR(&any)));
	poll(&pfd, 1, -1);
	printf("recvfrom: %zd\n", recvfrom(fd, &c, 1, 0, (struct sockaddr *)&from, &len));
	take("recvfrom with nothing there",
	     (int)recvfrom(fd, &c, 1, 0, (struct sockaddr *)&from, &len));
	close(fd);
}

static int test_crowd(struct sockaddr_in *addr)
{
	enum { WAITERS = 20 };
	int at = tcp_listen(addr, 0), fd;
	pthread_t threads[WAITERS];

	printf("ready\n");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (int i = 0; i < WAITERS; i++)
		pthread_create(&threads[i], NULL, wait_in_crowd, &at);
	pthread_mutex_lock(&crowd.lock);
	while (!crowd.refused)
		pthread_cond_wait(&crowd.changed, &crowd.lock);
	pthread_mutex_unlock(&crowd.lock);
	crowded_datagrams();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	take("connect", connect(fd, ADDR(addr)));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	take("connect without waiting", connect(fd, ADDR(addr)));
	take("shutdown", shutdown(at, SHUT_RDWR));
	for (int i = 0; i < WAITERS; i++)
		pthread_join(threads[i], NULL);
	printf("all ended\n");
	return 0;
}

static int test_limit(const struct sockaddr_in *addr)
{
	struct sockaddr_in any = host_addr("127.0.0.1", 0);
	socklen_t len = sizeof(any);
	struct rlimit limit = {32, 32};
	int at = tcp_listen(&any, SOCK_NONBLOCK), fd, last = -1, type = 0;
	struct pollfd pfd = {.fd = at, .events = POLLIN};

	getsockname(at, (struct sockaddr *)&any, &len);
	fd = tcp_connect(&any);
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int next; (next = dup(0)) >= 0;)
		last = next;
	poll(&pfd, 1, -1);
	take("socket", socket(AF_INET, SOCK_STREAM, 0));
	take("accept", accept_one(at));
	len = sizeof(type);
	take("getsockopt", getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len));
	print_name("getpeername", fd, getpeername);
	close(last);
	take("accept with one free", accept_one(at) == last ? 0 : -1);
	close(last);
	take("socket with one free", socket(AF_INET, SOCK_STREAM, 0) == last ? 0 : -1);
	take("connect on it", connect(last, ADDR(addr)));
	return 0;
}

#if defined(__x86_64__)
static long call_i386(long nr, long a, long b, long c)
{
	long rc;

	__asm__ volatile("int $0x80" : "=a"(rc) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return (int)rc;
}
#endif

static int test_denied(void)
{
	take("io_uring_setup", (int)syscall(SYS_io_uring_setup, 1, NULL));
	take("io_uring_enter", (int)syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0));
#if defined(__x86_64__)
	errno = (int)-call_i386(359, AF_INET, SOCK_STREAM, 0);
	take("i386 socket", -1);
	errno = (int)-call_i386(359, AF_UNIX, 99, 0);
	take("i386 socket of another family", -1);
	take("x32 socket", (int)syscall(0x40000000 + SYS_socket, AF_INET6, SOCK_STREAM, 0));
#endif
	return 0;
}

/* The listener stays open in the program, as in a container manager's. */
static int run_watched(char **command)
{
	struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
	struct sock_fprog program = {.len = 1, .filter = &allow};
	long fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("prctl");
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
		     &program);
	if (fd < 0 || fcntl((int)fd, F_SETFD, 0) < 0)
		die("seccomp");
	execvp(command[0], command);
	die("exec");
}

static int test_gone(void)
{
	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (fd < 0)
			break;
		close(fd);
		printf(".");
		fflush(stdout);
		poll(NULL, 0, 10);
	}
	printf("\nsocket: %s\n", error_name(errno));
	return 0;
}

static int test_sendmsg(const struct sockaddr_in *addr)
{
	int fd = tcp_connect(addr), more = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in nobody = host_addr("192.0.2.1", 9), from;
	char a[4] = "abc", b[8] = "defghij", in[16] = "";
	struct iovec out[2] = {{a, 3}, {b, 7}}, parts[2] = {{in, 4}, {in + 4, 6}};
	struct msghdr msg = {.msg_iov = out, .msg_iovlen = 2};
	socklen_t len = sizeof(from);

	if (fd < 0)
		die("connect");
	printf("sendmsg: %zd\n", sendmsg(fd, &msg, 0));
	msg.msg_iov = parts;
	printf("recvmsg: %zd %s\n", recvmsg(fd, &msg, MSG_WAITALL), in);
	msg = (struct msghdr){.msg_iov = out,
			      .msg_iovlen = 2,
			      .msg_name = &nobody,
			      .msg_namelen = sizeof(nobody)};
	printf("sendmsg with an address: %zd\n", sendmsg(fd, &msg, 0));
	msg = (struct msghdr){
		.msg_iov = parts, .msg_iovlen = 2, .msg_name = &from, .msg_namelen = sizeof(from)};
	memset(in, 0, sizeof(in));
	printf("recvmsg with an address: %zd %s, %u bytes\n", recvmsg(fd, &msg, MSG_WAITALL), in,
	       msg.msg_namelen);
	printf("sendto: %zd\n", sendto(fd, "12345", 5, 0, ADDR(&nobody)));
	memset(in, 0, sizeof(in));
	printf("recvfrom: %zd", recvfrom(fd, in, 5, MSG_WAITALL, (struct sockaddr *)&from, &len));
	printf(" %s, %u bytes\n", in, len);
	printf("sendto: %zd\n", sendto(fd, "67890", 5, 0, NULL, 0));
	memset(in, '-', 5);
	printf("recv, thrown away: %zd", recv(fd, in, 5, MSG_TRUNC | MSG_WAITALL));
	printf(" %.5s\n", in);
	take("recv from the error queue", (int)recv(fd, in, 5, MSG_ERRQUEUE));
	printf("sendto: %zd\n", sendto(fd, "lost!", 5, 0, NULL, 0));
	take("recvfrom, bad length",
	     (int)recvfrom(fd, in, 5, 0, (struct sockaddr *)&from, (socklen_t *)1));
	signal(SIGPIPE, on_signal);
	take("sendmsg, not connected", (int)sendmsg(more, &msg, 0));
	printf("SIGPIPE: %d\n", signals);
	take("sendmsg, not connected, no signal", (int)sendmsg(more, &msg, MSG_NOSIGNAL));
	printf("SIGPIPE: %d\n", signals);
	take("getpeername", getpeername(more, (struct sockaddr *)&from, &len));
	take("SIOCOUTQ", ioctl(fd, 0x5411, &(int){0}));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct sockaddr_in addr = {0};

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 4 && !strcmp(what, "echo"))
		return serve_echo(number(argv[2]), number(argv[3]));
	if (argc == 3 && !strcmp(what, "signals"))
		return test_signals(number(argv[2]));
	if (argc == 2 && !strcmp(what, "denied"))
		return test_denied();
	if (argc > 2 && !strcmp(what, "watched"))
		return run_watched(argv + 2);
	if (argc == 2 && !strcmp(what, "hidden")) {
		if (prctl(PR_SET_DUMPABLE, 0) < 0)
			die("prctl");
		return take("socket", socket(AF_INET, SOCK_STREAM, 0)) < 0;
	}
	if (argc == 2 && !strcmp(what, "gone"))
		return test_gone();
	if (argc == 3 && !strcmp(what, "wait")) {
		addr = host_addr("127.0.0.1", number(argv[2]));
		return take("accept", accept_one(tcp_listen(&addr, 0)));
	}
	if (argc == 3 && !strcmp(what, "crowd")) {
		addr = host_addr("127.0.0.1", number(argv[2]));
		return test_crowd(&addr);
	}
	if (argc >= 4)
		addr = host_addr(argv[2], number(argv[3]));
	if (argc == 4 && !strcmp(what, "get"))
		return get(&addr);
	if (argc == 5 && !strcmp(what, "storm"))
		return test_storm(&addr, number(argv[4]));
	if (argc == 4 && !strcmp(what, "busy"))
		return test_busy(&addr);
	if (argc == 4 && !strcmp(what, "limit"))
		return test_limit(&addr);
	if (argc == 4 && !strcmp(what, "sendmsg"))
		return test_sendmsg(&addr);
	printf("usage: see the source\n");
	return 64;
}
