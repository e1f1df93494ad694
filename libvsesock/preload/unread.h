/* SPDX-License-Identifier: Apache-2.0 */
/* unread.h - TCP_INQ: what recvmsg() tells beside the data */
#ifndef VSESOCK_UNREAD_H
#define VSESOCK_UNREAD_H

#include <sys/socket.h>

/*
 * The instance has SO_INQ on at the near end of a socket with TCP_INQ, so the kernel tells what is
 * unread as of a UNIX socket. @msg was received on @fd; if that is a near end it is told as by TCP,
 * which counts the end of file as one byte. Messages without it cost nothing.
 */
void unread_tell(int fd, struct msghdr *msg);

#endif
