/* SPDX-License-Identifier: Apache-2.0 */
/* sys/uio.h - readv(), writev() on sockets of LE/C */
#ifndef VSESOCK_LEC_SYS_UIO_H
#define VSESOCK_LEC_SYS_UIO_H

#include "types.h"

struct iovec {
	void *iov_base;
	size_t iov_len;
};

LEC_BEGIN

extern ssize_t readv(int s, const struct iovec *iov, int count) LEC_NAME(readv);
extern ssize_t writev(int s, const struct iovec *iov, int count) LEC_NAME(writev);

LEC_END

#endif
