/* SPDX-License-Identifier: Apache-2.0 */
/* renew.h - another near end for a socket that is to connect again */
#ifndef VSESOCK_RENEW_H
#define VSESOCK_RENEW_H

/**
 * renew() - put a new near end in the place of one whose connection is over
 * @fd:		the near end, for which CONNECT has said EBADFD
 * @nn:		its instance
 *
 * All descriptors of the socket in this process are replaced, and so are its places in epoll sets.
 * Return: 0 or a negative errno.
 */
int renew(int fd, const char *nn);

#endif
