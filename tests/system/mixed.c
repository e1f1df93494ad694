/* SPDX-License-Identifier: Apache-2.0 */
/* mixed.c - programs that each do one kind of work, and check each byte
 *
 *	mixed HOST PORT NR ROUNDS [FILE]	work number NR so often (0: for ever), at most
 *						while the file is there; at HOST:PORT are
 *						echo and "mixed datagrams"
 *	mixed datagrams HOST PORT		an echo server for datagrams
 *	mixed inherited FD			send and receive on a socket that it got by
 *						execve()
 *
 * Ends with 0 and "NR WORK ROUNDS done", or says what is wrong and ends with 1.
 */
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/system/tool.h"

#define ADDR(a) (struct sockaddr *)(a), sizeof(*(a))

enum {
	BULK = 1 << 20,
	TRIPS = 50,
	TRIP_MAX = 6000,
	CONNECTS = 10,
	DATAGRAMS = 10,
	ANSWER_MS = 2000,
	TRIES = 30,
	WAIT_MS = 60000
};

extern char **environ;

static struct sockaddr_in host;
static char self[4096], inherited[] = "inherited";
static const char *work = "start";
static unsigned long nr;
static uint64_t seed;

static _Noreturn void wrong(const char *what)
{
	printf("%lu %s: %s: %s\n", nr, work, what, error_name(errno));
	fflush(stdout);
	_exit(1);
}

/* A longer wait counts as endless. */
static void limit(int fd)
{
	struct timeval time = {.tv_sec = WAIT_MS / 1000};

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) < 0)
		wrong("SO_RCVTIMEO");
}

static int opened(void)
{
	int fd = tcp_connect(&host);

	if (fd < 0)
		wrong("connect");
	limit(fd);
	return fd;
}

static void send_piece(int fd, size_t len, uint64_t of)
{
	unsigned char buf[TRIP_MAX];

	pattern(buf, len, of);
	if (send_all(fd, buf, len) < 0)
		wrong("send");
}

static void receive_piece(int fd, size_t len, uint64_t of)
{
	unsigned char buf[TRIP_MAX], want[TRIP_MAX];

	pattern(want, len, of);
	if (recv_all(fd, buf, len) < 0)
		wrong("recv");
	errno = 0;
	if (memcmp(buf, want, len))
		wrong("other data");
}

static void trip(int fd, size_t len)
{
	seed++;
	send_piece(fd, len, seed);
	receive_piece(fd, len, seed);
}

static void *bulk_sender(void *data)
{
	for (size_t done = 0; done < BULK; done += TRIP_MAX)
		send_piece(*(int *)data, TRIP_MAX, seed + done);
	if (shutdown(*(int *)data, SHUT_WR) < 0)
		wrong("shutdown");
	return NULL;
}

/* Two threads at one socket. */
static void bulk(void)
{
	int fd = opened();
	pthread_t sender;
	char c;

	seed++;
	if (pthread_create(&sender, NULL, bulk_sender, &fd))
		wrong("pthread_create");
	for (size_t done = 0; done < BULK; done += TRIP_MAX)
		receive_piece(fd, TRIP_MAX, seed + done);
	pthread_join(sender, NULL);
	if (recv(fd, &c, 1, 0) != 0)
		wrong("no end of file");
	close(fd);
}

static void trips(void)
{
	int fd = opened();

	for (size_t i = 0; i < TRIPS; i++)
		trip(fd, 1 + i * 113 % TRIP_MAX);
	close(fd);
}

static void churn(void)
{
	for (int i = 0; i < CONNECTS; i++) {
		int fd = opened();

		trip(fd, 64);
		close(fd);
	}
}

static void nonblocking(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = -1;
	struct pollfd pfd = {.fd = fd, .events = POLLOUT};
	struct sockaddr_in peer;
	socklen_t len = sizeof(error), peer_len = sizeof(peer);

	if (fd < 0)
		wrong("socket");
	if (connect(fd, ADDR(&host)) < 0 && errno != EINPROGRESS)
		wrong("connect");
	if (poll(&pfd, 1, WAIT_MS) != 1)
		wrong("poll");
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || (errno = error))
		wrong("SO_ERROR");
	if (getpeername(fd, (struct sockaddr *)&peer, &peer_len) < 0 ||
	    peer.sin_port != host.sin_port)
		wrong("getpeername");
	if (fcntl(fd, F_SETFL, 0) < 0)
		wrong("fcntl");
	limit(fd);
	trip(fd, 500);
	close(fd);
}

/* UDP may lose a datagram, but each received one must have been sent. */
static void datagrams(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	unsigned char want[1200], buf[1300];

	if (fd < 0 || connect(fd, ADDR(&host)) < 0)
		wrong("connect");
	for (int i = 0; i < DATAGRAMS; i++) {
		int tries = 0;
		ssize_t n;

		pattern(want, sizeof(want), ++seed);
		for (;;) {
			if (send(fd, want, sizeof(want), 0) != sizeof(want))
				wrong("send");
			if (poll(&pfd, 1, ANSWER_MS) < 0)
				wrong("poll");
			/* Answers to what was sent twice are older. */
			while ((n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) == sizeof(want) &&
			       memcmp(buf, want, sizeof(want)))
				;
			if (n == sizeof(want))
				break;
			if (n >= 0)
				wrong("length of a datagram");
			if (errno != EAGAIN || ++tries == TRIES)
				wrong("recv");
		}
	}
	close(fd);
}

static void accepting(void)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in name = host;
	socklen_t len = sizeof(name);

	name.sin_port = 0;
	if (listener < 0 || bind(listener, ADDR(&name)) < 0 || listen(listener, 16) < 0 ||
	    getsockname(listener, (struct sockaddr *)&name, &len) < 0)
		wrong("listen");
	for (int i = 0; i < 5; i++) {
		int client = tcp_connect(&name), served;

		if (client < 0)
			wrong("connect");
		served = accept(listener, NULL, NULL);
		if (served < 0)
			wrong("accept");
		limit(client);
		limit(served);
		send_piece(client, 3000, ++seed);
		send_piece(served, 2000, seed + 1);
		receive_piece(served, 3000, seed);
		receive_piece(client, 2000, seed + 1);
		close(client);
		close(served);
	}
	close(listener);
}

static void names(void)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET};
	struct addrinfo *list = NULL;
	char text[256];
	int rc;

	errno = 0;
	rc = getaddrinfo("127.0.0.1", "7", &hints, &list);
	if (rc || !list || list->ai_addrlen != sizeof(host))
		wrong(rc ? gai_strerror(rc) : "getaddrinfo");
	if (((struct sockaddr_in *)(void *)list->ai_addr)->sin_addr.s_addr !=
	    htonl(INADDR_LOOPBACK))
		wrong("address of 127.0.0.1");
	rc = getnameinfo(list->ai_addr, list->ai_addrlen, text, sizeof(text), NULL, 0,
			 NI_NUMERICHOST);
	if (rc || strcmp(text, "127.0.0.1"))
		wrong("getnameinfo");
	freeaddrinfo(list);
	if (gethostname(text, sizeof(text)) < 0)
		wrong("gethostname");
}

/* A child that ends with its parent, however that ends. */
static pid_t bound_child(void)
{
	pid_t parent = getpid(), child = fork();

	if (child < 0)
		wrong("fork");
	if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
		_exit(1);
	return child;
}

static void end_well(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		wrong("waitpid");
	errno = 0;
	if (status)
		wrong(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a child fails");
}

/* The socket of a child, and of a program that the child starts. */
static void families(void)
{
	int fd = opened();
	char text[16];
	char *argv[] = {self, inherited, text, NULL};
	pid_t child = bound_child();

	if (!child) {
		trip(fd, 1000);
		_exit(0);
	}
	end_well(child);
	snprintf(text, sizeof(text), "%d", fd);
	if (posix_spawn(&child, self, NULL, NULL, argv, environ))
		wrong("posix_spawn");
	end_well(child);
	trip(fd, 100);
	close(fd);
}

/* A child that is killed in the middle of everything. */
static void killed(void)
{
	int fds[2], status;
	pid_t child;
	char c;

	if (pipe(fds) < 0)
		wrong("pipe");
	child = bound_child();
	if (!child) {
		int listener = tcp_listen(&(struct sockaddr_in){.sin_family = AF_INET}, 0),
		    fd = opened();

		if (write(fds[1], "r", 1) != 1)
			wrong("write");
		for (;;) {
			trip(fd, 100);
			close(opened());
			if (listener < 0)
				wrong("listen");
		}
	}
	if (read(fds[0], &c, 1) != 1)
		wrong("read");
	close(fds[0]);
	close(fds[1]);
	for (int i = 0; i < 3; i++)
		churn();
	kill(child, SIGKILL);
	if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
		wrong("the child that is killed");
}

static const struct {
	const char *name;
	void (*round)(void);
} works[] = {
	{"bulk", bulk},           {"trips", trips},
	{"churn", churn},         {"nonblocking", nonblocking},
	{"datagrams", datagrams}, {"accepting", accepting},
	{"names", names},         {"families", families},
	{"killed", killed},
};

static int serve_datagrams(const char *address, const char *port)
{
	static char buf[65536];
	struct sockaddr_in addr = host_addr(address, number(port)), peer;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = 1 << 20;

	if (fd < 0 || bind(fd, ADDR(&addr)) < 0)
		die("bind");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	for (;;) {
		socklen_t len = sizeof(peer);
		ssize_t n = recvfrom(fd, buf, sizeof(buf), 0, (struct sockaddr *)&peer, &len);

		if (n >= 0)
			(void)!sendto(fd, buf, (size_t)n, 0, (struct sockaddr *)&peer, len);
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds = 0, most = 0;

	/* By its name, as valgrind, too, can start it. */
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		die("/proc/self/exe");
	if (argc == 4 && !strcmp(argv[1], "datagrams"))
		return serve_datagrams(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], inherited)) {
		work = inherited;
		trip((int)number(argv[2]), 2000);
		return 0;
	}
	if (argc != 5 && argc != 6)
		return 64;
	host = host_addr(argv[1], number(argv[2]));
	nr = number(argv[3]);
	seed = nr << 32;
	work = works[nr % (sizeof(works) / sizeof(works[0]))].name;
	most = number(argv[4]);
	do
		works[nr % (sizeof(works) / sizeof(works[0]))].round();
	while (++rounds != most && (argc == 5 || !access(argv[5], F_OK)));
	printf("%lu %s %lu done\n", nr, work, rounds);
	return 0;
}
