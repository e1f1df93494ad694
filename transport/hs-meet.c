/* SPDX-License-Identifier: Apache-2.0 */
/* hs-meet.c - the transport hipersockets: how two sides come to share a device, and the answer to
 * SYN */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "transport/hs-inner.h"

/*
 * Theory of operation
 *
 * meet.c exchanges the greetings. The memory is the segment, and the words are the bytes of a frame
 * and the buffers of a queue. lfpd answers with those of its own device. All else goes over the
 * devices, as between real ones: SYN with the names and the message limit, SYN|ACK or SYN|FIN.
 */

/* Activates our device of the segment. The connecting side is side 0. */
static void activate(struct hs_conn *conn, unsigned int side)
{
	qdio_port_init(&conn->port, &conn->segment, side, conn->segment.geometry.buffers,
		       hs_settings(&conn->meet.where)->cq);
	qdio_activate(&conn->port);
}

/* As on a real LAN, no two devices have the same id. */
static int check_ids(const struct transport_where *where)
{
	if (!hs_has_id(where) || !where->vmid || strcmp(iucv_hsuid(&where->settings), where->vmid))
		return 0;
	if (where->why)
		snprintf(
			where->why, TRANSPORT_WHY,
			"this side's device cannot have the hsuid %s, because lfpd's device has it",
			iucv_hsuid(&where->settings));
	return -EADDRINUSE;
}

/* Sets the names of both ends. */
static int name_ends(struct hs_conn *conn)
{
	const struct transport_where *where = &conn->meet.where;

	if (hs_name_put(hs_has_id(where) ? iucv_hsuid(&where->settings) : "VSE", conn->me.user) ||
	    hs_name_put(where->own ? where->own : "IJBLFP", conn->me.app) ||
	    hs_name_put(where->vmid ? where->vmid : "LINUX", conn->peer.user) ||
	    hs_name_put(where->name ? where->name : "LFPD", conn->peer.app))
		return -EINVAL;
	return check_ids(where);
}

static void init(struct meet_conn *meet)
{
	struct hs_conn *conn = (struct hs_conn *)meet;

	conn->limit = meet->where.msglimit ? meet->where.msglimit : HS_MSGLIMIT;
	if (conn->limit > UINT16_MAX)
		conn->limit = UINT16_MAX;
	packet_queue_init(&conn->backlog);
	packet_queue_init(&conn->shown);
}

static int make(struct meet_conn *meet, uint32_t words[static MEET_WORDS])
{
	struct hs_conn *conn = (struct hs_conn *)meet;
	const struct transport_where *where = &meet->where;
	struct qdio_geometry geometry = {hs_frame_size(where), QDIO_BUFFERS};
	int rc = name_ends(conn), memfd;

	if (rc)
		return rc;
	if (hs_has_id(where))
		snprintf(meet->base.vmid, sizeof(meet->base.vmid), "%s",
			 iucv_hsuid(&where->settings));
	memfd = qdio_segment_make(&conn->segment, geometry);
	if (memfd < 0)
		return memfd;
	activate(conn, 0);
	words[0] = conn->segment.geometry.frame;
	words[1] = conn->segment.geometry.buffers;
	return memfd;
}

static int check(struct meet_conn *meet, const uint32_t words[static MEET_WORDS], const char **why)
{
	if (words[0] == hs_frame_size(&meet->where) && words[1] == QDIO_BUFFERS)
		return 0;
	*why = "the frames of its device have another size";
	(void)meet_answer(meet); /* so that the peer can report the sizes, too */
	return -EPROTO;
}

static int take(struct meet_conn *meet, int memfd, const uint32_t words[static MEET_WORDS],
		const char **why)
{
	struct hs_conn *conn = (struct hs_conn *)meet;
	int rc = qdio_segment_take(&conn->segment, memfd,
				   (struct qdio_geometry){words[0], words[1]}, why);

	if (!rc)
		activate(conn, 1);
	return rc;
}

/* The device of this side, which may differ from the peer's. */
static void answer(const struct meet_conn *meet, uint32_t words[static MEET_WORDS])
{
	words[0] = hs_frame_size(&meet->where);
	words[1] = QDIO_BUFFERS;
}

static int agree(struct meet_conn *meet, const uint32_t words[static MEET_WORDS])
{
	uint32_t ours = ((struct hs_conn *)meet)->segment.geometry.frame;

	if (words[0] == ours)
		return 0;
	if (meet->where.why)
		snprintf(
			meet->where.why, TRANSPORT_WHY,
			"its HiperSockets device has an MTU of %u, ours of %u: HS_MTU and HsMTU must be equal",
			qdio_mtu(words[0]), qdio_mtu(ours));
	return -EMSGSIZE;
}

static void ring_bell(void *data)
{
	struct meet_conn *meet = data;

	bell_ring(meet->peer_bell, &meet->base);
}

static void begin(struct meet_conn *meet)
{
	struct hs_conn *conn = (struct hs_conn *)meet;

	conn->port.data = conn;
	conn->port.interrupt = ring_bell;
}

static int met(struct meet_conn *meet)
{
	struct hs_conn *conn = (struct hs_conn *)meet;

	return meet->listener ? 0 : hs_control(conn, HS_SYN, conn->limit);
}

static void on_gone(struct meet_conn *meet)
{
	qdio_machine_peer_gone(&((struct hs_conn *)meet)->port);
}

static void drop(struct meet_conn *meet)
{
	struct hs_conn *conn = (struct hs_conn *)meet;

	hs_drop(&conn->backlog);
	hs_drop(&conn->shown);
	qdio_segment_drop(&conn->segment);
}

const struct meet_kind hs_kind = {
	.transport = &transport_hipersockets,
	.size = sizeof(struct hs_conn),
	.magic = "LFPhs1",
	.nr_words = 2,
	.late = "it did not connect within 10 seconds",
	.other_transport = "it does not use TRANSPORT = hipersockets",
	.wrong_descriptors = "its descriptors are not those of a device",
	.init = init,
	.make = make,
	.check = check,
	.take = take,
	.answer = answer,
	.agree = agree,
	.begin = begin,
	.met = met,
	.on_gone = on_gone,
	.before = hs_before_sleep,
	.after = hs_after_sleep,
	.drop = drop,
};

static void open_conn(struct hs_conn *conn, const struct hs_frame *frame)
{
	conn->peer_limit = frame->window ? frame->window : HS_MSGLIMIT;
	meet_done(&conn->meet);
}

/* Checks that a SYN names this side and that its sender has valid names. Returns NULL, or the fault
 * as a half-sentence, which may be in @why, TRANSPORT_WHY bytes. */
static const char *find_fault(const struct socket_listener *listener, const struct hs_frame *frame,
			      char *why)
{
	const struct transport_where *where = &listener->where;
	uint8_t name[8];
	char text[9];

	if (listener->stopped || hs_name_put(where->name ? where->name : "LFPD", name) ||
	    memcmp(name, frame->dest.app, sizeof(name)))
		return "it asks for another application";
	if (hs_has_id(where) && (hs_name_put(iucv_hsuid(&where->settings), name) ||
				 memcmp(name, frame->dest.user, sizeof(name))))
		return "it asks for another hsuid";
	if (hs_has_id(where) && hs_name_get(frame->src.user, text))
		return "it has no hsuid";
	if (hs_has_id(where) && hs_name_get(frame->src.app, text))
		return "it has no application name";
	/* A device does not get an hsuid that another one on its LAN has. */
	if (hs_has_id(where) && !memcmp(frame->src.user, frame->dest.user, sizeof(name))) {
		snprintf(why, TRANSPORT_WHY,
			 "its device claims the hsuid %s, which this side's device has",
			 iucv_hsuid(&where->settings));
		return why;
	}
	return NULL;
}

static void handle_syn(struct hs_conn *conn, const struct hs_frame *frame)
{
	char why[TRANSPORT_WHY];
	const char *fault = find_fault(conn->meet.listener, frame, why);

	conn->me = frame->dest;
	conn->peer = frame->src;
	if (fault) {
		hs_refuse(conn, frame);
		meet_fail(&conn->meet, -ECONNREFUSED, fault);
		return;
	}
	if (hs_control(conn, HS_SYN | HS_ACK, conn->limit)) {
		meet_fail(&conn->meet, -EIO, "the answer to it cannot be sent");
		return;
	}
	open_conn(conn, frame);
}

void hs_meet_frame(struct hs_conn *conn, const struct hs_frame *frame)
{
	if (conn->meet.listener && frame->flags == HS_SYN) {
		handle_syn(conn, frame);
	} else if (conn->meet.listener || !hs_is_of(conn, frame)) {
		conn->discarded++;
	} else if (frame->flags == (HS_SYN | HS_ACK)) {
		open_conn(conn, frame);
	} else if (frame->flags == (HS_SYN | HS_FIN)) {
		meet_fail(&conn->meet, -ECONNREFUSED, "");
	} else {
		conn->discarded++;
	}
}

/*
 * A device may carry other connections, too: their frames are ignored, and a SYN for another
 * connection is refused. A pair of names belongs to one connection. So a SYN with the names of this
 * connection says that the peer has lost it, though no FIN has come.
 */
void hs_meet_stranger(struct hs_conn *conn, const struct hs_frame *frame)
{
	conn->discarded++;
	if (frame->flags != HS_SYN)
		return;
	hs_refuse(conn, frame);
	if (hs_is_of(conn, frame))
		conn->error = -ECONNRESET;
}
