/* SPDX-License-Identifier: Apache-2.0 */
/* socket.h - sockets of the z/VSE interfaces: made, accepted, closed, given, taken */
#ifndef VSESOCK_VSE_SOCKET_H
#define VSESOCK_VSE_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lfp/ctl.h"
#include "libvsesock/mux/choose.h"
#include "libvsesock/vse/api.h"

/* Linux's family, type (without flags), protocol. A descriptor or a negative error. */
int vse_socket(struct vse_api *api, int family, int type, int protocol);

/* @peer and @len may be NULL; *@len is set. A new descriptor or a negative error. */
int vse_accept(struct vse_api *api, int s, struct sockaddr_storage *peer, unsigned int *len);

/* connect() without waiting (near_dontwait): 0, a negative error, or -EAGAIN until the near end can
 * be written; @started is the caller's, false at first. */
int vse_connect(int fd, const struct sockaddr *to, unsigned int len, bool *started);

/* What was given and not taken is reset. */
int vse_close(struct vse_api *api, int s);

/* Who this task is; what is not blank in @id is its name from now on (-EEXIST: another has it). */
int vse_client_id(struct vse_api *api, struct lfp_ctl_client *id);

/* @seconds after which the connection is reset if nobody has taken it, 0: four days. */
int vse_give(struct vse_api *api, int s, const struct lfp_ctl_client *to, int seconds);

/* @s is the giver's number. A new descriptor or a negative error. */
int vse_take(struct vse_api *api, int s, const struct lfp_ctl_client *giver);

/* Was a socket taken that was given, or is it over? */
bool vse_is_taken(struct vse_api *api, int s);

/* Close all sockets that the task has by the interface, and forget it (TERMAPI). Those that are
 * shared by all tasks stay. */
void vse_api_end(enum mux_interface interface);

#endif
