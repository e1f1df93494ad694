/* SPDX-License-Identifier: Apache-2.0 */
/* listener.c - the listener's part of a socket: whether it listens, and its credits */
#include "ijblfp/sock/listener.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/vsock.h"

static void set_listened(struct vsock *vs, enum listener to)
{
	vs->listened = lfp_transition(&listened_states, vs->listened, to);
}

int listener_make(struct vsock *vs)
{
	if (vs->as_listener)
		return 0;
	vs->as_listener = calloc(1, sizeof(*vs->as_listener));
	if (!vs->as_listener)
		return -ENOMEM;
	lfp_list_init(&vs->as_listener->records);
	return 0;
}

void listener_begin(struct vsock *vs)
{
	set_listened(vs, LISTENER_NOW);
}

void listener_stop(struct vsock *vs)
{
	set_listened(vs, LISTENER_WAS);
}

void listener_renew(struct vsock *vs)
{
	if (vs->as_listener)
		vs->as_listener->credits_wanted = vs->as_listener->credits_out = 0;
}

/* Returns the number of records that the program has not taken. */
static unsigned int untaken(const struct vsock *vs)
{
	int record_size = vs->as_listener->record_size, bytes = 0;

	if (!record_size || ioctl(vs->far, SIOCOUTQ, &bytes))
		return 0;
	return (unsigned int)(bytes / record_size);
}

void credits_grant(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = vs->id};
	struct vsock_listener *own = vs->as_listener;
	unsigned int used = own->credits_out + own->arriving + untaken(vs);

	if (used >= own->credits_wanted)
		return;
	frame.accept.count = own->credits_wanted - used;
	if (!link_send(inst, &frame))
		own->credits_out += frame.accept.count;
}

void credits_end_arrival(struct instance *inst, const struct vsock *conn)
{
	struct vsock *vs = vsock_find(inst->socks, conn->stream.listener);

	if (vs && vs->as_listener && vs->as_listener->arriving)
		vs->as_listener->arriving--;
}
