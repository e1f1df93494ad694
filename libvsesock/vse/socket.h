/* SPDX-License-Identifier: Apache-2.0 */
/* socket.h - sockets of the z/VSE interfaces: makes, accepts, closes, gives and takes them */
#ifndef VSESOCK_VSE_SOCKET_H
#define VSESOCK_VSE_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lfp/ctl.h"
#include "libvsesock/mux/choose.h"
#include "libvsesock/vse/api.h"

/* Makes a socket of Linux's family, type (without flags) and protocol. Returns a descriptor or a
 * negative error. */
int vse_socket(struct vse_api *api, int family, int type, int protocol);

/* Accepts a connection; sets *@len. @peer and @len may be NULL. Returns a new descriptor or a
 * negative error. */
int vse_accept(struct vse_api *api, int s, struct sockaddr_storage *peer, unsigned int *len);

/* Closes a socket. Resets one that was given and not taken. */
int vse_close(struct vse_api *api, int s);

/* Gets the client id of this task. A name in @id that is not blank becomes the task's name.
 * -EEXIST: another task has it. */
int vse_client_id(struct vse_api *api, struct lfp_ctl_client *id);

/* Gives a socket. The connection is reset if it is not taken within @seconds; 0: four days. */
int vse_give(struct vse_api *api, int s, const struct lfp_ctl_client *to, int seconds);

/* Takes a socket; @s is the giver's number. Returns a new descriptor or a negative error. */
int vse_take(struct vse_api *api, int s, const struct lfp_ctl_client *giver);

/* Returns whether a given socket was taken, or is over. */
bool vse_is_taken(struct vse_api *api, int s);

/* Closes all sockets that the task has by the interface, and forgets the interface (TERMAPI).
 * Sockets that all tasks share stay. */
void vse_api_end(enum mux_interface interface);

#endif
