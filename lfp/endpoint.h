/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.h - where something listens for this host alone: a UNIX socket, or a loopback port */
#ifndef LFP_ENDPOINT_H
#define LFP_ENDPOINT_H

#include <sys/types.h>
#include <sys/socket.h>

/**
 * lfp_endpoint() - read one
 * @text:	an absolute path of at most 107 bytes, 127.x.y.z:PORT, [::1]:PORT, or PORT, which is
 *		127.0.0.1:PORT
 * @addr:	filled; bytes that the address does not use are 0
 *
 * Return: 0, or -EINVAL.
 */
int lfp_endpoint(const char *text, struct sockaddr_storage *addr, socklen_t *len);

/**
 * lfp_listen() - make a non-blocking, close-on-exec listener
 * @path:	an existing file is removed first, because it is stale: the caller holds the lock of
 * its instance (pidfile.h)
 * @type:	SOCK_STREAM or SOCK_SEQPACKET
 * @mode:	rights to connect
 * @backlog:	as for listen(2)
 *
 * Return: the descriptor, or a negative errno.
 */
int lfp_listen(const char *path, int type, mode_t mode, int backlog);

/* Sets the mode of the socket at @path. Another user may be able to write in its folder, so no link
 * is followed, and nothing but a socket is changed. Returns 0, -ENOTSOCK, or a negative errno.
 * Needs /proc. */
int lfp_socket_mode(const char *path, mode_t mode);

#endif
