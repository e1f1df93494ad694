/* SPDX-License-Identifier: Apache-2.0 */
/* bulk-sender.c - sends as fast as it can to a peer that discards the data, and reports the rate
 *
 *	bulk-sender HOST PORT MEGABYTES
 *
 * An LE/C program. The peer is any program that reads, such as "nc -l -p PORT >/dev/null" on the
 * Linux side.
 *
 * Compile: cc -o bulk-sender bulk-sender.c $(pkg-config --cflags --libs vsesock-lec)
 * Run:     LFP_ID=01 ./bulk-sender 10.0.0.1 7000 100
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define BLOCK (64 * 1024)

static double now(void)
{
	struct timeval tv;

	gettimeofday(&tv, NULL);
	return (double)tv.tv_sec + (double)tv.tv_usec / 1e6;
}

/* Connects to the first address that answers. Returns a socket, or -1. */
static int connect_to(const char *host, const char *port)
{
	struct addrinfo hints, *list, *at;
	int s = -1, rc;

	memset(&hints, 0, sizeof(hints));
	hints.ai_socktype = SOCK_STREAM;
	rc = getaddrinfo(host, port, &hints, &list);
	if (rc != 0) {
		fprintf(stderr, "%s port %s: %s\n", host, port, gai_strerror(rc));
		return -1;
	}
	for (at = list; at && s < 0; at = at->ai_next) {
		s = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
		if (s >= 0 && connect(s, at->ai_addr, at->ai_addrlen) != 0) {
			perror(host);
			close(s);
			s = -1;
		}
	}
	freeaddrinfo(list);
	return s;
}

int main(int argc, char **argv)
{
	static char block[BLOCK];
	double total, sent = 0, start, seconds;
	char byte;
	int s;

	if (argc != 4 || (total = atof(argv[3]) * 1024 * 1024) <= 0) {
		fprintf(stderr, "usage: bulk-sender HOST PORT MEGABYTES\n");
		return 16;
	}
	s = connect_to(argv[1], argv[2]);
	if (s < 0)
		return 8;
	start = now();
	while (sent < total) {
		size_t want = total - sent < BLOCK ? (size_t)(total - sent) : BLOCK;
		ssize_t n = send(s, block, want, 0);

		if (n < 0) {
			perror("send");
			return 8;
		}
		sent += (double)n;
	}
	/* The other side closes when it has read everything. */
	if (shutdown(s, SHUT_WR) != 0 || recv(s, &byte, 1, 0) < 0) {
		perror("end of the transfer");
		return 8;
	}
	seconds = now() - start;
	close(s);
	printf("%.0f bytes in %.3f seconds: %.1f MB/s\n", sent, seconds,
	       seconds > 0 ? sent / seconds / (1024 * 1024) : 0);
	return 0;
}
