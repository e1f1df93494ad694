/* SPDX-License-Identifier: Apache-2.0 */
/* splice.c - splice, preadv2, sendfile: corrects their end of file and their errors */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libvsesock/core/near.h"
#include "libvsesock/preload/hooks.h"

/* These calls cannot read datagrams. */
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
	ssize_t rc;

	near_sends(to);
	rc = real()->splice(from, from_at, to, to_at, len, flags);
	return rc < 0 && errno == ENOTCONN ? send_finish(to, rc) : finish(from, rc, len);
}

EXPORT ssize_t sendfile(int to, int from, off_t *at, size_t len)
{
	near_sends(to);
	return send_finish(to, real()->sendfile(to, from, at, len));
}

EXPORT ssize_t sendfile64(int to, int from, off64_t *at, size_t len)
{
	return sendfile(to, from, at, len);
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
