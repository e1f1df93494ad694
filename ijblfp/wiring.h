/* SPDX-License-Identifier: Apache-2.0 */
/* wiring.h - start and end of a resident LFP instance; a program gives it a loop and its statements
 */
#ifndef IJBLFP_WIRING_H
#define IJBLFP_WIRING_H

#include <uv.h>

struct instance;
struct instance_config;
struct link_ops;

/**
 * instance_create() - start an instance
 * @loop:	everything happens on it
 * @config:	copied
 * @error:	set to a negative errno on failure; a message has then been given, on_gone does not
 * follow, and handles may be on the loop until it has run once more
 *
 * Its directory must exist and its pid file be locked by the caller.
 */
struct instance *instance_create(uv_loop_t *loop, const struct instance_config *config, int *error);

/* Ends the instance: BYE to lfpd, sockets of programs are reset, on_gone follows. */
void ijblfp_instance_stop(struct instance *inst);

/* Begins no new tasks from now on. Calls config.on_stop when all tasks have ended and all sockets
 * are closed. */
void instance_drain(struct instance *inst);

/* link-ops.c, for link_init(): what the rooms do on an event of the path to lfpd. */
extern const struct link_ops instance_link_ops;

#endif
