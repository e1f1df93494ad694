/* SPDX-License-Identifier: Apache-2.0 */
/* listeners.c - hints about listening descriptors, for calls that receive */
#include "libvsesock/preload/listeners.h"

#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/hooks.h"

uint64_t listeners_bits[LISTENERS_NR / 64];

static uint64_t bit(int fd)
{
	return UINT64_C(1) << ((unsigned int)fd % 64);
}

void listeners_note(int fd)
{
	if ((unsigned int)fd < LISTENERS_NR && !listeners_maybe(fd))
		__atomic_fetch_or(&listeners_bits[(unsigned int)fd / 64], bit(fd),
				  __ATOMIC_RELAXED);
}

bool listeners_is(int fd)
{
	char nn[3];
	int listens = 0;
	struct ctl_call call = {
		.op = LFP_CTL_GETSOCKOPT,
		.a = SOL_SOCKET,
		.b = SO_ACCEPTCONN,
		.c = sizeof(listens),
		.fd = fd,
		.answer = &listens,
		.room = sizeof(listens),
	};

	/* A listener is never writable, so most other sockets are recognised without asking the
	 * instance. */
	if (!sandbox_kills(SANDBOX_PPOLL) && !(raw_poll_now(fd, POLLOUT) & POLLOUT) &&
	    near_end(fd, nn)) {
		call.nn = nn;
		if (ctl_call(&call) >= 0 && listens)
			return true;
	}
	__atomic_fetch_and(&listeners_bits[(unsigned int)fd / 64], ~bit(fd), __ATOMIC_RELAXED);
	return false;
}
