/* SPDX-License-Identifier: Apache-2.0 */
/* link-request.c - requests to lfpd that are not yet answered */
#include <errno.h>
#include <stdlib.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/request.h"
#include "ijblfp/link/link.h"
#include "transport/closers.h"
#include "transport/path.h"

static struct request *request_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct request, link);
}

static struct request *find(const struct request_table *table, uint32_t number)
{
	return request_of(lfp_table_find(&table->by_number, number));
}

static int send_frame(struct instance *inst, struct lfp_frame *frame, bool now)
{
	struct request_table *table = &inst->link->requests;
	int rc;

	link_stamp(inst, frame);
	do
		frame->request = ++table->last;
	while (!frame->request || find(table, frame->request));
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
	struct request *request;

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
	request->closing = closers_serial();
	lfp_table_add(&table->by_number, &request->link, request->number);
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

static void finish_request(struct instance *inst, struct request *request,
			   const struct lfp_frame *reply)
{
	lfp_table_remove(&inst->link->requests.by_number, &request->link);
	request->done(inst, request, reply);
	if (!request->waits)
		free(request);
}

void request_fail(struct instance *inst, uint32_t number, int error)
{
	struct request *request = find(&inst->link->requests, number);
	struct lfp_frame reply = {.request = number, .status = (uint16_t)error};

	if (!request)
		return;
	reply.code = (uint8_t)(request->code | 0x80);
	reply.sock = request->sock;
	finish_request(inst, request, &reply);
}

void request_fail_all(struct instance *inst)
{
	struct lfp_table *table = &inst->link->requests.by_number;
	struct request *request;

	while ((request = request_of(lfp_table_any(table))))
		finish_request(inst, request, NULL);
}

int request_on_reply(struct instance *inst, const struct lfp_frame *frame, const char **why)
{
	struct request *request = find(&inst->link->requests, frame->request);

	*why = "answer without a request";
	if (request && request->code + 0x80 == frame->code && request->sock == frame->sock) {
		finish_request(inst, request, frame);
		return 0;
	}
	if (!request && inst->link->ops->on_close_answer(inst, frame))
		return 0;
	/* That frame is part of the session's dialogue. */
	if (inst->link->hold.phase == HOLD_RESUMING)
		return -EPROTO;
	if (request)
		*why = "answer to another request";
	inst->link->ops->on_odd_answer(inst, frame, *why);
	request_fail(inst, frame->request, EPROTO);
	return 0;
}
