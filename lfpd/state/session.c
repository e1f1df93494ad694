/* SPDX-License-Identifier: Apache-2.0 */
/* session.c - the state of a session: its timer, what it sends */
#include "lfpd/state/session.h"

#include <errno.h>
#include <string.h>

#include "lfp/log.h"
#include "lfpd/state/stranger.h"

void session_start_timer(struct session *session, unsigned int ms)
{
	uv_timer_start(&session->timer, session->ops->on_timer, ms, 0);
}

void session_send(struct session *session, const struct lfp_frame *frame)
{
	int rc = path_send(session->path, frame);

	/* -ENOTCONN: on_down will be called. */
	if (!rc || rc == -ENOTCONN || session->state != SESSION_ACTIVE)
		return;
	lfp_debug("%s could not be sent: %s", lfp_message_name(frame->code), strerror(-rc));
	session_start_timer(session, 0);
}

struct lfp_frame session_reply(const struct lfp_frame *frame)
{
	struct lfp_frame reply = {
		.code = (uint8_t)(frame->code | 0x80),
		.request = frame->request,
		.task = frame->task,
		.sock = frame->sock,
		.epoch = frame->epoch,
	};

	return reply;
}

void session_answer(struct session *session, const struct lfp_frame *frame, int status)
{
	struct lfp_frame reply = session_reply(frame);

	reply.status = (uint16_t)status;
	session_send(session, &reply);
}

void session_lose(struct session *session, int error, const char *why)
{
	struct transport_conn *conn = path_conn(session->path);
	struct transport_peer peer;
	char more[LFP_RATELIMIT_TEXT];

	conn->transport->describe(conn, &peer);
	if (session->state != SESSION_ACTIVE && error && stranger_is_told(session->instance, more))
		lfp_msg("VLFD110W", "The connection of %s has ended before it was admitted: %s%s.",
			peer.text, error == -EPROTO ? why : strerror(-error), more);
	else if (session->state == SESSION_ACTIVE && !error)
		lfp_msg("VLFD111I", "%s of %s has ended the path: %s.", session->hello.appname,
			session->hello.vmid, *why ? why : "no reason given");
	else if (session->state == SESSION_ACTIVE && error == -EPROTO)
		lfp_msg("VLFD112E", "Ended the path to %s of %s after a protocol error: %s.",
			session->hello.appname, session->hello.vmid, why);
	else if (session->state == SESSION_ACTIVE)
		lfp_msg("VLFD113W", "The path to %s of %s is lost: %s (%s).",
			session->hello.appname, session->hello.vmid, why, strerror(-error));
	session->ops->end(session, error == -EPROTO ? why : NULL);
}
