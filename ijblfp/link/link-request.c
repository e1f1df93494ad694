/* SPDX-License-Identifier: Apache-2.0 */
/* link-request.c - requests to lfpd that are not yet answered */
#include <errno.h>
#include <stdlib.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/request.h"
#include "ijblfp/link/link.h"
#include "transport/path.h"

static struct request **place_of(struct request_table *table, uint32_t number)
{
	struct request **at = &table->buckets[number % REQUEST_BUCKETS];

	while (*at && (*at)->number != number)
		at = &(*at)->hash_next;
	return at;
}

static int send_frame(struct instance *inst, struct lfp_frame *frame, bool now)
{
	struct request_table *table = &inst->link->requests;
	int rc;

	link_stamp(inst, frame);
	do
		frame->request = ++table->last;
	while (!frame->request || *place_of(table, frame->request));
	rc = now ? path_send(inst->link->path, frame) : link_send(inst, frame);
	if (rc)
		return rc == -ENOTCONN ? -ENETDOWN : rc;
	if (frame->code == LFP_CLOSE)
		table->closes++;
	return 0;
}

static struct request *ask(struct instance *inst, struct lfp_frame *frame,
			   void (*done)(struct instance *, struct request *,
					const struct lfp_frame *),
			   bool now, int *error)
{
	struct request_table *table = &inst->link->requests;
	struct request *request, **at;

	*error = -ENETDOWN;
	if (!link_is_up(inst->link))
		return NULL;
	*error = -ENOMEM;
	request = calloc(1, sizeof(*request));
	if (!request)
		return NULL;
	request->closes = table->closes;
	*error = send_frame(inst, frame, now);
	if (*error) {
		free(request);
		return NULL;
	}
	request->number = frame->request;
	request->code = frame->code;
	request->sock = frame->sock;
	request->frame = *frame;
	request->done = done;
	request->looks = table->looks;
	at = place_of(table, request->number);
	*at = request;
	table->pending++;
	return request;
}

struct request *request_send(struct instance *inst, struct lfp_frame *frame,
			     void (*done)(struct instance *, struct request *,
					  const struct lfp_frame *),
			     int *error)
{
	return ask(inst, frame, done, false, error);
}

int request_send_now(struct instance *inst, struct lfp_frame *frame,
		     void (*done)(struct instance *, struct request *, const struct lfp_frame *))
{
	int error = 0;

	return ask(inst, frame, done, true, &error) ? 0 : error;
}

int request_send_close(struct instance *inst, struct lfp_frame *frame, uint32_t *number)
{
	int rc = link_is_up(inst->link) ? send_frame(inst, frame, false) : -ENETDOWN;

	if (!rc)
		*number = frame->request;
	return rc;
}

static void finish_request(struct instance *inst, struct request **at,
			   const struct lfp_frame *reply)
{
	struct request *request = *at;

	*at = request->hash_next;
	inst->link->requests.pending--;
	request->done(inst, request, reply);
	if (!request->waits)
		free(request);
}

void request_fail(struct instance *inst, uint32_t number, int error)
{
	struct request **at = place_of(&inst->link->requests, number);
	struct lfp_frame reply = {.request = number, .status = (uint16_t)error};

	if (!*at)
		return;
	reply.code = (uint8_t)((*at)->code | 0x80);
	reply.sock = (*at)->sock;
	finish_request(inst, at, &reply);
}

void request_fail_all(struct instance *inst)
{
	struct request **buckets = inst->link->requests.buckets;

	for (unsigned int i = 0; i < REQUEST_BUCKETS; i++)
		while (buckets[i])
			finish_request(inst, &buckets[i], NULL);
}

int request_on_reply(struct instance *inst, const struct lfp_frame *frame, const char **why)
{
	struct request **at = place_of(&inst->link->requests, frame->request);

	*why = "answer without a request";
	if (*at && (*at)->code + 0x80 == frame->code && (*at)->sock == frame->sock) {
		finish_request(inst, at, frame);
		return 0;
	}
	if (!*at && inst->link->ops->on_close_answer(inst, frame))
		return 0;
	/* That frame is part of the session's dialogue. */
	if (inst->link->hold.phase == HOLD_RESUMING)
		return -EPROTO;
	if (*at)
		*why = "answer to another request";
	inst->link->ops->on_odd_answer(inst, frame, *why);
	request_fail(inst, frame->request, EPROTO);
	return 0;
}
