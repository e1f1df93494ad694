/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - what a sequence has, its chance, and its steps */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"
#include "tests/system/tool.h"

static unsigned int pick_byte(struct world *w)
{
	if (!w->left)
		return 0;
	w->left--;
	return *w->data++;
}

unsigned int pick(struct world *w, unsigned int of)
{
	if (w->data)
		return pick_byte(w) % of;
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (unsigned int)((w->random >> 16) % of);
}

void told(struct world *w, const char *format, ...)
{
	va_list args;

	if (!w->tells)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

unsigned int some(struct world *w, const int *fds, unsigned int nr)
{
	unsigned int slot = 0;

	for (int i = 0; i < 4; i++) {
		slot = pick(w, nr);
		if (fds[slot] >= 0)
			break;
	}
	return slot;
}

void put(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
	if (fd >= 0) /* a near end's raw calls must not wait */
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void forget(int *fds, unsigned int nr, bool closes)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (closes && fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static void forget_all(struct world *w, bool closes)
{
	forget(w->near, NEAR_ENDS, closes);
	forget(w->conns, CONNS, closes);
	forget(w->parked, PARKED, closes);
	forget(w->hosts, HOSTS, closes);
	memset(w->busy, 0, sizeof(w->busy));
	memset(w->deaf, 0, sizeof(w->deaf));
}

int host_listen(struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	*addr = host_addr("127.0.0.1", 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, len) < 0 || listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)addr, &len) < 0)
		die("the host's listener");
	return fd;
}

void world_step(struct world *w)
{
	unsigned int which = pick(w, 20);

	w->steps++;
	if (which < 9)
		step_request(w);
	else if (which < 14)
		step_near(w);
	else if (which < 19)
		step_host(w);
	else
		poll(NULL, 0, (int)pick(w, 3)); /* the daemons catch up */
	take_answers(w);
}

static int64_t counted;

int64_t wait_counted(void)
{
	return counted;
}

/* Waits in short looks, so that a moment in which the whole machine stands still counts as one
 * look. */
int wait_readable(int fd)
{
	enum { LOOK_MS = 50, MOST_MS = 8 * LONGEST_MS };
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int64_t held = 0;
	int rc = 0;

	counted = 0;
	for (int ms = 0; rc == 0 && ms < MOST_MS; ms += LOOK_MS) {
		if (ms == LOOK_MS) /* most waits are over before */
			held = held_up_ms();
		if (ms >= LONGEST_MS)
			counted = ms - (held_up_ms() - held);
		if (counted >= LONGEST_MS)
			break;
		do
			rc = poll(&pfd, 1, LOOK_MS);
		while (rc < 0 && errno == EINTR); /* a timer of the fuzzer's */
	}
	return rc;
}

void world_empty(struct world *w)
{
	forget_all(w, true);
}

void world_begin(struct world *w)
{
	forget_all(w, false);
	w->listener = host_listen(&w->host);
}
