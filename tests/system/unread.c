/* SPDX-License-Identifier: Apache-2.0 */
/* unread.c - connections to oneself that are closed at once, with or without unread data
 *
 *   unread end|reset THREADS TIMES
 *
 * end: the listener is closed, then the accepted connection; its peer has to see end of file.
 * reset: six bytes are left unread; the peer has to see a reset. Prints how many saw something
 * else.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define THREADS_MAX 64

static bool reset;
static long times;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Returns true if the peer sees the expected result. */
static bool once(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr *sa = (struct sockaddr *)&addr;
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0), near, peer, error, waiting = 0;
	ssize_t n;
	char c;

	if (listener < 0 || bind(listener, sa, len) || listen(listener, 5) ||
	    getsockname(listener, sa, &len))
		fail("listener");
	peer = socket(AF_INET, SOCK_STREAM, 0);
	if (peer < 0 || connect(peer, sa, len))
		fail("connect");
	near = accept(listener, NULL, NULL);
	if (near < 0)
		fail("accept");
	if (!reset)
		close(listener);
	if (reset && send(peer, "unread", 6, 0) != 6)
		fail("send");
	while (reset && waiting < 6) {
		struct pollfd set = {.fd = near, .events = POLLIN};

		if (poll(&set, 1, 30000) != 1 || ioctl(near, FIONREAD, &waiting))
			fail("wait");
	}
	close(near);
	n = recv(peer, &c, 1, 0);
	error = errno;
	if (reset)
		close(listener);
	close(peer);
	return reset ? n < 0 && error == ECONNRESET : n == 0;
}

static void *run(void *wrong)
{
	for (long i = 0; i < times; i++)
		*(long *)wrong += !once();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	long wrong[THREADS_MAX] = {0}, all = 0, nr = argc == 4 ? strtol(argv[2], NULL, 10) : 0;

	if (nr < 1 || nr > THREADS_MAX || (times = strtol(argv[3], NULL, 10)) < 1) {
		fprintf(stderr, "usage: unread end|reset THREADS TIMES\n");
		return 64;
	}
	reset = strcmp(argv[1], "reset") == 0;
	for (long i = 0; i < nr; i++)
		if (pthread_create(&thread[i], NULL, run, &wrong[i]))
			fail("thread");
	for (long i = 0; i < nr; i++) {
		pthread_join(thread[i], NULL);
		all += wrong[i];
	}
	printf("%ld\n", all);
	return all != 0;
}
