/* SPDX-License-Identifier: Apache-2.0 */
/* sweep-timer.h - the timer of the sweep (sweep.h) */
#ifndef IJBLFP_SOCK_SWEEP_TIMER_H
#define IJBLFP_SOCK_SWEEP_TIMER_H

#include <uv.h>

struct instance;

/* Start and stop the sweep, which runs while there are sockets to check. */
void sweep_timer_start(struct instance *inst);
void sweep_timer_stop(struct instance *inst);

/* The timer is a handle of the instance; it calls @on_sweep. */
void sweep_timer_init(struct instance *inst, uv_timer_cb on_sweep);

#endif
