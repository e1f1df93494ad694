/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - frames of lfpd for a socket, except answers */
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
 * Epochs number a socket's lives (lfpd/session/dispatch.c). This side counts up when lfpd answers a
 * CONNECT with family 0 with success. All later frames of lfpd are of the new life, so no frame is
 * late for this reason. This side also counts up when it sends a SHUTDOWN that ends a listener.
 * Connections that lfpd accepts before it gets that SHUTDOWN are late, and are reset. A late frame
 * is dropped, except for its bytes in a window. RESET with EPROTO is never late, as it ends all
 * lives of the socket.
 */

/* Returns 0, or -EPROTO if the frame does not fit the socket. */
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
		return vs->is_datagram ? datagram_on_window(inst, vs, frame, why)
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

/* The same for a frame that lfpd sent in an earlier life of the socket. */
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
	if (age == LFP_FUTURE || (age == LFP_LATE && vs->is_datagram))
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
