/* SPDX-License-Identifier: Apache-2.0 */
/* tape.c - stands for a backup to a tape of VTAPE: writes a known stream of bytes to a tape of
 * tape-server.py, reads the tape from its beginning, and compares
 *
 *	tape HOST PORT NAME BYTES
 *
 * An LE/C program. A request is a byte, a length of four bytes (big-endian), and so many bytes:
 * 'M' mounts the tape NAME, 'W' writes a block, 'T' a tape mark, 'R' rewinds, 'N' asks for the next
 * block, 'U' unloads. The server answers 'R' and 'U' by the same byte and a length of 0, and 'N' by
 * 'B' and a block, or by 'T' at a tape mark. HOST is an IPv4 address.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK 32760
#include "pattern.h"

#define HEAD 5

static int s;
static char request[HEAD + BLOCK], block[BLOCK];

static void fail(const char *text)
{
	fprintf(stderr, "tape: %s\n", text);
	exit(8);
}

static void check(int good, const char *call)
{
	if (!good) {
		perror(call);
		exit(8);
	}
}

static void ask(char verb, const char *data, size_t length)
{
	size_t at = 0;

	request[0] = verb;
	request[1] = (char)(length >> 24);
	request[2] = (char)(length >> 16);
	request[3] = (char)(length >> 8);
	request[4] = (char)length;
	if (length)
		memcpy(request + HEAD, data, length);
	while (at < HEAD + length) {
		ssize_t n = send(s, request + at, HEAD + length - at, 0);

		check(n > 0, "send");
		at += (size_t)n;
	}
}

static void receive(char *to, size_t length)
{
	size_t at = 0;

	while (at < length) {
		ssize_t n = recv(s, to + at, length - at, 0);

		check(n >= 0, "recv");
		if (n == 0)
			fail("the server ends the connection");
		at += (size_t)n;
	}
}

/* Reads an answer into block. Returns its length; its byte has to be the wanted one. */
static size_t answer(char wanted)
{
	unsigned char head[HEAD];
	size_t length;

	receive((char *)head, HEAD);
	length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
	if ((char)head[0] != wanted || length > BLOCK)
		fail("a wrong answer");
	receive(block, length);
	return length;
}

int main(int argc, char **argv)
{
	struct sockaddr_in peer;
	long long bytes, at;

	if (argc != 5 || (bytes = atoll(argv[4])) <= 0) {
		fprintf(stderr, "usage: tape HOST PORT NAME BYTES\n");
		return 16;
	}
	pattern_make();
	memset(&peer, 0, sizeof(peer));
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = inet_addr(argv[1]);
	peer.sin_port = htons((unsigned short)atoi(argv[2]));
	s = socket(AF_INET, SOCK_STREAM, 0);
	check(s >= 0, "socket");
	check(connect(s, (struct sockaddr *)&peer, sizeof(peer)) == 0, "connect");
	ask('M', argv[3], strlen(argv[3]));
	for (at = 0; at < bytes; at += BLOCK)
		ask('W', pattern + at % PERIOD, bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK);
	ask('T', NULL, 0);
	ask('R', NULL, 0);
	answer('R');
	for (at = 0; at < bytes; at += BLOCK) {
		size_t want = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;

		ask('N', NULL, 0);
		if (answer('B') != want || memcmp(block, pattern + at % PERIOD, want) != 0) {
			fprintf(stderr, "tape: wrong data in the block at byte %lld\n", at);
			return 8;
		}
	}
	ask('N', NULL, 0);
	answer('T');
	ask('U', NULL, 0);
	answer('U');
	check(close(s) == 0, "close");
	printf("%lld BYTES EQUAL\n", bytes);
	return 0;
}
