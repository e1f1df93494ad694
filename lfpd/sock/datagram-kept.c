/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-kept.c - saving what a socket of datagrams holds back, and taking it back */
#include "lfpd/sock/datagram-kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int save_queue(const struct socket *sock, FILE *out, uint64_t *records)
{
	const struct waiting_datagram *at;

	lfp_list_each(at, &sock->dgram->queue, place) {
		struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = sock->node.key};
		int rc;

		lfp_meta_to(&at->meta, &frame.datagram);
		frame.datagram.total = (uint32_t)at->len;
		frame.datagram.payload = (struct lfp_bytes){at->data, (uint32_t)at->len};
		rc = saved_put_frame(out, SAVED_DATAGRAM, &frame);
		if (rc)
			return rc;
		++*records;
	}
	return 0;
}

static int save_errors(const struct socket *sock, FILE *out, uint64_t *records)
{
	const struct error_queue *errors = sock->dgram->errors;

	for (unsigned int i = 0; errors && i < errors->nr; i++) {
		unsigned int at = (errors->first + i) % ENTRIES_MAX;
		struct lfp_frame frame = {
			.code = LFP_ERRQUEUE_REPLY,
			.request = 1,
			.sock = sock->node.key,
			.errqueue = errors->slots[at].entry,
		};
		int rc;

		frame.errqueue.payload.ptr = errors->slots[at].payload;
		frame.errqueue.payload.len = errors->slots[at].len;
		rc = saved_put_frame(out, SAVED_ERROR, &frame);
		if (rc)
			return rc;
		++*records;
	}
	return 0;
}

static int save_arriving(const struct socket *sock, FILE *out, uint64_t *records)
{
	const struct lfp_assembly *in = &sock->dgram->in;
	struct saved_record record = {
		.kind = SAVED_RECORD_arriving,
		.arriving = {.meta = in->meta,
			     .position = in->position,
			     .total = in->total,
			     .got = in->got,
			     .kept = in->buf != NULL,
			     .payload = {in->buf, in->buf ? in->got : 0}},
	};

	if (in->got == in->total)
		return 0;
	++*records;
	return saved_put(out, &record);
}

static int save_leaving(const struct socket *sock, FILE *out, uint64_t *records)
{
	const struct parts *parts = &sock->dgram->out;
	struct saved_record record = {
		.kind = SAVED_RECORD_leaving,
		.leaving = {.meta = parts->meta,
			    .position = parts->position,
			    .sent = parts->sent,
			    .begun = parts->begun,
			    .payload = {sock->dgram->out_buf, parts->total}},
	};

	if (!sock->dgram->out_buf)
		return 0;
	++*records;
	return saved_put(out, &record);
}

int datagram_save(const struct socket *sock, FILE *out, uint64_t *records)
{
	int rc = save_queue(sock, out, records);

	if (!rc)
		rc = save_errors(sock, out, records);
	if (!rc)
		rc = save_arriving(sock, out, records);
	if (!rc)
		rc = save_leaving(sock, out, records);
	return rc;
}

static int restore_frame(struct datagrams *dg, const struct saved_frame *saved)
{
	struct lfp_assembly whole = {0};
	struct lfp_frame frame;

	saved_get_frame(saved, &frame);
	if (saved->role == SAVED_ERROR) {
		datagram_keep_error(dg, &frame.errqueue);
		return 0;
	}
	lfp_meta_from(&whole.meta, &frame.datagram);
	whole.total = whole.got = frame.datagram.total;
	whole.data = frame.datagram.payload.ptr;
	return datagram_keep(dg, &whole);
}

static int restore_arriving(struct datagrams *dg, const struct saved_arriving *saved)
{
	dg->in = (struct lfp_assembly){
		.meta = saved->meta,
		.position = saved->position,
		.total = saved->total,
		.got = saved->got,
		.buf = saved->kept ? malloc(saved->total) : NULL,
	};
	if (!saved->kept)
		return 0;
	if (!dg->in.buf) {
		dg->in.total = dg->in.got = 0;
		return -ENOMEM;
	}
	memcpy(dg->in.buf, saved->payload.ptr, saved->payload.len);
	return 0;
}

static int restore_leaving(struct socket *sock, const struct saved_leaving *saved)
{
	struct datagrams *dg = sock->dgram;
	uint32_t total = saved->payload.len;

	dg->out_buf = malloc(total ? total : 1);
	if (!dg->out_buf)
		return -ENOMEM;
	memcpy(dg->out_buf, saved->payload.ptr, total);
	dg->out = (struct parts){
		.sock = sock->node.key,
		.position = saved->position,
		.meta = saved->meta,
		.data = dg->out_buf,
		.total = total,
		.sent = saved->sent,
		.begun = saved->begun,
	};
	return 0;
}

int datagram_restore(struct socket *sock, const struct saved_record *record)
{
	switch (record->kind) {
	case SAVED_RECORD_frame:
		return restore_frame(sock->dgram, &record->frame);
	case SAVED_RECORD_arriving:
		return restore_arriving(sock->dgram, &record->arriving);
	case SAVED_RECORD_leaving:
		return restore_leaving(sock, &record->leaving);
	default:
		return 0;
	}
}
