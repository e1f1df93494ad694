/* SPDX-License-Identifier: Apache-2.0 */
/* bad-memory.c - sending from memory that cannot be read, with short and with huge lengths */
#include <limits.h>

#include "tests/conformance/conform.h"

static const size_t lengths[] = {1, 65536, 1u << 30, (size_t)INT_MAX + 1};

/* Two good pages, then one that cannot be read. */
static char *half_good(size_t good)
{
	char *at =
		mmap(NULL, good + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(at + good, 4096, PROT_NONE);
	return at;
}

static void each_call(const char *what, int fd, const struct addr *to, void *bad)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t len = lengths[i];
		struct iovec iov[2] = {{bad, len}, {bad, 1}};
		struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
		char text[64];

		snprintf(text, sizeof(text), "%s %zu bytes: send", what, len);
		TRY(text, send(fd, bad, len, MSG_NOSIGNAL | MSG_DONTWAIT));
		snprintf(text, sizeof(text), "%s %zu bytes: sendto", what, len);
		TRY(text, sendto(fd, bad, len, MSG_NOSIGNAL | MSG_DONTWAIT, ADDR(to)));
		snprintf(text, sizeof(text), "%s %zu bytes: sendmsg", what, len);
		TRY(text, sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT));
		snprintf(text, sizeof(text), "%s %zu bytes: write", what, len);
		TRY(text, write(fd, bad, len));
		snprintf(text, sizeof(text), "%s %zu bytes: writev", what, len);
		TRY(text, writev(fd, iov, 2));
		if (what[0] == 'c' && strstr(scope, "tcp")) {
			snprintf(text, sizeof(text), "%s %zu bytes: MSG_MORE", what, len);
			TRY(text, send(fd, bad, len, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_MORE));
			snprintf(text, sizeof(text), "%s %zu bytes: MSG_OOB", what, len);
			TRY(text, send(fd, bad, len, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_OOB));
		}
	}
}

int main(void)
{
	void *bad = bad_address(), *kernel = (void *)-4096;
	int af;

	begin();
	EACH_FAMILY(af)
	{
		struct addr to = loopback(af, 9);
		char *half = half_good(8192);
		int fd[2], one;

		about("tcp%d", digit(af));
		stream_pair(af, fd);
		each_call("connected", fd[0], &to, bad);
		each_call("connected, kernel's", fd[0], &to, kernel);
		say("nothing came", "%s", received(fd[1], MSG_DONTWAIT));
		TRY("half of it", send(fd[0], half + 8192 - 10, 20, MSG_NOSIGNAL));
		TRY("a page of it", send(fd[0], half, 12288, MSG_NOSIGNAL));
		close_pair(fd);
		one = new_socket(af, SOCK_STREAM);
		each_call("new", one, &to, bad);
		close(one);

		about("udp%d", digit(af));
		datagram_pair(af, fd);
		each_call("connected", fd[0], &to, bad);
		close_pair(fd);
	}
	return 0;
}
