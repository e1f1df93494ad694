/* SPDX-License-Identifier: Apache-2.0 */
/* interface.h - sockets that use one network interface of this host alone (HOST_INTERFACE) */
#ifndef LFP_INTERFACE_H
#define LFP_INTERFACE_H

#include <stdbool.h>

/* Binds the socket to the interface; "" is any. Returns 0; -ENODEV if there is none of that name;
 * -EPERM if this kernel wants CAP_NET_RAW; or another negative errno. */
int lfp_interface_bind(int fd, const char *name);

/* connect() to AF_UNSPEC, after which the socket is still bound to its interface. Returns 0 or a
 * negative errno. */
int lfp_interface_disconnect(int fd);

/* Tries lfp_interface_bind() with a socket of its own. */
int lfp_interface_try(const char *name);

/* Returns whether this kernel lets only processes with CAP_NET_RAW bind to an interface: before
 * Linux 5.7 (commit c427bfec18f2). */
bool lfp_interface_needs_capability(void);

/* The text for a negative errno of these functions, a half-sentence. */
const char *lfp_interface_strerror(int error);

/* Returns "up", "down" or "missing". */
const char *lfp_interface_state(const char *name);

#endif
