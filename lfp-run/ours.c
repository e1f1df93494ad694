/* SPDX-License-Identifier: Apache-2.0 */
/* ours.c - which sockets are near ends, by the word of their instance */
#include "lfp-run/near-call.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/raw.h"

#define WAYS 4u /* places that a cookie may have */
#define SETS (OURS_MAX / WAYS)

static struct {
	pthread_mutex_t lock;
	uint64_t cookies[SETS][WAYS];
	uint8_t next[SETS];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Returns the cookie of the socket, or 0 if it has none. */
static uint64_t read_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return raw_getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) < 0 ? 0 : cookie;
}

static bool find(uint64_t cookie)
{
	const uint64_t *set = known.cookies[cookie % SETS];

	for (unsigned int i = 0; i < WAYS; i++)
		if (set[i] == cookie)
			return true;
	return false;
}

static bool is_known(uint64_t cookie)
{
	bool found;

	pthread_mutex_lock(&known.lock);
	found = find(cookie);
	pthread_mutex_unlock(&known.lock);
	return found;
}

static void keep(uint64_t cookie)
{
	unsigned int set = cookie % SETS;

	pthread_mutex_lock(&known.lock);
	if (!find(cookie))
		known.cookies[set][known.next[set]++ % WAYS] = cookie;
	pthread_mutex_unlock(&known.lock);
}

/* The instance also says yes, by ENOTCONN, where the connection of a near end is over. */
static bool ask(int fd, const char *nn)
{
	struct ctl_call call = {.nn = nn, .op = LFP_CTL_IDENTIFY, .fd = fd};
	int rc = ctl_call(&call);

	return call.answered && (!rc || rc == -ENOTCONN);
}

bool ours_is(int fd, const char *nn)
{
	uint64_t cookie = read_cookie(fd);

	if (!cookie)
		return false;
	if (is_known(cookie))
		return true;
	if (!ask(fd, nn))
		return false;
	keep(cookie);
	return true;
}

void ours_note(int fd)
{
	uint64_t cookie = read_cookie(fd);

	if (cookie)
		keep(cookie);
}
