/* SPDX-License-Identifier: Apache-2.0 */
/* idle.c - sockets that wait for a timer: listeners while descriptors or sockets are short,
 * orphans */
#include "lfpd/sock/paused.h"

#include <string.h>

#include "lfp/log.h"
#include "lfpd/sock/metered.h"

#define RETRY_MS   100  /* paused listeners */
#define ORPHANS_MS 1000 /* a look at the orphans */
#define QUIET_MS   1000 /* without a pause: accepting goes on */

static struct socket *first_paused(const struct instance *inst)
{
	return lfp_list_first_entry(&inst->paused, struct socket, listener.entry);
}

static void resume(struct socket *sock)
{
	socket_set_listener(sock, LISTENER_LISTENS);
	socket_arm(sock);
}

static void drop_stuck_orphans(struct instance *inst, uint64_t now)
{
	struct socket *sock, *next;

	for (sock = lfp_list_first_entry(&inst->orphans, struct socket, stream.entry); sock;
	     sock = next) {
		next = lfp_list_next_entry(&inst->orphans, sock, stream.entry);
		if (inst->rests || metered_waits(sock, METER_OUT))
			sock->stream.progress = now; /* it may not */
		else if (now - sock->stream.progress >= inst->config.close_timeout * UINT64_C(1000))
			socket_release(sock, true);
	}
}

static void on_tick(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	uint64_t now = uv_now(inst->loop);
	struct socket *sock;

	if (inst->pause_told && lfp_list_empty(&inst->paused) &&
	    now - inst->last_pause >= QUIET_MS) {
		inst->pause_told = false;
		lfp_msg("VLFD103I", "Connections are accepted again.");
	}
	while ((sock = first_paused(inst)))
		resume(sock);
	drop_stuck_orphans(inst, now);
	if (inst->pause_told)
		uv_timer_start(timer, on_tick, RETRY_MS, 0);
	else if (!lfp_list_empty(&inst->orphans))
		uv_timer_start(timer, on_tick, ORPHANS_MS, 0);
}

void idle_tick(struct instance *inst)
{
	if (!uv_is_active((uv_handle_t *)&inst->tick) && !inst->stopping)
		uv_timer_start(&inst->tick, on_tick, ORPHANS_MS, 0);
}

void idle_pause_listener(struct instance *inst, struct socket *sock, int error)
{
	socket_set_listener(sock, LISTENER_PAUSES);
	inst->last_pause = uv_now(inst->loop);
	if (inst->pause_told)
		return;
	inst->pause_told = true;
	inst->counters.pauses++;
	uv_timer_start(&inst->tick, on_tick, RETRY_MS, 0);
	if (error)
		lfp_msg("VLFD101W", "Accepting connections pauses: %s.", strerror(error));
	else
		lfp_msg("VLFD102W",
			"Accepting connections pauses: all of MAX_SOCKETS (%u) are in use.",
			inst->config.max_sockets);
}

void idle_go_on(struct instance *inst)
{
	struct socket *sock = first_paused(inst);

	if (sock && !inst->stopping)
		resume(sock);
}
