/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - the host that makes trouble, and a bystander that must not notice */
#include "tests/system/misuse/misuse.h"

#include <netinet/tcp.h>
#include <poll.h>

#include "tests/system/tool.h"

enum { CONNS = 128 };

static struct pollfd conns[CONNS];
static unsigned int oldest;

static void keep(int fd)
{
	struct pollfd *pfd = &conns[oldest++ % CONNS];

	if (pfd->fd >= 0)
		close(pfd->fd);
	*pfd = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void reset(struct pollfd *pfd)
{
	const struct linger now = {.l_onoff = 1};

	(void)setsockopt(pfd->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(pfd->fd);
	pfd->fd = -1;
}

static void trouble(struct pollfd *pfd, uint64_t *seed)
{
	static char buf[70000];
	ssize_t n;

	switch (next_random(seed) % 24) {
	case 0:
		reset(pfd);
		break;
	case 1:
		close(pfd->fd);
		pfd->fd = -1;
		break;
	case 2:
		(void)shutdown(pfd->fd, SHUT_WR);
		break;
	case 3:
		pfd->events = 0; /* reads no more */
		break;
	case 4:
		(void)send(pfd->fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 5:
		(void)send(pfd->fd, buf, sizeof(buf), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 6:
		(void)shutdown(pfd->fd, SHUT_RDWR);
		break;
	default:
		n = pfd->revents & POLLIN ? recv(pfd->fd, buf, sizeof(buf), MSG_DONTWAIT) : 0;
		if (n > 0)
			(void)send(pfd->fd, buf, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* Calls one of the listeners that the programs may have. */
static void call_a_program(uint64_t *seed)
{
	struct sockaddr_in addr = port_after(2 + (unsigned int)(next_random(seed) % PORTS));
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 && errno != EINPROGRESS)
		close(fd);
	else
		keep(fd);
}

_Noreturn void host(uint64_t seed)
{
	int listener = tcp_listen(&target, SOCK_NONBLOCK);

	for (int i = 0; i < CONNS; i++)
		conns[i].fd = -1;
	for (;;) {
		int fd;

		(void)poll(conns, CONNS, 5);
		while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0)
			keep(fd);
		for (int i = 0; i < CONNS; i++)
			if (conns[i].fd >= 0 && (conns[i].revents || next_random(&seed) % 16 == 0))
				trouble(&conns[i], &seed);
		call_a_program(&seed);
	}
}

int bystander(const char *file)
{
	static unsigned char out[20000], in[20000];
	int fd = tcp_connect(&target);
	uint64_t nr = 0;

	if (fd < 0)
		die("the bystander's connect");
	do {
		pattern(out, sizeof(out), nr);
		if (send_all(fd, out, sizeof(out)) < 0 || recv_all(fd, in, sizeof(in)) < 0)
			die("the bystander's echo");
		if (memcmp(in, out, sizeof(in))) {
			printf("block %lu has other bytes\n", (unsigned long)nr);
			return 1;
		}
		if (!nr++) {
			printf("ready\n");
			fflush(stdout);
		}
		poll(NULL, 0, 5);
	} while (access(file, F_OK) < 0);
	printf("%lu blocks\n", (unsigned long)nr);
	return 0;
}
