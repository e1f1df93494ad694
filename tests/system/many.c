/* SPDX-License-Identifier: Apache-2.0 */
/* many.c - as many sockets at once as there may be
 *
 *	many HOST PORT CONNECTED LIMIT
 *
 * CONNECTED of them carry data to an echo server and back; socket number LIMIT + 1 must fail with
 * ENFILE, and the others must then carry data again; when one is closed another can be made.
 */
#include "tests/system/tool.h"

enum { PIECE = 3000 };

static int fds[100000];

/* Send on all of them, then receive on all of them. */
static void carry(unsigned long connected, uint64_t round)
{
	static unsigned char out[PIECE], in[PIECE];

	for (unsigned long i = 0; i < connected; i++) {
		pattern(out, PIECE, round * 1000000 + i);
		if (send_all(fds[i], out, PIECE) < 0)
			die("send");
	}
	for (unsigned long i = 0; i < connected; i++) {
		pattern(out, PIECE, round * 1000000 + i);
		if (recv_all(fds[i], in, PIECE) < 0)
			die("recv");
		if (memcmp(in, out, PIECE)) {
			printf("socket %lu carries other data\n", i);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	unsigned long connected, limit, nr;
	struct sockaddr_in addr;
	int fd;

	if (argc != 5)
		return 64;
	allow_descriptors();
	addr = host_addr(argv[1], number(argv[2]));
	connected = number(argv[3]);
	limit = number(argv[4]);
	if (connected > limit || limit > 100000)
		return 64;

	for (nr = 0; nr < connected; nr++) {
		fds[nr] = tcp_connect(&addr);
		if (fds[nr] < 0) {
			printf("connection %lu: %s\n", nr + 1, error_name(errno));
			return 1;
		}
	}
	carry(connected, 1);
	printf("%lu sockets carry data\n", connected);

	for (; nr < limit; nr++) {
		fds[nr] = socket(AF_INET, SOCK_STREAM, 0);
		if (fds[nr] < 0) {
			printf("socket %lu: %s\n", nr + 1, error_name(errno));
			return 1;
		}
	}
	for (int i = 0; i < 3; i++) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		printf("socket %lu: %s\n", limit + 1, fd < 0 ? error_name(errno) : "made");
	}
	carry(connected, 2);
	printf("%lu sockets carry data\n", connected);

	/* lfpd hears of the close after the call has returned: not at once, but soon. */
	close(fds[connected - 1]);
	for (int64_t end = now_ms() + 60000;;) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd >= 0 || errno != ENFILE || now_ms() > end)
			break;
	}
	printf("after a close: %s\n", fd < 0 ? error_name(errno) : "made");
	carry(connected - 1, 3);
	printf("%lu sockets carry data\n", connected - 1);
	return 0;
}
