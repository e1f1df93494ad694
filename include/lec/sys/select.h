/* SPDX-License-Identifier: Apache-2.0 */
/* sys/select.h - select() on sockets of LE/C; an exception means that a given socket was taken */
#ifndef VSESOCK_LEC_SYS_SELECT_H
#define VSESOCK_LEC_SYS_SELECT_H

#include "../lec.h"
#include <bits/types.h>
#include <bits/types/struct_timeval.h>
#include <bits/types/struct_timespec.h>

#ifndef __suseconds_t_defined
typedef __suseconds_t suseconds_t;
#define __suseconds_t_defined
#endif

#define FD_SETSIZE 8192

typedef struct fd_set {
	unsigned int fds_bits[FD_SETSIZE / 32];
} fd_set;

#define FD_SET(d, set)   ((void)((set)->fds_bits[(d) / 32] |= 1u << ((d) % 32)))
#define FD_CLR(d, set)   ((void)((set)->fds_bits[(d) / 32] &= ~(1u << ((d) % 32))))
#define FD_ISSET(d, set) (((set)->fds_bits[(d) / 32] & 1u << ((d) % 32)) != 0)
#define FD_ZERO(set)     ((void)__builtin_memset((set), 0, sizeof(fd_set)))

LEC_BEGIN

extern int select(int n, fd_set *readers, fd_set *writers, fd_set *exceptions,
		  struct timeval *timeout) LEC_NAME(select);

/* @ecb: NULL, or an event control block, which is zero until it is posted; that ends the wait with
 * 0. */
extern int selectex(int n, fd_set *readers, fd_set *writers, fd_set *exceptions,
		    struct timeval *timeout, int *ecb) LEC_NAME(selectex);

LEC_END

#endif
