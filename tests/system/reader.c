/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - read a transfer whose end is the end of the connection
 *
 *	reader recv|recvmsg|read|readv|poll|stdio HOST PORT BYTES
 *
 * Says "connected", "got" when BYTES have been read, "more" for any after them, and in the end "eof
 * N" or "ERROR N", with the number of bytes read.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>

#include "tests/system/tool.h"

static char buf[5000];

static ssize_t get(const char *how, int fd, FILE *file)
{
	struct iovec iov[2] = {{buf, 10}, {buf + 10, sizeof(buf) - 10}};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	ssize_t n;

	if (!strcmp(how, "recv"))
		return recv(fd, buf, sizeof(buf), 0);
	if (!strcmp(how, "recvmsg"))
		return recvmsg(fd, &msg, 0);
	if (!strcmp(how, "read"))
		return read(fd, buf, sizeof(buf));
	if (!strcmp(how, "readv"))
		return readv(fd, iov, 2);
	if (!strcmp(how, "poll")) {
		while ((n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT)) < 0 && errno == EAGAIN)
			poll(&pfd, 1, -1);
		return n;
	}
	if (!strcmp(how, "stdio")) {
		n = getc(file);
		return n != EOF ? 1 : ferror(file) ? -1 : 0;
	}
	exit(64);
}

int main(int argc, char **argv)
{
	unsigned long want, total = 0;
	struct sockaddr_in addr;
	FILE *file = NULL;
	ssize_t n;
	int fd;

	if (argc != 5)
		return 64;
	setvbuf(stdout, NULL, _IOLBF, 0);
	addr = host_addr(argv[2], number(argv[3]));
	want = number(argv[4]);
	fd = tcp_connect(&addr);
	if (fd < 0)
		die("connect");
	puts("connected");
	if (!strcmp(argv[1], "stdio"))
		file = fdopen(fd, "r");
	while ((n = get(argv[1], fd, file)) > 0) {
		if (total < want && total + (unsigned long)n >= want)
			puts("got");
		total += (unsigned long)n;
		if (total > want) {
			puts("more");
			return 1;
		}
	}
	printf("%s %lu\n", n == 0 ? "eof" : error_name(errno), total);
	return 0;
}
