/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - the start and the end of an lfpd instance */
#ifndef LFPD_INSTANCE_H
#define LFPD_INSTANCE_H

#include "lfpd/state/instance.h"

/**
 * instance_start() - open for the LFP instance of the z/VSE side
 * @inst:	filled; not to be moved
 * @loop:	the loop it lives on
 * @config:	copied
 * @vmid:	our own z/VM user id
 * @foreground:	shown in the status
 *
 * Members that the owner sets (on_status) are set after it. Its run-time directory exists. Logs
 * errors. Return: 0, or a negative errno with nothing left behind (once the loop has run).
 */
int instance_start(struct instance *inst, uv_loop_t *loop, const struct lfpd_config *config,
		   const char *vmid, bool foreground);

/* End the path with @reason, reset all sockets, close everything. */
void instance_stop(struct instance *inst, const char *reason);

#endif
