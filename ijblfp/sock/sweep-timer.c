/* SPDX-License-Identifier: Apache-2.0 */
/* sweep-timer.c - the timer of the sweep (sweep.h) */
#include "ijblfp/sock/sweep-timer.h"

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"

#define SWEEP_MS 250

void sweep_timer_init(struct instance *inst, uv_timer_cb on_sweep)
{
	uv_timer_init(inst->loop, &inst->sweep);
	inst->sweep.data = inst;
	handle_open(inst);
	/* uv_timer_again() starts a timer that was started before. */
	uv_timer_start(&inst->sweep, on_sweep, SWEEP_MS, SWEEP_MS);
	uv_timer_stop(&inst->sweep);
}

void sweep_timer_start(struct instance *inst)
{
	if (!uv_is_active((uv_handle_t *)&inst->sweep))
		uv_timer_again(&inst->sweep);
}

void sweep_timer_stop(struct instance *inst)
{
	uv_timer_stop(&inst->sweep);
}
