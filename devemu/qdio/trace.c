/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - events of QDIO buffers, and a check of each */
#include "devemu/qdio/trace.h"

#include <inttypes.h>
#include <stdio.h>

#include "devemu/qdio/qdio.h"

static const char *const kinds[QDIO_EV_KINDS] = {
	[QDIO_EV_STATE] = "state",         [QDIO_EV_ACCEPTED] = "accepted",
	[QDIO_EV_PENDING] = "pending",     [QDIO_EV_STORED] = "stored",
	[QDIO_EV_FAILED] = "failed",       [QDIO_EV_LOST] = "lost",
	[QDIO_EV_COMPLETED] = "completed",
};

void qdio_trace_text(const struct qdio_event *event, char *text, size_t size)
{
	static const char *const queues[] = {"output", "input", "completion"};

	if (event->kind == QDIO_EV_STATE)
		snprintf(text, size, "side %u %s %" PRIu32 ": %02X to %02X", event->side,
			 queues[event->queue], event->index, event->from, event->to);
	else
		snprintf(text, size, "side %u frame %" PRIu64 " QAOB %" PRIX64 " code %u: %s",
			 event->side, event->sequence, event->qaob, event->code,
			 kinds[event->kind]);
}

static void wrong(struct qdio_trace *trace, const struct qdio_event *event, const char *why)
{
	char text[96];

	if (trace->wrong[0])
		return;
	qdio_trace_text(event, text, sizeof(text));
	snprintf(trace->wrong, sizeof(trace->wrong), "%s: %s", text, why);
}

static void follow_state(struct qdio_trace *trace, const struct qdio_event *event)
{
	uint8_t *state = &trace->state[event->side][event->queue][event->index % 128];

	if (!qdio_may_change(event->owner, event->from, event->to))
		wrong(trace, event, "its owner may not make this change");
	if (trace->both && *state && *state != event->from)
		wrong(trace, event, "it was in another state");
	*state = event->to;
}

/* Returns the place of @qaob among the pending ones (0 finds a free place), or NULL. */
static uint64_t *find(struct qdio_trace *trace, const struct qdio_event *event, uint64_t qaob)
{
	for (uint32_t i = 0; i < QDIO_TRACE_QAOBS; i++)
		if (trace->pends[event->side][i] == qaob)
			return &trace->pends[event->side][i];
	return NULL;
}

static void follow_qaob(struct qdio_trace *trace, const struct qdio_event *event)
{
	uint64_t *at = find(trace, event, event->qaob);

	if (event->kind == QDIO_EV_PENDING) {
		if (at)
			wrong(trace, event, "its QAOB is already pending");
		at = at ? NULL : find(trace, event, 0);
		if (at)
			*at = event->qaob;
		trace->pending[event->side]++;
	} else if (at) {
		*at = 0;
		trace->pending[event->side]--;
	} else {
		wrong(trace, event, "its QAOB is not pending");
	}
}

void qdio_trace_event(struct qdio_trace *trace, const struct qdio_event *event)
{
	if (!trace)
		return;
	trace->events[trace->nr++ % QDIO_TRACE] = *event;
	switch (event->kind) {
	case QDIO_EV_STATE:
		follow_state(trace, event);
		break;
	case QDIO_EV_ACCEPTED:
		if (event->sequence != trace->accepted[event->side]++)
			wrong(trace, event, "not the next one");
		break;
	case QDIO_EV_PENDING:
	case QDIO_EV_COMPLETED:
		follow_qaob(trace, event);
		break;
	default:
		if (trace->both && event->sequence != trace->ended[event->side])
			wrong(trace, event, "out of order, or a second time");
		trace->ended[event->side]++;
		break;
	}
}

const char *qdio_trace_end(struct qdio_trace *trace)
{
	for (int i = 0; i < 2 && !trace->wrong[0]; i++) {
		if (trace->both && trace->accepted[i] != trace->ended[i])
			snprintf(trace->wrong, sizeof(trace->wrong),
				 "side %d: %" PRIu64 " frames accepted, %" PRIu64 " ended", i,
				 trace->accepted[i], trace->ended[i]);
		else if (trace->pending[i])
			snprintf(trace->wrong, sizeof(trace->wrong),
				 "side %d: %" PRIu64 " QAOBs not completed", i, trace->pending[i]);
	}
	return trace->wrong;
}
