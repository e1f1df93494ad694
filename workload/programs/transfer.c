/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - the socket application of the table lfp: sends or receives a known stream of bytes
 *
 *	transfer HOST PORT OUT|IN BYTES
 *
 * An LE/C program. lfp-workload compiles it when the table is made, and also for Linux alone, as
 * "native". The peer is lfp-workload. It sends one byte when all programs of the run have
 * connected. Then OUT sends BYTES bytes, and IN receives and compares them. HOST is an IPv4
 * address.
 *
 * pattern.h describes the stream. transfer.cbl is the same program in COBOL.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK 32768 /* bytes of a send() and at most of a recv() */
#include "pattern.h"

static char block[BLOCK];

static int failed(const char *call)
{
	perror(call);
	return 8;
}

static int stream_send(int s, long long bytes)
{
	long long at = 0;

	while (at < bytes) {
		size_t want = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;
		ssize_t n = send(s, pattern + at % PERIOD, want, 0);

		if (n < 0)
			return failed("send");
		at += n;
	}
	/* The peer closes when it has compared everything. */
	if (shutdown(s, SHUT_WR) != 0 || recv(s, block, 1, 0) != 0)
		return failed("end of the transfer");
	return 0;
}

static int stream_receive(int s, long long bytes)
{
	long long at = 0;

	for (;;) {
		ssize_t n = recv(s, block, BLOCK, 0);

		if (n < 0)
			return failed("recv");
		if (n == 0)
			break;
		if (memcmp(block, pattern + at % PERIOD, (size_t)n) != 0) {
			fprintf(stderr, "transfer: wrong data behind byte %lld\n", at);
			return 8;
		}
		at += n;
	}
	if (at != bytes) {
		fprintf(stderr, "transfer: the stream ends at byte %lld, not %lld\n", at, bytes);
		return 8;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer;
	long long bytes;
	char go;
	int s, rc;

	if (argc != 5 || (bytes = atoll(argv[4])) <= 0) {
		fprintf(stderr, "usage: transfer HOST PORT OUT|IN BYTES\n");
		return 16;
	}
	pattern_make();
	memset(&peer, 0, sizeof(peer));
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = inet_addr(argv[1]);
	peer.sin_port = htons((unsigned short)atoi(argv[2]));
	s = socket(AF_INET, SOCK_STREAM, 0);
	if (s < 0)
		return failed("socket");
	if (connect(s, (struct sockaddr *)&peer, sizeof(peer)) != 0)
		return failed("connect");
	if (recv(s, &go, 1, 0) != 1)
		return failed("the peer's start");
	rc = strcmp(argv[3], "OUT") == 0 ? stream_send(s, bytes) : stream_receive(s, bytes);
	if (close(s) != 0 && rc == 0)
		rc = failed("close");
	if (rc == 0)
		printf("TRANSFER %s %lld BYTES\n", argv[3], bytes);
	return rc;
}
