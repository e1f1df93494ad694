/* SPDX-License-Identifier: Apache-2.0 */
/* aio.h - asynchronous read() and write() on sockets of LE/C */
#ifndef VSESOCK_LEC_AIO_H
#define VSESOCK_LEC_AIO_H

#include <signal.h>
#include <bits/types/sigevent_t.h>
#include <time.h>

#include "sys/types.h"

struct aiocb {
	int aio_fildes;   /* a socket */
	off_t aio_offset; /* not looked at */
	volatile void *aio_buf;
	size_t aio_nbytes;
	int aio_reqprio;              /* not looked at */
	struct sigevent aio_sigevent; /* SIGEV_SIGNAL and SIGEV_NONE */
	int aio_lio_opcode;           /* not looked at */
};

/* Results of aio_cancel(); the numbers are ours. */
#define AIO_CANCELED    1
#define AIO_NOTCANCELED 2
#define AIO_ALLDONE     3

LEC_BEGIN

extern int aio_read(struct aiocb *request) LEC_NAME(aio_read);
extern int aio_write(struct aiocb *request) LEC_NAME(aio_write);
extern int aio_error(const struct aiocb *request) LEC_NAME(aio_error);
extern ssize_t aio_return(struct aiocb *request) LEC_NAME(aio_return);
extern int aio_suspend(const struct aiocb *const requests[], int nr, const struct timespec *timeout)
	LEC_NAME(aio_suspend);
extern int aio_cancel(int s, struct aiocb *request) LEC_NAME(aio_cancel);

LEC_END

#endif
