/* SPDX-License-Identifier: Apache-2.0 */
/* ipsec-bench.c - datagrams of one size through a tunnel, as many as come through (bench/ipsec)
 *
 *	ipsec-bench NAMESPACE SOURCE DESTINATION BYTES SECONDS [PACE]
 *
 * One thread sends from this network namespace to another thread in NAMESPACE. Both count, and the
 *sender keeps at most WINDOW datagrams, and WINDOW_BYTES, on their way. So queues do not overflow,
 *and no time goes into packets that are dropped. A datagram that did not come within LOST_NS counts
 *as lost.
 *
 * BYTES is the size of an IPv4 packet. With PACE, at most so many packets are sent a second. Prints
 *the packets received, those lost and the seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS      1000000000u
#define LOST_NS 200000000u

enum {
	BATCH = 32,
	WINDOW = 256,
	WINDOW_BYTES = 512 << 10,
	PORT = 7779,
	HEADERS = 28,
	BYTES_MAX = 16384,
	BUFFER = 8 << 20
};

static atomic_uint_fast64_t received;
static atomic_bool ending;

static void fail(const char *what)
{
	fprintf(stderr, "ipsec-bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS + (uint64_t)ts.tv_nsec;
}

static struct sockaddr_in address(const char *text, uint16_t port)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (inet_pton(AF_INET, text, &addr.sin_addr) != 1) {
		errno = EINVAL;
		fail(text);
	}
	return addr;
}

static int open_socket(const char *at, uint16_t port)
{
	const struct sockaddr_in addr = address(at, port);
	const struct timeval tick = {.tv_usec = 100000};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = BUFFER;

	if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0)
		fail(at);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick));
	return fd;
}

static void *receive(void *context)
{
	static uint8_t data[BATCH][BYTES_MAX];
	struct mmsghdr message[BATCH];
	struct iovec iov[BATCH];
	const int fd = *(int *)context;

	memset(message, 0, sizeof(message));
	for (int i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){data[i], BYTES_MAX};
		message[i].msg_hdr.msg_iov = &iov[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	while (!atomic_load(&ending)) {
		const int got = recvmmsg(fd, message, BATCH, MSG_WAITFORONE, NULL);

		if (got > 0)
			atomic_fetch_add(&received, (uint64_t)got);
	}
	return NULL;
}

/* Returns the number of datagrams that may be sent now, after a nap if there is none. */
static unsigned int allowed(uint64_t sent, uint64_t lost, unsigned int window)
{
	/* Less than 0: some that counted as lost were only late. */
	const int64_t room = (int64_t)window - (int64_t)(sent - lost - atomic_load(&received));

	if (room > 0)
		return room < BATCH ? (unsigned int)room : BATCH;
	nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
	return 0;
}

static void run(int fd, size_t len, double seconds, uint64_t pace)
{
	static uint8_t data[BYTES_MAX];
	const unsigned int window = WINDOW_BYTES / (len + HEADERS) < WINDOW
					    ? (unsigned int)(WINDOW_BYTES / (len + HEADERS))
					    : WINDOW;
	const uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * NS);
	uint64_t sent = 0, lost = 0, last = 0, last_ns = begin, now;
	struct mmsghdr message[BATCH];
	struct iovec iov = {data, len};

	memset(message, 0, sizeof(message));
	for (int i = 0; i < BATCH; i++) {
		message[i].msg_hdr.msg_iov = &iov;
		message[i].msg_hdr.msg_iovlen = 1;
	}
	while ((now = now_ns()) < end) {
		const uint64_t got = atomic_load(&received);
		const uint64_t due = pace ? (now - begin) / 1000 * pace / 1000000 : UINT64_MAX;
		unsigned int may = allowed(sent, lost, window);
		int done;

		if (got != last) {
			last = got;
			last_ns = now;
		} else if (now - last_ns > LOST_NS && sent > lost + got) {
			lost = sent - got;
			last_ns = now;
		}
		if (due <= sent) {
			nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
			continue;
		}
		if (due - sent < may)
			may = (unsigned int)(due - sent);
		done = may ? sendmmsg(fd, message, may, 0) : 0;
		if (done < 0 && errno != ENOBUFS && errno != EAGAIN)
			fail("sendmmsg");
		sent += done > 0 ? (uint64_t)done : 0;
	}
	printf("packets=%lu lost=%lu seconds=%.6f\n", (unsigned long)atomic_load(&received),
	       (unsigned long)lost, (double)(now - begin) / NS);
}

int main(int argc, char **argv)
{
	struct sockaddr_in to;
	pthread_t thread;
	int space, home, in, out;
	size_t len;

	if (argc != 6 && argc != 7) {
		fprintf(stderr,
			"usage: ipsec-bench NAMESPACE SOURCE DESTINATION BYTES SECONDS [PACE]\n");
		return 64;
	}
	len = strtoul(argv[4], NULL, 10) - HEADERS;
	if (len > BYTES_MAX) {
		errno = EINVAL;
		fail(argv[4]);
	}
	space = open(argv[1], O_RDONLY | O_CLOEXEC);
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (space < 0 || setns(space, CLONE_NEWNET) < 0)
		fail(argv[1]);
	in = open_socket(argv[3], PORT);
	if (home < 0 || setns(home, CLONE_NEWNET) < 0)
		fail("this network namespace");
	out = open_socket(argv[2], 0);
	to = address(argv[3], PORT);
	if (connect(out, (struct sockaddr *)&to, sizeof(to)) < 0)
		fail(argv[3]);
	errno = pthread_create(&thread, NULL, receive, &in);
	if (errno)
		fail("pthread_create");
	run(out, len, strtod(argv[5], NULL), argc == 7 ? strtoul(argv[6], NULL, 10) : 0);
	atomic_store(&ending, true);
	pthread_join(thread, NULL);
	return 0;
}
