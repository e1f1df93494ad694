/* SPDX-License-Identifier: Apache-2.0 */
/* greeting.c - the message by which two sides come to share memory, and its descriptors */
#include "transport/greeting.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/rights.h"
#include "transport/passed.h"

int greeting_send(int sock, const void *bytes, size_t len, const int fds[static GREETING_FDS])
{
	struct iovec part = {(void *)(uintptr_t)bytes, len};

	return lfp_rights_send(sock, &part, 1, fds, GREETING_FDS);
}

ssize_t greeting_receive(int sock, void *bytes, size_t len, int fds[static GREETING_FDS])
{
	struct iovec part = {bytes, len};
	union passed control;
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t n = passed_take(sock, &msg, GREETING_FDS);

	for (int i = 0; i < GREETING_FDS; i++)
		fds[i] = -1;
	if (n < 0)
		return n;
	if (lfp_rights_take(&msg, fds, GREETING_FDS) != GREETING_FDS) {
		passed_drop(&msg);
		for (int i = 0; i < GREETING_FDS; i++)
			fds[i] = -1;
	}
	return n;
}

void greeting_drop(int fds[static GREETING_FDS])
{
	for (int i = 0; i < GREETING_FDS; i++) {
		if (fds[i] >= 0)
			passed_close(fds[i]);
		fds[i] = -1;
	}
}

static bool is_eventfd(int fd)
{
	char link[64], name[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, sizeof(name) - 1);
	if (n < 0)
		return false;
	name[n] = '\0';
	return !strcmp(name, "anon_inode:[eventfd]");
}

static bool set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* Returns true if one read empties the eventfd. A semaphore would stay readable. */
static bool silence(int bell)
{
	uint64_t count = 2;

	/* If there is no room for 2 more, the count is above 2 already. */
	if (write(bell, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return false;
	return read(bell, &count, sizeof(count)) == sizeof(count) && count > 1;
}

bool greeting_complete(const int fds[static GREETING_FDS])
{
	for (int i = 0; i < GREETING_FDS; i++)
		if (fds[i] < 0 || (i && (!is_eventfd(fds[i]) || !set_nonblocking(fds[i]))))
			return false;
	return silence(fds[1]);
}

void greeting_keep_bells(int fds[static GREETING_FDS], bool good, int *bell, int *peer_bell)
{
	if (good) {
		/* Shared memory that is mapped: its close() waits for nothing. */
		close(fds[0]);
		*bell = fds[1];
		*peer_bell = fds[2];
		fds[0] = fds[1] = fds[2] = -1;
	}
	greeting_drop(fds);
}

int greeting_answer(int sock, const void *bytes, size_t len)
{
	return send(sock, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}
