/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - periodic checks of sockets whose close no event reports */
#ifndef IJBLFP_SOCK_SWEEP_H
#define IJBLFP_SOCK_SWEEP_H

#include <stddef.h>
#include <stdint.h>

struct instance;

/* Checks the names of at most @most sockets, the least recently checked first, and closes those
 * that their programs have closed. Returns how many. @task: only the sockets that this task made;
 * 0: all. */
unsigned int sweep_some(struct instance *inst, size_t most, uint32_t task);

/* A task has ended: checks the sockets that it made, and soon the others. */
void sweep_task(struct instance *inst, uint32_t task);

/* Its timer is a handle of the instance. */
void sweep_init(struct instance *inst);
void sweep_finish(struct instance *inst);

#endif
