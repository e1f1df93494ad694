/* SPDX-License-Identifier: Apache-2.0 */
/* fcntl.h - fcntl() on sockets of LE/C */
#ifndef VSESOCK_LEC_FCNTL_H
#define VSESOCK_LEC_FCNTL_H

#include "sys/types.h"

#define F_GETFL 3
#define F_SETFL 4

#define O_NONBLOCK 4
#define O_NDELAY   O_NONBLOCK
#define FNDELAY    O_NONBLOCK

LEC_BEGIN

extern int fcntl(int s, int command, ...) LEC_NAME(fcntl);

LEC_END

#endif
