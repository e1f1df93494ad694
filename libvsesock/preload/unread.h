/* SPDX-License-Identifier: Apache-2.0 */
/* unread.h - TCP_INQ: what recvmsg() tells beside the data */
#ifndef VSESOCK_UNREAD_H
#define VSESOCK_UNREAD_H

#include <sys/socket.h>

/*
 * The instance has SO_INQ on at the near end of a socket with TCP_INQ, so the kernel tells what is
 * unread as of a UNIX socket. Before Linux 6.17 it has a mark instead (lfp/ctl.h), and the library
 * asks, in processes that have set the option, or have asked for it.
 */

/* TCP_INQ was set or asked for on a near end, and is @on. */
void unread_note(int fd, int on);

/* The room for control messages of @msg, which recvmsg() overwrites; 0 if nobody needs it. */
size_t unread_room(const struct msghdr *msg);

/*
 * @msg was received on @fd, and had @room before. If that is a near end it is told
 * as by TCP, which counts the end of file as one byte. Messages without it cost nothing.
 */
void unread_tell(int fd, struct msghdr *msg, size_t room);

#endif
