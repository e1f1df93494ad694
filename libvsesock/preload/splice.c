/* SPDX-License-Identifier: Apache-2.0 */
/* splice.c - splice, preadv2: what they read of a stream whose connection was lost is no end of
 * file */
#include <fcntl.h>
#include <sys/uio.h>

#include "libvsesock/preload/hooks.h"

/* Of datagrams they cannot read. */
static ssize_t finish(int fd, ssize_t rc, size_t wanted)
{
	char nn[3];

	if (__builtin_expect(rc > 0, 1) || near_kind(fd, nn) != NEAR_STREAM)
		return rc;
	return receive_finish(fd, rc, wanted);
}

EXPORT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t len,
		      unsigned int flags)
{
	return finish(from, real()->splice(from, from_at, to, to_at, len, flags), len);
}

EXPORT ssize_t preadv2(int fd, const struct iovec *iov, int count, off_t at, int flags)
{
	ssize_t rc = real()->preadv2(fd, iov, count, at, flags);

	return finish(fd, rc, rc == 0 && count > 0 ? iov_size(iov, (size_t)count) : 0);
}

EXPORT ssize_t preadv64v2(int fd, const struct iovec *iov, int count, off64_t at, int flags)
{
	return preadv2(fd, iov, count, at, flags);
}
