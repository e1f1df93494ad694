/* SPDX-License-Identifier: Apache-2.0 */
/* paused.c - listeners that wait until their user has fewer sockets */
#include "lfpd/sock/paused.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/datagram-via.h"
#include "lfpd/users/refusal.h"

void paused_move(struct socket *sock, uint32_t uid)
{
	struct instance *inst = sock->instance;
	struct share *from = sock->share, *to;

	if (from->base.uid == uid)
		return;
	to = share_take(inst, uid, SHARE_SOCKETS);
	if (!to)
		return;
	if (!sock->is_datagram && sock->listener.state == LISTENER_PAUSES_USER)
		socket_set_listener(sock, LISTENER_LISTENS);
	/* Associations count for the user that has begun them. */
	if (sock->is_datagram) {
		datagram_via_rest(sock);
		sock->dgram->held = false;
	}
	socket_set_spare(sock, false);
	sock->share = to;
	share_drop(inst, from, SHARE_SOCKETS);
	socket_arm(sock);
}

void paused_add(struct socket *listener)
{
	struct instance *inst = listener->instance;
	struct share *share = listener->share;

	(void)refusal_if_spent(inst, share->base.uid, SHARE_SOCKETS);
	socket_set_listener(listener, LISTENER_PAUSES_USER);
}

void paused_go_on(struct instance *inst, struct share *share)
{
	struct socket *first = lfp_list_first_entry(&share->paused, struct socket, listener.entry);

	if (!first || inst->stopping || share_is_spent(inst, share->base.uid, SHARE_SOCKETS))
		return;
	socket_set_listener(first, LISTENER_LISTENS);
	socket_arm(first);
}

void paused_go_on_all(struct instance *inst)
{
	struct lfp_share *share = NULL;

	while ((share = lfp_share_next(&inst->shares, share)))
		paused_go_on(inst, (struct share *)share);
}
