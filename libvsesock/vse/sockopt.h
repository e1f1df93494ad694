/* SPDX-License-Identifier: Apache-2.0 */
/* sockopt.h - gets and sets options of the z/VSE interfaces' sockets */
#ifndef VSESOCK_VSE_SOCKOPT_H
#define VSESOCK_VSE_SOCKOPT_H

#include "libvsesock/vse/api.h"
#include "libvsesock/vse/values.h"

/*
 * The value is in Linux's layout, option->size bytes. The size of a buffer is the one that was set:
 * Linux doubles it, and has limits (socket(7), SO_SNDBUF). Without one that was set it is half of
 * Linux's.
 */

/* Gets an option. Returns 0 or a negative errno. */
int vse_get_option(struct vse_api *api, int s, int fd, const struct vse_option *option,
		   void *value);

/* Sets an option. Returns 0 or a negative errno; -EINVAL for a negative size of a buffer. */
int vse_set_option(struct vse_api *api, int s, int fd, const struct vse_option *option,
		   const void *value);

#endif
