/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - a UNIX socket that listens at a path */
#ifndef LFP_LISTEN_H
#define LFP_LISTEN_H

#include <sys/types.h>

/**
 * lfp_listen() - make a non-blocking, close-on-exec listener
 * @path:	what is there is removed first: the caller holds the lock of its instance
 * (pidfile.h), so it is stale
 * @type:	SOCK_STREAM or SOCK_SEQPACKET
 * @mode:	who may connect
 * @backlog:	as for listen(2)
 *
 * Return: the descriptor, or a negative errno.
 */
int lfp_listen(const char *path, int type, mode_t mode, int backlog);

#endif
