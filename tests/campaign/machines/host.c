/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - what hosts do with their connections to a program */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/campaign/machines/machines.h"

static void reset(int *slot)
{
	const struct linger now = {.l_onoff = 1};

	(void)setsockopt(*slot, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	put(slot, -1);
}

/* Connects to a socket of the program, if that listens. The near end does not tell its port, the
 * instance does. */
static void call(struct world *w, unsigned int slot)
{
	struct sockaddr_in addr = w->host;
	int fd, near = w->near[some(w, w->near, NEAR_ENDS)];

	addr.sin_port = near < 0 ? 0 : ctl_port(w, near);
	if (!addr.sin_port)
		return;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 &&
	    errno != EINPROGRESS) {
		close(fd);
		fd = -1;
	}
	put(&w->hosts[slot], fd);
	w->deaf[slot] = false;
}

void step_host(struct world *w)
{
	unsigned int slot = some(w, w->hosts, HOSTS), what = pick(w, 14);
	static char buf[70000];
	int fd = w->hosts[slot];
	ssize_t n;

	told(w, "host %u: act %u", slot, what);
	switch (what) {
	case 0:
		reset(&w->hosts[slot]);
		break;
	case 1:
		put(&w->hosts[slot], -1);
		break;
	case 2:
		(void)shutdown(fd, (int)pick(w, 3));
		break;
	case 3:
		w->deaf[slot] = true;
		break;
	case 4:
		(void)send(fd, "!", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 5:
	case 6:
		(void)send(fd, buf, 1 + pick(w, sizeof(buf) - 1), MSG_DONTWAIT | MSG_NOSIGNAL);
		break;
	case 7:
	case 8:
	case 9:
		put(&w->hosts[pick(w, HOSTS)],
		    accept4(w->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
		break;
	case 10:
	case 11:
		call(w, slot);
		break;
	default:
		n = w->deaf[slot] ? 0 : recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n > 0)
			(void)send(fd, buf, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}
