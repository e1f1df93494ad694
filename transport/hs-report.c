/* SPDX-License-Identifier: Apache-2.0 */
/* hs-report.c - the transport hipersockets: the report of its device, for NETSTAT */
#include "transport/hs-inner.h"

void hs_device(struct transport_conn *base, struct transport_device *out)
{
	const struct hs_conn *conn = (const struct hs_conn *)base;
	const struct qdio_counts *counts = &conn->port.counts;
	uint32_t frame = conn->segment.geometry.frame;

	*out = (struct transport_device){
		.mtu = qdio_mtu(frame),
		.frame = frame,
		.buffers = conn->segment.geometry.buffers,
		.has_cq = conn->port.cq,
		.bytes_in = counts->bytes_in,
		.frames_in = counts->frames_in,
		.bytes_out = counts->bytes_out,
		.frames_out = counts->frames_out,
		.no_protocol = conn->no_protocol,
		.discarded_in = conn->discarded,
		.pending = conn->port.waiting,
		.pending_max = counts->pending_max,
		.pending_ever = counts->pending_ever,
		.done_ok = counts->done_ok,
		.done_unreachable = counts->done_unreachable,
		.done_error = counts->done_error,
		.done_twice = counts->done_twice,
		.target_full = counts->target_full,
		.busy = counts->busy,
		.full = counts->full,
		.interrupts_in = counts->interrupts_in,
		.interrupts_out = counts->interrupts_out,
		.messages = conn->sent,
		.limit = conn->peer_limit,
	};
}
