/* SPDX-License-Identifier: Apache-2.0 */
/* interface.h - binds sockets to one network interface of this host (HOST_INTERFACE) */
#ifndef LFP_INTERFACE_H
#define LFP_INTERFACE_H

#include <stdbool.h>

/* Binds the socket to the interface; "" is any. Returns 0; -ENODEV if there is no such interface;
 * -EPERM if this kernel requires CAP_NET_RAW; or another negative errno. */
int lfp_interface_bind(int fd, const char *name);

/* Disconnects the socket by connect() to AF_UNSPEC, and keeps it bound to its interface. Returns 0
 * or a negative errno. */
int lfp_interface_disconnect(int fd, const char *name);

/* Tries lfp_interface_bind() with a temporary socket. Returns its result. */
int lfp_interface_try(const char *name);

/* Returns true if only processes with CAP_NET_RAW may bind sockets to an interface, as before Linux
 * 5.7 (commit c427bfec18f2). */
bool lfp_interface_needs_capability(void);

/* Returns a half-sentence for a negative errno of these functions. */
const char *lfp_interface_strerror(int error);

/* Returns the state of the interface: "up", "down" or "missing". */
const char *lfp_interface_state(const char *name);

#endif
