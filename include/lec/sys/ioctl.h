/* SPDX-License-Identifier: Apache-2.0 */
/* sys/ioctl.h - ioctl() on sockets of LE/C; the numbers are z/OS's */
#ifndef VSESOCK_LEC_SYS_IOCTL_H
#define VSESOCK_LEC_SYS_IOCTL_H

#include "../lec.h"

#define FIONBIO    0x8004A77E
#define FIONREAD   0x4004A77F
#define SIOCATMARK 0x4004A707

LEC_BEGIN

extern int ioctl(int s, unsigned int request, ...) LEC_NAME(ioctl);

LEC_END

#endif
