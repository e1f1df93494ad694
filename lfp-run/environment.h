/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h - the surroundings of the program: its environment, its instance */
#ifndef LFP_RUN_ENVIRONMENT_H
#define LFP_RUN_ENVIRONMENT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define SHIM "libvsesock-preload.so"

/* All return 0 or a negative errno. */

/* The shim: in ../lib of the directory that lfp-run is in, else where it is installed. */
int environment_find_shim(char path[static PATH_MAX]);

/* Put the shim before the libraries that are already preloaded, and @first, unless it is "", before
 * the shim; or take the shim out. */
int environment_preload(const char *shim, const char *first);
int environment_no_preload(void);

/* Let the program's children find the same instance under any user. */
int environment_places(const char *nn);

/* Tell the shim how its calls pass the filter; 0: no filter, or no cookie for it. */
int environment_cookie(uint64_t cookie);

/* Tell the shim who looks names up: the program itself, or lfpd. */
int environment_resolver(bool program);

/* ping.c: */

/**
 * instance_ping() - ask an instance whether its path to lfpd is up
 * @path:	its control socket
 * @timeout:	seconds to wait for the answer
 *
 * Return: 0, the errno of the answer as a positive number (ENETDOWN: no path), or a negative errno
 * if there is no answer.
 */
int instance_ping(const char *path, unsigned int timeout);

#endif
