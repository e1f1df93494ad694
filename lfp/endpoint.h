/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.h - where something listens for this host alone: a UNIX socket, or a loopback port */
#ifndef LFP_ENDPOINT_H
#define LFP_ENDPOINT_H

#include <sys/socket.h>

/**
 * lfp_endpoint() - read one
 * @text:	an absolute path of at most 107 bytes, or 127.x.y.z:PORT, or [::1]:PORT
 *
 * Return: 0, or -EINVAL.
 */
int lfp_endpoint(const char *text, struct sockaddr_storage *addr, socklen_t *len);

#endif
