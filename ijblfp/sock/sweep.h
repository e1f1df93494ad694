/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - sockets whose ends nobody tells: their names are asked now and then */
#ifndef IJBLFP_SOCK_SWEEP_H
#define IJBLFP_SOCK_SWEEP_H

#include <stddef.h>
#include <stdint.h>

struct instance;

/* Ask the names of at most @most sockets, those that were asked longest ago first, and close those
 * whose programs have closed them; returns how many. Only those that task @task made, if not 0. */
unsigned int sweep_some(struct instance *inst, size_t most, uint32_t task);

/* A task has ended: ask those that it made, and soon the others. */
void sweep_task(struct instance *inst, uint32_t task);

/* Its timer is a handle of the instance. */
void sweep_init(struct instance *inst);
void sweep_finish(struct instance *inst);

#endif
