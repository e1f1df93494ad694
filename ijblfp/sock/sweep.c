/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c - periodic checks of sockets whose close no event reports */
#include "ijblfp/sock/sweep.h"

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/list.h"

#define SWEEP_SOON_MS 10
#define SWEEP_MOST    256u

unsigned int sweep_some(struct instance *inst, size_t most, uint32_t task)
{
	struct lfp_list *swept = &inst->socks->swept, asked;
	unsigned int gone = 0;
	bool entered = !near_names_enter(&inst->near->names);

	near_living_begin(&inst->near->living);
	/* Living sockets go to the end by way of a list of their own, so that one round is enough.
	 */
	lfp_list_init(&asked);
	for (size_t i = 0; i < most && !lfp_list_empty(swept); i++) {
		struct vsock *vs = lfp_list_entry(swept->next, struct vsock, swept);

		if ((task && vs->task != task) ||
		    !near_is_gone(inst->near, &vs->near[0].id, vs->far)) {
			lfp_list_append(&asked, &vs->swept);
			continue;
		}
		gone++;
		if (vs->state == VSOCK_NEW || vs->state == VSOCK_OVER)
			end_close(inst, vs, false);
		else
			stream_on_gone(inst, vs);
	}
	while (!lfp_list_empty(&asked))
		lfp_list_append(swept, asked.next);
	near_living_end(&inst->near->living);
	if (entered)
		near_names_leave(&inst->near->names);
	return gone + datagram_sweep(inst, most, task);
}

static void on_sweep(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	unsigned int gone;

	end_send_closes(inst);
	gone = sweep_some(inst, SWEEP_MOST, 0);
	if (lfp_list_empty(&inst->socks->swept) && lfp_list_empty(&inst->unsent))
		uv_timer_stop(timer);
	else if (gone)
		uv_timer_start(timer, on_sweep, SWEEP_SOON_MS,
			       uv_timer_get_repeat(timer)); /* programs often close many sockets at
							     * once */
}

void sweep_task(struct instance *inst, uint32_t task)
{
	sweep_some(inst, SIZE_MAX, task);
	/* Other tasks may have held sockets of this task, and end with it. */
	if (!lfp_list_empty(&inst->socks->swept))
		uv_timer_start(&inst->sweep, on_sweep, SWEEP_SOON_MS,
			       uv_timer_get_repeat(&inst->sweep));
}

void sweep_init(struct instance *inst)
{
	lfp_list_init(&inst->unsent);
	sweep_timer_init(inst, on_sweep);
}

void sweep_finish(struct instance *inst)
{
	sweep_timer_stop(inst);
	handle_close(inst, (uv_handle_t *)&inst->sweep);
}
