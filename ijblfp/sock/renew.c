/* SPDX-License-Identifier: Apache-2.0 */
/* renew.c - another near end for a socket whose connection is over (RENEW) */
#include "ijblfp/sock/renew.h"

#include <errno.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/listener.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

int renew_begin(struct instance *inst, struct vsock *vs, struct near_id *id)
{
	int near;

	if (vs->state != VSOCK_OVER || vs->stream.told != TOLD_END)
		return -EINVAL;
	near = near_create(inst->near, id);
	if (near < 0)
		return descriptors_lack(inst, near);
	if (vs->stream.tells_unread)
		(void)near_tell_unread(near, true);
	early_show(vs, near);
	return near;
}

void renew_end(struct instance *inst, struct vsock *vs, const struct near_id *id, bool taken)
{
	struct near_id past = taken ? vs->near[0].id : *id;

	if (taken) {
		vsock_set_near(inst->socks, vs, id);
		renew_life(inst->socks, vs);
	}
	near_forget(inst->near, &past);
}

void renew_life(struct vsock_table *table, struct vsock *vs)
{
	connect_forget(vs);
	stream_renew(vs);
	deliver_renew(vs);
	listener_renew(vs);
	vsock_unpair(vs);
	vs->gate = 0;
	vs->local.family = vs->peer.family = 0;
	vs->stream.listener = 0;
	vsock_set_state(table, vs, VSOCK_NEW);
}
