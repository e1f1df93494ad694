/* SPDX-License-Identifier: Apache-2.0 */
/* saved-rules.c - checks across the records of saved state */
#include "lfpd/saved/saved.h"

#include <errno.h>
#include <string.h>

enum lfp_side saved_side(unsigned int role)
{
	return role == SAVED_ERROR ? LFP_FROM_LFPD : LFP_FROM_VSE;
}

static bool is_udp(const struct saved_socket *sock)
{
	return sock->state == SAVED_UDP;
}

static bool has(const struct saved_socket *sock, unsigned int flags)
{
	return sock->flags & flags;
}

static int check_joined(const struct saved_socket *sock, const char **why)
{
	*why = "a socket that was not joined, with joined data";
	if ((sock->joined_out || sock->joined_in) && !has(sock, SAVED_JOINED))
		return -EPROTO;
	*why = "a socket with more joined data than data";
	return sock->joined_out > sock->in_consumed || sock->joined_in > sock->out_sent ? -EPROTO
											: 0;
}

static int check_windows(const struct saved_socket *sock, const char **why)
{
	uint64_t queued = sock->in_received - sock->in_consumed;

	*why = "a socket whose positions contradict each other";
	if (sock->in_consumed > sock->in_received || sock->in_reported > sock->in_consumed ||
	    sock->out_consumed > sock->out_sent)
		return -EPROTO;
	if (is_udp(sock))
		return 0;
	/* More than the window cannot have come. */
	if (sock->in_received - sock->in_reported > sock->in_window)
		return -EPROTO;
	*why = "a socket with data in a state without data";
	if (queued && sock->state != SAVED_ESTABLISHED && sock->state != SAVED_ORPHAN)
		return -EPROTO;
	*why = "an urgent byte outside the saved data";
	if (has(sock, SAVED_URGENT) &&
	    (sock->urgent_at < sock->in_consumed || sock->urgent_at >= sock->in_received))
		return -EPROTO;
	return 0;
}

static int check_socket(const struct saved_socket *sock, const char **why)
{
	int rc;

	*why = "bad id in a record of socket";
	if (sock->id & LFP_ID_EPOCH)
		return -EPROTO;
	*why = "bad family in a record of socket";
	if (sock->family != LFP_AF_INET && sock->family != LFP_AF_INET6)
		return -EPROTO;
	*why = "bad address of the policy in a record of socket";
	if ((sock->hostid.family && sock->hostid.family != LFP_AF_INET) ||
	    (sock->hostid6.family && sock->hostid6.family != LFP_AF_INET6))
		return -EPROTO;
	*why = "bad address of PUBLISH in a record of socket";
	if (sock->published.family &&
	    (sock->published.family != sock->family || !has(sock, SAVED_BOUND)))
		return -EPROTO;
	*why = "a socket whose state and peer contradict each other";
	if ((sock->state == SAVED_CONNECTING || sock->upstream.len) !=
	    (sock->peer.family != LFP_AF_UNSPEC))
		return -EPROTO;
	*why = "a socket whose state and upstream contradict each other";
	if (sock->upstream.len &&
	    ((sock->state != SAVED_ESTABLISHED && sock->state != SAVED_ORPHAN &&
	      !(is_udp(sock) && has(sock, SAVED_CONNECTED))) ||
	     memchr(sock->upstream.ptr, '\0', sock->upstream.len)))
		return -EPROTO;
	*why = "a socket whose state and flags contradict each other";
	if ((sock->accepts && sock->state != SAVED_LISTENING) ||
	    (sock->state == SAVED_LISTENING && !has(sock, SAVED_LISTENED)) ||
	    (is_udp(sock) &&
	     has(sock, SAVED_MORE | SAVED_URGENT | SAVED_END_QUEUED | SAVED_END_SENT | SAVED_EOF |
			       SAVED_LISTENED | SAVED_ACCEPTED | SAVED_GATED | SAVED_JOINED)) ||
	    (has(sock, SAVED_BY_HTTP) && !has(sock, SAVED_GATED)) ||
	    (!is_udp(sock) && has(sock, SAVED_CONNECTED)) ||
	    (has(sock, SAVED_END_SENT) && !has(sock, SAVED_END_QUEUED)))
		return -EPROTO;
	rc = check_windows(sock, why);
	return rc ? rc : check_joined(sock, why);
}

/* The socket before is complete. */
static int check_complete(const struct saved_reader *reader, const char **why)
{
	*why = "a socket with missing data";
	return reader->owed ? -EPROTO : 0;
}

static int begin_socket(struct saved_reader *reader, const struct saved_socket *sock,
			const char **why)
{
	int rc = check_socket(sock, why);

	if (rc)
		return rc;
	reader->sock = *sock;
	reader->in_sockets = true;
	reader->arriving = reader->leaving = false;
	reader->owed = is_udp(sock) ? 0 : sock->in_received - sock->in_consumed;
	return 0;
}

static int check_bytes(struct saved_reader *reader, const struct saved_bytes *bytes,
		       const char **why)
{
	*why = "data that belongs to no socket";
	if (bytes->payload.len > reader->owed)
		return -EPROTO;
	reader->owed -= bytes->payload.len;
	return 0;
}

static bool is_question(const struct lfp_frame *frame)
{
	switch (frame->code) {
	case LFP_GETADDRINFO:
	case LFP_GETNAMEINFO:
	case LFP_GETHOSTBYNAME:
	case LFP_GETHOSTBYADDR:
	case LFP_GETIFADDRS:
		return true;
	}
	return false;
}

static int check_frame(struct saved_reader *reader, const struct saved_frame *saved,
		       const char **why)
{
	bool of_socket = reader->in_sockets && !reader->in_questions && is_udp(&reader->sock);
	struct lfp_frame frame;

	if (lfp_frame_decode(saved->frame.ptr, saved->frame.len, saved_side(saved->role), &frame,
			     why) != (int)saved->frame.len)
		return -EPROTO;
	if (saved->role == SAVED_QUESTION) {
		*why = "a question with a frame that asks nothing";
		reader->in_questions = true;
		return is_question(&frame) ? check_complete(reader, why) : -EPROTO;
	}
	*why = "a frame that belongs to no socket";
	if (!of_socket || frame.sock != reader->sock.id)
		return -EPROTO;
	if (saved->role == SAVED_ERROR)
		return frame.code == LFP_ERRQUEUE_REPLY && !frame.status ? 0 : -EPROTO;
	*why = "an incomplete datagram";
	if (frame.code != LFP_DATAGRAM || frame.datagram.offset ||
	    frame.datagram.payload.len != frame.datagram.total)
		return -EPROTO;
	return 0;
}

static bool takes_parts(const struct saved_reader *reader)
{
	return reader->in_sockets && !reader->in_questions && is_udp(&reader->sock);
}

static int check_arriving(struct saved_reader *reader, const struct saved_arriving *part,
			  const char **why)
{
	*why = "an unexpected first part of a datagram";
	if (!takes_parts(reader) || reader->arriving || part->got >= part->total ||
	    part->payload.len != (part->kept ? part->got : 0))
		return -EPROTO;
	reader->arriving = true;
	return 0;
}

static int check_leaving(struct saved_reader *reader, const struct saved_leaving *part,
			 const char **why)
{
	*why = "an unexpected rest of a datagram";
	if (!takes_parts(reader) || reader->leaving || part->sent > part->payload.len ||
	    (part->sent && !part->begun))
		return -EPROTO;
	reader->leaving = true;
	return 0;
}

static int check_end(const struct saved_reader *reader, const struct saved_end *end,
		     const char **why)
{
	int rc = check_complete(reader, why);

	*why = rc ? *why
		  : "its number of records is not that of its end record, or data follows the end";
	return rc || end->records != reader->records || reader->left ? -EPROTO : 0;
}

int saved_check(struct saved_reader *reader, const struct saved_record *record, const char **why)
{
	int rc;

	*why = "records in the wrong order";
	if ((record->kind == SAVED_RECORD_session) != (reader->last == 0) ||
	    reader->last == SAVED_RECORD_end)
		return -EPROTO;
	switch (record->kind) {
	case SAVED_RECORD_session:
		return 0;
	case SAVED_RECORD_task:
		return reader->in_sockets || reader->in_questions ? -EPROTO : 0;
	case SAVED_RECORD_socket:
		if (reader->in_questions)
			return -EPROTO;
		rc = check_complete(reader, why);
		return rc ? rc : begin_socket(reader, &record->socket, why);
	case SAVED_RECORD_bytes:
		return check_bytes(reader, &record->bytes, why);
	case SAVED_RECORD_frame:
		return check_frame(reader, &record->frame, why);
	case SAVED_RECORD_arriving:
		return check_arriving(reader, &record->arriving, why);
	case SAVED_RECORD_leaving:
		return check_leaving(reader, &record->leaving, why);
	case SAVED_RECORD_end:
		return check_end(reader, &record->end, why);
	}
	return -EPROTO;
}
