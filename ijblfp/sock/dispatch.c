/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - frames of lfpd that are for a socket, but for answers */
#include "ijblfp/sock/dispatch.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/disagree.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

/*
 * Theory of operation
 *
 * A socket's lives have epochs, as lfpd/session/dispatch.c says. This side counts up when the
 * answer to a CONNECT with family 0 says that it has worked; nothing that lfpd sends later is of
 * the old life, so no frame of lfpd is late for this reason. And this side counts up when it sends
 * a SHUTDOWN that ends a listener: connections that lfpd has accepted until it gets that are late,
 * and are reset. A late frame is dropped but for what it counts in a window. RESET with EPROTO is
 * never late, as it ends all lives of the socket.
 */

/* 0, or -EPROTO if it does not fit the socket. */
static int take_frame(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		      const char **why)
{
	switch (frame->code) {
	case LFP_ACCEPTED:
		return listen_on_accepted(inst, vs, frame, why);
	case LFP_CONNECTED:
		return connect_on_connected(inst, vs, frame->status, why);
	case LFP_DATA:
		return deliver_on_data(inst, vs, frame, why);
	case LFP_WINDOW:
		return vs->dgram ? datagram_on_window(inst, vs, frame, why)
				 : stream_on_window(inst, vs, frame, why);
	case LFP_DATAGRAM:
		return datagram_on_datagram(inst, vs, frame, why);
	case LFP_DATAGRAM_ERROR:
		return datagram_on_error(inst, vs, frame, why);
	case LFP_SHUTDOWN:
		return deliver_on_shutdown(inst, vs, frame, why);
	case LFP_RESET:
		return deliver_on_reset(inst, vs, frame, why);
	}
	*why = "message not used in this direction";
	return -EPROTO;
}

/* The same for one that lfpd sent in an earlier life of the socket. */
static int take_late(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why)
{
	switch (frame->code) {
	case LFP_DATA:
		return deliver_on_late_data(inst, vs, frame, why);
	case LFP_ACCEPTED:
	case LFP_WINDOW:
		return take_frame(inst, vs, frame, why);
	}
	return 0;
}

static int take_by_age(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why)
{
	enum lfp_age age = lfp_epoch_age(frame->epoch, vs->epoch);

	if (frame->code == LFP_RESET && frame->status == EPROTO) {
		*why = "lfpd reports that a frame for it did not fit";
		return -EPROTO;
	}
	/* Datagram sockets have one life. */
	*why = "its socket id has an epoch that has not begun";
	if (age == LFP_FUTURE || (age == LFP_LATE && vs->dgram))
		return -EPROTO;
	return age == LFP_LATE ? take_late(inst, vs, frame, why) : take_frame(inst, vs, frame, why);
}

void ijblfp_dispatch_to_socket(struct instance *inst, const struct lfp_frame *frame)
{
	struct vsock *vs = vsock_find(inst->socks, frame->sock);
	const char *why = "lfpd has not confirmed the socket";

	if (!vs)
		disagree_on_unknown(inst, frame);
	else if (vs->state == VSOCK_CLOSING && frame->code != LFP_ACCEPTED)
		return;
	else if (vs->state == VSOCK_OPENING || take_by_age(inst, vs, frame, &why))
		ijblfp_disagree_on_socket(inst, vs, frame, why);
}
