/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - recognises LFP's descriptors */
#include "libvsesock/core/near.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "lfp/datagram.h"
#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/fresh.h"
#include "libvsesock/core/known.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/recognised.h"
#include "libvsesock/core/sandbox.h"

/* Asks the instance about a UNIX socket that the program's own seccomp filter hides. */
static bool is_known(int fd, char nn[static 3])
{
	struct ctl_call call = {.nn = place_instance(), .op = LFP_CTL_IDENTIFY, .fd = fd};
	int rc = ctl_call(&call);

	memcpy(nn, call.nn, 3);
	return call.answered && rc != -EBADF;
}

/* The same for a socket whose name is hidden. */
static enum near_kind ask_instance(int fd, char nn[static 3])
{
	int domain = 0, type = 0;
	socklen_t len = sizeof(domain);

	if (raw_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 || domain != AF_UNIX ||
	    raw_getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) < 0 || !is_known(fd, nn))
		return NEAR_NONE;
	return type == SOCK_DGRAM ? NEAR_DATAGRAM : NEAR_STREAM;
}

/* Returns true for a fresh socket (fresh.h) or another stream without a path: both have a mark. */
static bool is_marked(int fd, char nn[static 3])
{
	uint64_t mark = 0;
	socklen_t len = sizeof(mark);
	int rc;

	if (sandbox_kills(SANDBOX_MARK))
		return is_known(fd, nn);
	rc = raw_getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &mark, &len);
	if (rc < 0)
		return rc != -EBADF && rc != -ENOPROTOOPT && is_known(fd, nn);
	return len == sizeof(mark) && lfp_fresh_read(mark, nn) > 0;
}

_Thread_local bool near_dontwait;

uint64_t near_datagram_bits[NEAR_HINTS_NR / 64], near_other_bits[NEAR_HINTS_NR / 64];
uint64_t near_stream_bits[NEAR_HINTS_NR / 64], near_quiet_bits[NEAR_HINTS_NR / 64];
uint64_t near_cookie_bits[NEAR_HINTS_NR / 64];

static void set_bit(uint64_t *bits, int fd, bool on)
{
	uint64_t bit = UINT64_C(1) << ((unsigned int)fd % 64);

	if (near_bit(bits, fd) == on)
		return;
	if (on)
		__atomic_fetch_or(&bits[(unsigned int)fd / 64], bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&bits[(unsigned int)fd / 64], ~bit, __ATOMIC_RELAXED);
}

static void note_datagram(int fd, bool datagram)
{
	if ((unsigned int)fd >= NEAR_HINTS_NR)
		return;
	set_bit(near_datagram_bits, fd, datagram);
	set_bit(near_other_bits, fd, !datagram);
	if (datagram)
		set_bit(near_stream_bits, fd, false);
}

void near_note(int fd, enum near_kind kind)
{
	note_datagram(fd, kind == NEAR_DATAGRAM);
	if ((unsigned int)fd >= NEAR_HINTS_NR)
		return;
	set_bit(near_stream_bits, fd, kind == NEAR_STREAM);
	set_bit(near_cookie_bits, fd, false);
}

void near_note_cookie(int fd)
{
	if ((unsigned int)fd < NEAR_HINTS_NR)
		set_bit(near_cookie_bits, fd, true);
}

void near_forget(int fd)
{
	if ((unsigned int)fd >= NEAR_HINTS_NR)
		return;
	set_bit(near_datagram_bits, fd, false);
	set_bit(near_other_bits, fd, false);
	set_bit(near_stream_bits, fd, false);
	set_bit(near_quiet_bits, fd, false);
	set_bit(near_cookie_bits, fd, false);
}

void near_note_quiet(int fd)
{
	if ((unsigned int)fd < NEAR_HINTS_NR)
		set_bit(near_quiet_bits, fd, true);
}

void near_end_quiet(int fd)
{
	set_bit(near_quiet_bits, fd, false);
}

void near_copied(int from, int to)
{
	if (from == to)
		return;
	near_sends(from); /* by the other number */
	near_sends(to);
	fresh_escaped(from);
	if (!near_bit(near_other_bits, from) || near_bit(near_datagram_bits, to))
		near_forget(to);
	else if (near_bit(near_stream_bits, to) && !near_bit(near_stream_bits, from))
		set_bit(near_stream_bits, to, false);
}

void near_instance(const struct sockaddr_un *near, char nn[static 3])
{
	memcpy(nn, near->sun_path + LFP_NEAR_PREFIX_LEN, 2);
	nn[2] = '\0';
}

static enum near_kind find_kind(int fd, char nn[static 3])
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int rc;

	/* The name is unknown: treat the descriptor as not LFP's. */
	if (sandbox_kills(SANDBOX_GETSOCKNAME))
		return NEAR_NONE;
	rc = raw_getsockname(fd, &addr, &len);
	if (rc < 0 && rc != -EBADF && rc != -ENOTSOCK)
		return ask_instance(fd, nn);
	if (rc < 0)
		return NEAR_NONE;
	if (addr.sun_family == AF_UNIX && len == offsetof(struct sockaddr_un, sun_path))
		return is_marked(fd, nn) ? NEAR_STREAM : NEAR_NONE;
	if (!lfp_near_path(&addr, len))
		return NEAR_NONE;
	near_instance(&addr, nn);
	return lfp_near_is_datagram(&addr) ? NEAR_DATAGRAM : NEAR_STREAM;
}

enum near_kind near_kind_cookie(int fd, char nn[static 3], uint64_t *cookie)
{
	enum near_kind kind;

	*cookie = 0;
	if (near_bit(near_cookie_bits, fd) && !sandbox_kills(SANDBOX_GETSOCKNAME))
		*cookie = known_cookie(fd);
	if (recognised_get(*cookie, nn))
		return NEAR_STREAM;
	kind = find_kind(fd, nn);
	near_note(fd, kind);
	return kind;
}

enum near_kind near_kind(int fd, char nn[static 3])
{
	uint64_t cookie;

	return near_kind_cookie(fd, nn, &cookie);
}

bool near_end(int fd, char nn[static 3])
{
	return near_kind(fd, nn) != NEAR_NONE;
}

bool near_datagram(int fd, struct sockaddr_un *near)
{
	socklen_t len = sizeof(*near);
	bool is = !sandbox_kills(SANDBOX_GETSOCKNAME) && raw_getsockname(fd, near, &len) == 0 &&
		  lfp_near_path(near, len) && lfp_near_is_datagram(near);

	note_datagram(fd, is);
	return is;
}

bool near_end_paired(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return raw_getpeername(fd, &addr, &len) == 0;
}
