/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - select() on descriptors of the z/VSE interfaces */
#include "libvsesock/vse/select.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/core/raw.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/clock.h"
#include "libvsesock/vse/socket.h"

/*
 * Theory of operation
 *
 * Near ends report readiness by themselves: this is poll(). A socket that was given hangs up when
 * it is taken. It may hang up earlier, if its peer ends the connection. So the instance is asked,
 * and asked again every VSE_LOOK_MS as long as the socket is not taken. ECBs are looked at every
 * VSE_LOOK_MS, too, because a poster only stores into memory.
 */

static uint32_t bit(int s)
{
	return UINT32_C(1) << (s % 32);
}

static bool has(const struct vse_sets *sets, enum vse_set set, int s)
{
	return sets->bits[set][s / 32] & bit(s);
}

/* Returns the deadline in ms, rounded up; -1: none. */
static int64_t end_of(const struct timeval *timeout)
{
	if (!timeout)
		return -1;
	if (timeout->tv_sec > INT_MAX)
		return -1;
	return vse_now_ms() + timeout->tv_sec * INT64_C(1000) + (timeout->tv_usec + 999) / 1000;
}

static int left_ms(int64_t end, bool looks)
{
	int64_t left = end < 0 ? INT_MAX : end - vse_now_ms();

	if (left < 0)
		left = 0;
	if (left > INT_MAX)
		left = INT_MAX;
	if (looks && left > VSE_LOOK_MS)
		left = VSE_LOOK_MS;
	return end < 0 && !looks ? -1 : (int)left;
}

static bool is_posted(const struct vse_ecbs *ecbs)
{
	for (int i = 0; ecbs && i < ecbs->nr; i++)
		if (__atomic_load_n(ecbs->ecbs[i], __ATOMIC_ACQUIRE))
			return true;
	return false;
}

struct entry {
	int s;
	bool given;
	bool hung; /* has hung up and is not taken yet: must not be polled */
};

struct wait {
	struct vse_api *api;
	struct pollfd *polls;
	struct entry *entries;
	int nr;
	bool asks; /* an entry is in that state */
};

/* Adds a descriptor to the wait if a set has it; 0 or -EBADF. */
static int add(struct wait *wait, const struct vse_sets *sets, int s)
{
	struct pollfd *at = &wait->polls[wait->nr];
	struct entry *entry = &wait->entries[wait->nr];
	bool reads = has(sets, VSE_READ, s), writes = has(sets, VSE_WRITE, s);

	if (!reads && !writes && !has(sets, VSE_TAKEN, s))
		return 0;
	*entry = (struct entry){.s = s};
	at->fd = vse_fd_given(wait->api, s, &entry->given);
	if (at->fd < 0 || (entry->given && (reads || writes)))
		return -EBADF;
	at->events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
	wait->nr++;
	return 0;
}

static void look_at(struct wait *wait, int i, const struct vse_sets *asked, struct vse_sets *ready,
		    int *nr)
{
	struct entry *entry = &wait->entries[i];
	short events = wait->polls[i].revents;
	bool hangs = events & (POLLHUP | POLLERR);
	int s = entry->s;

	if (entry->given) {
		if ((!hangs && !entry->hung) || !has(asked, VSE_TAKEN, s))
			return;
		if (!vse_is_taken(wait->api, s)) {
			entry->hung = wait->asks = true;
			wait->polls[i].fd = -1;
			return;
		}
		ready->bits[VSE_TAKEN][s / 32] |= bit(s);
		(*nr)++;
		return;
	}
	if (has(asked, VSE_READ, s) && ((events & POLLIN) || hangs)) {
		ready->bits[VSE_READ][s / 32] |= bit(s);
		(*nr)++;
	}
	if (has(asked, VSE_WRITE, s) && ((events & POLLOUT) || hangs)) {
		ready->bits[VSE_WRITE][s / 32] |= bit(s);
		(*nr)++;
	}
}

static int wait_for(struct wait *wait, struct vse_sets *sets, int64_t end,
		    const struct vse_ecbs *ecbs)
{
	struct vse_sets ready;
	int nr = 0, rc;

	memset(&ready, 0, sizeof(ready));
	for (;;) {
		int ms = left_ms(end, wait->asks || (ecbs && ecbs->nr));

		if (is_posted(ecbs))
			break;
		rc = poll(wait->polls, (nfds_t)wait->nr, ms);
		if (rc < 0)
			return -errno;
		for (int i = 0; i < wait->nr; i++) {
			/* Another thread has closed the near end. */
			if (wait->polls[i].revents & POLLNVAL)
				return -EBADF;
			look_at(wait, i, sets, &ready, &nr);
		}
		if (nr || is_posted(ecbs) || (end >= 0 && vse_now_ms() >= end))
			break;
	}
	*sets = ready;
	return nr;
}

/* Checks the rules of strict runs; 0 or a negative error. */
static int check_strict(const struct vse_api *api, int n, const struct vse_sets *sets)
{
	int rc;

	if (!strict_on())
		return 0;
	rc = strict_select(n, api->max);
	/* Bits after the last descriptor are known up to the end of its fullword. */
	for (int s = n; s % 32; s++)
		for (int i = 0; i < VSE_SETS && !rc; i++)
			if (has(sets, (enum vse_set)i, s))
				rc = strict_mask(n, s);
	return rc;
}

int vse_select(struct vse_api *api, int n, struct vse_sets *sets, const struct timeval *timeout,
	       const struct vse_ecbs *ecbs)
{
	struct wait wait = {.api = api};
	int rc;

	if (n < 0 || n > VSE_DESCRIPTORS ||
	    (timeout && (timeout->tv_sec < 0 || timeout->tv_usec < 0 || timeout->tv_usec > 999999)))
		return -EINVAL;
	rc = check_strict(api, n, sets);
	if (rc < 0)
		return rc;
	wait.polls = calloc((size_t)n + 1, sizeof(*wait.polls));
	wait.entries = calloc((size_t)n + 1, sizeof(*wait.entries));
	if (!wait.polls || !wait.entries)
		rc = -ENOMEM;
	for (int s = 0; s < n && !rc; s++)
		rc = add(&wait, sets, s);
	if (!rc)
		rc = wait_for(&wait, sets, end_of(timeout), ecbs);
	free(wait.polls);
	free(wait.entries);
	return rc;
}
