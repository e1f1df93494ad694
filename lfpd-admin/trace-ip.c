/* SPDX-License-Identifier: Apache-2.0 */
/* trace-ip.c - a trace as the IP packets that its connections may have had */
#include "lfpd-admin/trace-ip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"
#include "lfp/table.h"
#include "lfpd-admin/ip-packet.h"
#include "lfpd-admin/pcapng.h"

/*
 * Theory of operation
 *
 * The path carries streams, not packets. So the packets here are made up, with the times of the
 * frames: a handshake where a connection was made, a segment and its acknowledgement for each piece
 * of DATA, FIN and RST for SHUTDOWN, CLOSE and RESET. Positions of DATA give the sequence numbers,
 * so a frame that the trace has lost is a gap.
 *
 * The path does not have the host's names of sockets, nor the tasks that began before the trace.
 * lfpd adds both to a trace with payload, as notes: frames TASK_BEGIN, GETSOCKNAME_REPLY and
 * GETPEERNAME_REPLY that were not on the path. A note comes after the CONNECTED that it is about.
 * So the handshake is written with the first frame after it.
 *
 * Both ends of a connection between two programs of the instance are in the trace. They would be
 * two connections with the same addresses and ports, so only the end is shown that comes first.
 */

#define PIECE           32768u /* bytes of a segment */
#define DGRAM_AT_TOTAL  (LFP_FRAME_HEADER + 8u)
#define DGRAM_AT_OFFSET (LFP_FRAME_HEADER + 12u)
#define DGRAM_AT_ADDR   (LFP_FRAME_HEADER + 16u)

enum way { OUT, IN }; /* from the program, and to it */

struct flow {
	struct lfp_table_link node; /* by socket id */
	bool udp, incoming;
	bool connecting;   /* CONNECT was asked */
	bool made;         /* a handshake is to be written, or was */
	bool shaken, over; /* it was written; RST was */
	bool told;         /* the comment was written */
	bool shown;        /* a packet was written */
	bool hidden;       /* the other end is shown */
	uint64_t made_at;  /* ns */
	uint32_t task;
	struct lfp_addr local, peer;
	uint64_t base[2], next[2]; /* positions */
	bool fin[2], seen[2];      /* seen: DATA has come */
	uint32_t isn[2];
	uint8_t *parts[2]; /* of a datagram in several frames */
};

struct task {
	struct lfp_table_link node; /* by the number on the path */
	char text[160];             /* for people */
};

struct trace_ip {
	FILE *out;
	struct lfp_table flows, tasks;
	uint16_t id;
	uint32_t nr; /* flows so far */
};

struct trace_ip *trace_ip_create(FILE *out)
{
	struct trace_ip *ip = calloc(1, sizeof(*ip));

	if (ip)
		ip->out = out;
	return ip;
}

static void drop(struct trace_ip *ip, struct flow *flow)
{
	lfp_table_remove(&ip->flows, &flow->node);
	free(flow->parts[OUT]);
	free(flow->parts[IN]);
	free(flow);
}

void trace_ip_destroy(struct trace_ip *ip)
{
	struct lfp_table_link *link;

	while ((link = lfp_table_any(&ip->flows)))
		drop(ip, lfp_table_entry(link, struct flow, node));
	while ((link = lfp_table_any(&ip->tasks))) {
		lfp_table_remove(&ip->tasks, link);
		free(lfp_table_entry(link, struct task, node));
	}
	lfp_table_finish(&ip->flows);
	lfp_table_finish(&ip->tasks);
	free(ip);
}

static struct flow *find(const struct trace_ip *ip, uint64_t id)
{
	return lfp_table_entry(lfp_table_find(&ip->flows, id), struct flow, node);
}

/* Returns the flow of a socket, also of one whose SOCKET the trace lacks. NULL without memory. */
static struct flow *get(struct trace_ip *ip, uint64_t id)
{
	struct flow *flow = find(ip, id);

	if (flow)
		return flow;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	ip->nr++;
	flow->isn[OUT] = ip->nr * 2654435761u;
	flow->isn[IN] = flow->isn[OUT] ^ 0x55555555u;
	lfp_table_add(&ip->flows, &flow->node, id);
	return flow;
}

static const char *comment(const struct trace_ip *ip, struct flow *flow)
{
	struct lfp_table_link *link = lfp_table_find(&ip->tasks, flow->task);

	if (flow->told || !link)
		return NULL;
	flow->told = true;
	return lfp_table_entry(link, struct task, node)->text;
}

static bool is_same(const struct lfp_addr *a, const struct lfp_addr *b)
{
	return a->family == b->family && a->port == b->port && !memcmp(a->ip, b->ip, sizeof(a->ip));
}

/* Returns whether the other end of the connection is shown. */
static bool is_twin(const struct trace_ip *ip, const struct flow *flow)
{
	struct lfp_table_link *link = NULL;

	if (flow->peer.family == LFP_AF_UNSPEC)
		return false;
	while ((link = lfp_table_next(&ip->flows, link))) {
		const struct flow *other = lfp_table_entry(link, struct flow, node);

		if (other != flow && other->shown && is_same(&other->local, &flow->peer) &&
		    is_same(&other->peer, &flow->local))
			return true;
	}
	return false;
}

static void put(struct trace_ip *ip, struct flow *flow, uint64_t time, enum way way,
		struct ip_packet *packet)
{
	uint8_t head[IP_PACKET_HEAD];

	if (!flow->shown && !flow->udp && !flow->hidden)
		flow->hidden = is_twin(ip, flow);
	if (flow->hidden)
		return;
	flow->shown = true;
	packet->from = way == OUT ? &flow->local : &flow->peer;
	packet->to = way == OUT ? &flow->peer : &flow->local;
	packet->udp = flow->udp;
	packet->id = ++ip->id;
	pcapng_packet(time, head, ip_packet_head(packet, head), packet->payload, packet->kept,
		      packet->len, way == IN, comment(ip, flow), ip->out);
}

/* The next sequence number of a direction, behind SYN and perhaps FIN. */
static uint32_t seq_of(const struct flow *flow, enum way way)
{
	return flow->isn[way] + 1 + (uint32_t)(flow->next[way] - flow->base[way]) +
	       (flow->fin[way] ? 1 : 0);
}

static void segment(struct trace_ip *ip, struct flow *flow, uint64_t time, enum way way,
		    uint8_t flags, const uint8_t *payload, uint32_t len, uint32_t kept)
{
	struct ip_packet packet = {
		.seq = seq_of(flow, way),
		.ack = seq_of(flow, !way),
		.flags = flags | TCP_ACK,
		.payload = payload,
		.len = len,
		.kept = kept,
	};

	put(ip, flow, time, way, &packet);
}

static void handshake(struct trace_ip *ip, struct flow *flow)
{
	enum way first = flow->incoming ? IN : OUT;
	struct ip_packet packet = {.seq = flow->isn[first], .flags = TCP_SYN};

	if (flow->shaken || !flow->made || flow->udp)
		return;
	flow->shaken = true;
	put(ip, flow, flow->made_at, first, &packet);
	packet.seq = flow->isn[!first];
	packet.ack = flow->isn[first] + 1;
	packet.flags = TCP_SYN | TCP_ACK;
	put(ip, flow, flow->made_at, !first, &packet);
	segment(ip, flow, flow->made_at, first, 0, NULL, 0, 0);
}

/* An attempt that has failed: SYN, and the refusal if there was one. */
static void refused(struct trace_ip *ip, struct flow *flow, uint64_t time, unsigned int status)
{
	struct ip_packet packet = {.seq = flow->isn[OUT], .flags = TCP_SYN};

	if (!flow->connecting || flow->made)
		return;
	flow->connecting = false;
	put(ip, flow, time, OUT, &packet);
	if (status == ECONNREFUSED) {
		packet = (struct ip_packet){.ack = flow->isn[OUT] + 1, .flags = TCP_RST | TCP_ACK};
		put(ip, flow, time, IN, &packet);
	}
	/* The next attempt is another connection. */
	flow->isn[OUT] += 0x01000000u;
}

static void end_way(struct trace_ip *ip, struct flow *flow, uint64_t time, enum way way)
{
	handshake(ip, flow);
	if (flow->fin[way] || flow->over || !flow->shaken)
		return;
	segment(ip, flow, time, way, TCP_FIN, NULL, 0, 0);
	flow->fin[way] = true;
	segment(ip, flow, time, !way, 0, NULL, 0, 0);
}

static void reset(struct trace_ip *ip, struct flow *flow, uint64_t time, enum way way)
{
	handshake(ip, flow);
	if (flow->over || !flow->shaken)
		return;
	segment(ip, flow, time, way, TCP_RST, NULL, 0, 0);
	flow->over = true;
}

/* Ends a life of the socket: positions go on in the next one. */
static void begin_life(struct flow *flow)
{
	flow->made = flow->shaken = flow->over = flow->connecting = flow->told = false;
	flow->shown = flow->hidden = false;
	flow->fin[OUT] = flow->fin[IN] = false;
	for (int way = OUT; way <= IN; way++) {
		flow->isn[way] += 0x02000000u;
		flow->base[way] = flow->next[way];
	}
	flow->peer.family = flow->local.family = LFP_AF_UNSPEC;
}

static void take_data(struct trace_ip *ip, struct flow *flow, const struct lfp_trace_record *record,
		      enum way way)
{
	const uint8_t *body = record->data + LFP_PACKET_HEADER + LFP_FRAME_HEADER;
	uint64_t position;
	uint32_t len, kept;

	if (record->kept < LFP_FRAME_HEADER + 8)
		return;
	position = be64_get(body);
	len = record->frame_len - LFP_FRAME_HEADER - 8;
	kept = record->kept - LFP_FRAME_HEADER - 8;
	/* A connection that is older than the trace begins here. */
	if (!flow->made && !flow->seen[way])
		flow->base[way] = position;
	flow->seen[way] = true;
	flow->shaken = flow->shaken || !flow->made;
	handshake(ip, flow);
	flow->next[way] = position;
	for (uint32_t at = 0; at < len; at += PIECE) {
		uint32_t piece = len - at < PIECE ? len - at : PIECE;
		uint32_t there = kept < at ? 0 : kept - at < piece ? kept - at : piece;

		segment(ip, flow, record->time, way, at + piece == len ? TCP_PSH : 0, body + 8 + at,
			piece, there);
		flow->next[way] += piece;
		segment(ip, flow, record->time, !way, 0, NULL, 0, 0);
	}
}

static int take_datagram(struct trace_ip *ip, struct flow *flow,
			 const struct lfp_trace_record *record, enum way way)
{
	const uint8_t *frame = record->data + LFP_PACKET_HEADER;
	uint32_t head = lfp_trace_head(LFP_DATAGRAM), total, offset, len;
	struct lfp_addr addr, before = flow->peer;
	struct ip_packet packet;

	flow->udp = true;
	if (record->kept < head || lfp_addr_get(frame + DGRAM_AT_ADDR, &addr))
		return 0;
	total = be32_get(frame + DGRAM_AT_TOTAL);
	offset = be32_get(frame + DGRAM_AT_OFFSET);
	len = record->frame_len - head;
	if (total > 65507 || offset > total || len > total - offset)
		return 0;
	packet = (struct ip_packet){
		.payload = frame + head, .len = total, .kept = record->kept - head};
	if (len < total) {
		if (!flow->parts[way])
			flow->parts[way] = calloc(1, 65536);
		if (!flow->parts[way])
			return -ENOMEM;
		memcpy(flow->parts[way] + offset, frame + head, packet.kept);
		if (offset + len < total)
			return 0;
		packet.payload = flow->parts[way];
		packet.kept = packet.kept == len ? total : 0;
	}
	if (addr.family != LFP_AF_UNSPEC)
		flow->peer = addr;
	put(ip, flow, record->time, way, &packet);
	/* A datagram of another peer does not change the one that the socket is connected to. */
	if (before.family != LFP_AF_UNSPEC)
		flow->peer = before;
	return 0;
}

static int take_task(struct trace_ip *ip, const struct lfp_frame *frame, bool note)
{
	const struct lfp_task_begin *said = &frame->task_begin;
	struct lfp_table_link *link = lfp_table_find(&ip->tasks, frame->task);
	struct task *task = lfp_table_entry(link, struct task, node);
	int len;

	if (!task) {
		task = calloc(1, sizeof(*task));
		if (!task)
			return -ENOMEM;
		lfp_table_add(&ip->tasks, &task->node, frame->task);
	}
	len = snprintf(task->text, sizeof(task->text), "task %02X, pid %u, uid %u", said->id,
		       said->pid, said->uid);
	/* On the path the name is in the path's code page. */
	if (note)
		snprintf(task->text + len, sizeof(task->text) - (size_t)len, ", program %.*s",
			 said->program.len, (const char *)said->program.ptr);
	return 0;
}

/* A connection of lfpd's side: its local name follows in a note. */
static void note_made(struct flow *flow, uint64_t time)
{
	flow->connecting = false;
	flow->made = true;
	flow->made_at = time;
}

static int take_accepted(struct trace_ip *ip, const struct flow *listener,
			 const struct lfp_frame *frame, uint64_t time)
{
	struct flow *flow = get(ip, frame->accepted.id);

	if (!flow)
		return -ENOMEM;
	flow->task = listener->task;
	flow->peer = frame->accepted.peer;
	flow->local = frame->accepted.local;
	flow->incoming = true;
	note_made(flow, time);
	return 0;
}

static void take_close(struct trace_ip *ip, struct flow *flow, const struct lfp_frame *frame,
		       uint64_t time)
{
	if (flow->udp)
		return;
	if (frame->close.how)
		reset(ip, flow, time, OUT);
	else
		end_way(ip, flow, time, OUT);
}

static int take_frame(struct trace_ip *ip, const struct lfp_frame *frame, bool note, uint64_t time)
{
	struct flow *flow;

	if (frame->code == LFP_TASK_BEGIN)
		return take_task(ip, frame, note);
	if (!frame->sock)
		return 0;
	flow = get(ip, frame->sock);
	if (!flow)
		return -ENOMEM;
	switch (frame->code) {
	case LFP_SOCKET:
		flow->udp = frame->socket.kind == 2;
		flow->task = frame->task;
		break;
	case LFP_TAKEN:
		flow->task = frame->task;
		break;
	case LFP_CONNECT:
		if (!flow->udp && flow->made)
			begin_life(flow);
		flow->connecting = frame->connect.peer.family != LFP_AF_UNSPEC;
		flow->peer = frame->connect.peer;
		break;
	case LFP_CONNECT_REPLY:
	case LFP_CONNECTED:
		if (frame->status == EINPROGRESS || flow->udp || !flow->connecting)
			break;
		if (frame->status)
			refused(ip, flow, time, frame->status);
		else
			note_made(flow, time);
		break;
	case LFP_ACCEPTED:
		return take_accepted(ip, flow, frame, time);
	case LFP_GETSOCKNAME_REPLY:
		if (note && frame->task)
			flow->task = frame->task;
		if (!frame->status && (note || flow->local.family == LFP_AF_UNSPEC))
			flow->local = frame->name.addr;
		break;
	case LFP_GETPEERNAME_REPLY:
		if (!frame->status && (note || flow->peer.family == LFP_AF_UNSPEC))
			flow->peer = frame->name.addr;
		break;
	case LFP_SHUTDOWN:
		break;
	case LFP_RESET:
		reset(ip, flow, time, IN);
		break;
	case LFP_CLOSE:
		take_close(ip, flow, frame, time);
		break;
	case LFP_CLOSE_REPLY:
		drop(ip, flow);
		break;
	}
	return 0;
}

int trace_ip_record(struct trace_ip *ip, const struct lfp_trace_record *record)
{
	const uint8_t *bytes = record->data + LFP_PACKET_HEADER;
	enum way way = record->sent ? IN : OUT;
	struct lfp_frame frame;
	struct flow *flow;
	const char *why;

	if (record->kept < LFP_FRAME_HEADER)
		return 0;
	(void)lfp_frame_head(bytes, &frame);
	if (lfp_is_data(frame.code)) {
		flow = get(ip, frame.sock);
		if (!flow)
			return -ENOMEM;
		if (frame.code == LFP_DATAGRAM)
			return take_datagram(ip, flow, record, way);
		take_data(ip, flow, record, way);
		return 0;
	}
	/* A note of TASK_BEGIN is in the words of the other side. */
	if (lfp_frame_decode(bytes, record->kept,
			     record->note && frame.code == LFP_TASK_BEGIN ? LFP_FROM_VSE
			     : record->sent                               ? LFP_FROM_LFPD
									  : LFP_FROM_VSE,
			     &frame, &why) < 0)
		return 0;
	if (frame.code == LFP_SHUTDOWN && frame.shutdown.how) {
		flow = get(ip, frame.sock);
		if (!flow)
			return -ENOMEM;
		end_way(ip, flow, record->time, way);
		return 0;
	}
	return take_frame(ip, &frame, record->note, record->time);
}
