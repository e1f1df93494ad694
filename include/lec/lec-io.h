/* SPDX-License-Identifier: Apache-2.0 */
/* lec-io.h - calls on sockets that programs may expect in sys/socket.h or in unistd.h */
#ifndef VSESOCK_LEC_IO_H
#define VSESOCK_LEC_IO_H

#include "sys/types.h"

LEC_BEGIN

extern ssize_t read(int s, void *buf, size_t len) LEC_NAME(read);
extern ssize_t write(int s, const void *buf, size_t len) LEC_NAME(write);
extern int close(int s) LEC_NAME(close);
extern int gethostname(char *name, size_t room) LEC_THROW LEC_NAME(gethostname);
extern long gethostid(void) LEC_NAME(gethostid);

LEC_END

#endif
