/* SPDX-License-Identifier: Apache-2.0 */
/* paused.c - listeners that wait until their user has fewer sockets */
#include "lfpd/sock/paused.h"
#include "lfpd/users/refusal.h"

void share_move(struct socket *sock, uint32_t uid)
{
	struct instance *inst = sock->instance;
	struct share *from = sock->share, *to;

	if (from->base.uid == uid)
		return;
	to = share_take(inst, uid, SHARE_SOCKETS);
	if (!to)
		return;
	if (sock->paused_in == &from->paused)
		socket_unpause(sock);
	sock->share = to;
	share_drop(inst, from, SHARE_SOCKETS);
	socket_arm(sock);
}

void share_pause(struct socket *listener)
{
	struct instance *inst = listener->instance;
	struct share *share = listener->share;

	(void)share_refuses(inst, share->base.uid, SHARE_SOCKETS);
	listener->paused_in = &share->paused;
	TAILQ_INSERT_TAIL(&share->paused, listener, entry);
}

void share_go_on(struct instance *inst, struct share *share)
{
	struct socket *first = TAILQ_FIRST(&share->paused);

	if (!first || inst->stopping || share_is_spent(inst, share->base.uid, SHARE_SOCKETS))
		return;
	socket_unpause(first);
	socket_arm(first);
}

void share_go_on_all(struct instance *inst)
{
	struct lfp_share *share = NULL;

	while ((share = lfp_share_next(&inst->shares, share)))
		share_go_on(inst, (struct share *)share);
}
