/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-errors.c - the errors that come back for datagrams, and the error queue */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/sock/datagram.h"
#include "lfpd/sock/datagram-kept.h"

/* An error that cannot be reported is lost, as in the kernel when another one follows before the
 * program looks. */
void datagram_tell_error(struct socket *sock, int error)
{
	struct lfp_frame frame = {
		.code = LFP_DATAGRAM_ERROR,
		.sock = sock->node.key,
		.datagram_error.error = (uint16_t)error,
	};

	/* Drops the error: errors from the network must not fill lfpd's memory. */
	if (path_congested(sock->session->path))
		return;
	session_send(sock->session, &frame);
}

static int take_pending(const struct socket *sock)
{
	int error = 0;
	socklen_t len = sizeof(error);

	return getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len) ? 0 : error;
}

/* An entry that does not fit is lost, as it would be in the kernel. */
void datagram_keep_error(struct datagrams *dg, const struct lfp_errqueue *entry)
{
	struct error_queue *errors = dg->errors;
	unsigned int at;

	if (!errors)
		errors = dg->errors = calloc(1, sizeof(*errors));
	if (!errors || errors->nr == ENTRIES_MAX)
		return;
	at = (errors->first + errors->nr++) % ENTRIES_MAX;
	errors->slots[at].entry = *entry;
	errors->slots[at].len = entry->payload.len;
	memcpy(errors->slots[at].payload, entry->payload.ptr, entry->payload.len);
}

void datagram_take_errors(struct socket *sock)
{
	int error = take_pending(sock);
	uint8_t payload[PAYLOAD_MAX];
	struct lfp_errqueue entry;

	while (!datagram_host_error(sock, &entry, payload))
		datagram_keep_error(sock->dgram, &entry);
	/* Taking an entry makes that of the next one wait. */
	(void)take_pending(sock);
	if (error)
		datagram_tell_error(sock, error);
}

int datagram_handle_errqueue(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	struct lfp_frame reply = session_reply(frame);
	struct error_queue *errors;

	*why = "ERRQUEUE for a stream";
	if (!sock->is_datagram)
		return -EPROTO;
	datagram_take_errors(sock);
	errors = sock->dgram->errors;
	if (!errors || !errors->nr) {
		session_answer(sock->session, frame, EAGAIN);
		return 0;
	}
	reply.errqueue = errors->slots[errors->first].entry;
	reply.errqueue.payload.ptr = errors->slots[errors->first].payload;
	reply.errqueue.payload.len = errors->slots[errors->first].len;
	errors->first = (errors->first + 1) % ENTRIES_MAX;
	errors->nr--;
	session_send(sock->session, &reply);
	return 0;
}
