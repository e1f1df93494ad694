/* SPDX-License-Identifier: Apache-2.0 */
/* select.c - select, selectex, poll */
#include "libvsesock/vse/select.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/lec/lec.h"

EXPORT int lec_select(int n, uint32_t *readers, uint32_t *writers, uint32_t *exceptions,
		      const struct timeval *timeout);
EXPORT int lec_selectex(int n, uint32_t *readers, uint32_t *writers, uint32_t *exceptions,
			const struct timeval *timeout, const int *ecb);

struct lec_pollfd {
	int fd;
	short events;
	short revents;
};
EXPORT int lec_poll(struct lec_pollfd *polls, unsigned long nr, int timeout_ms);

static int select_as(const char *function, int n, uint32_t *readers, uint32_t *writers,
		     uint32_t *exceptions, const struct timeval *timeout, const int *ecb)
{
	uint32_t *const programs[VSE_SETS] = {readers, writers, exceptions};
	const volatile uint32_t *posts[1] = {(const uint32_t *)ecb};
	const struct vse_ecbs ecbs = {posts, ecb ? 1 : 0};
	size_t len;
	struct vse_sets *sets;
	struct vse_api *api;
	int rc = 0;

	if (lec_enter_as(function, &api))
		return -1;
	if (n < 0 || n > VSE_DESCRIPTORS)
		return lec_fail(EINVAL);
	len = ((size_t)n + 31) / 32 * 4;
	if ((timeout && memory_check_read(timeout, sizeof(*timeout))) ||
	    (ecb && memory_check_read(ecb, sizeof(*ecb))))
		return lec_fail(EFAULT);
	sets = calloc(1, sizeof(*sets));
	if (!sets)
		return lec_fail(ENOMEM);
	for (int i = 0; i < VSE_SETS && !rc; i++) {
		if (programs[i] && memory_check_result(programs[i], len))
			rc = -EFAULT;
		else if (programs[i])
			memcpy(sets->bits[i], programs[i], len);
	}
	if (!rc)
		rc = vse_select(api, n, sets, timeout, ecb ? &ecbs : NULL);
	for (int i = 0; i < VSE_SETS && rc >= 0; i++)
		if (programs[i])
			memcpy(programs[i], sets->bits[i], len);
	free(sets);
	return lec_end(rc);
}

int lec_select(int n, uint32_t *readers, uint32_t *writers, uint32_t *exceptions,
	       const struct timeval *timeout)
{
	return select_as(__func__, n, readers, writers, exceptions, timeout, NULL);
}

int lec_selectex(int n, uint32_t *readers, uint32_t *writers, uint32_t *exceptions,
		 const struct timeval *timeout, const int *ecb)
{
	return select_as(__func__, n, readers, writers, exceptions, timeout, ecb);
}

static const struct {
	short lec, native;
} bits[] = {
	{1, POLLRDNORM}, {2, POLLRDBAND}, {4, POLLWRNORM}, {8, POLLWRBAND},
	{16, POLLPRI},   {32, POLLERR},   {64, POLLHUP},   {128, POLLNVAL},
};
#define NR_BITS (sizeof(bits) / sizeof(bits[0]))

static short take_bits(short events)
{
	int native = 0;

	for (size_t i = 0; i < NR_BITS; i++)
		if (events & bits[i].lec)
			native |= bits[i].native;
	/* POLLIN and POLLOUT are what near ends report. */
	if (events & 1)
		native |= POLLIN;
	if (events & 4)
		native |= POLLOUT;
	return (short)native;
}

static short give_bits(short revents, short asked)
{
	int events = 0;

	for (size_t i = 0; i < NR_BITS; i++)
		if (revents & bits[i].native)
			events |= bits[i].lec;
	if (revents & POLLIN)
		events |= asked & 1;
	if (revents & POLLOUT)
		events |= asked & 4;
	return (short)events;
}

int lec_poll(struct lec_pollfd *polls, unsigned long nr, int timeout_ms)
{
	struct pollfd *native;
	struct vse_api *api;
	int rc, count = 0;
	bool bad = false;

	if (lec_enter(&api))
		return -1;
	if (nr > VSE_DESCRIPTORS)
		return lec_fail(EINVAL);
	if (nr && memory_check_result(polls, nr * sizeof(*polls)))
		return lec_fail(EFAULT);
	native = calloc(nr + 1, sizeof(*native));
	if (!native)
		return lec_fail(ENOMEM);
	for (unsigned long i = 0; i < nr; i++) {
		native[i].fd = polls[i].fd < 0 ? -1 : vse_fd(api, polls[i].fd);
		native[i].events = take_bits(polls[i].events);
		bad |= polls[i].fd >= 0 && native[i].fd < 0;
	}
	rc = poll(native, nr, bad ? 0 : timeout_ms);
	for (unsigned long i = 0; i < nr && rc >= 0; i++) {
		polls[i].revents = give_bits(native[i].revents, polls[i].events);
		if (polls[i].fd >= 0 && native[i].fd < 0)
			polls[i].revents = 128;
		count += polls[i].revents != 0;
	}
	free(native);
	return rc < 0 ? lec_fail(errno) : count;
}
