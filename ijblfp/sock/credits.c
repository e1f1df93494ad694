/* SPDX-License-Identifier: Apache-2.0 */
/* credits.c - the connections that lfpd may hand over to a listener */
#include "ijblfp/sock/credits.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/vsock.h"

/* Records that the program has not taken. */
static unsigned int untaken(const struct vsock *vs)
{
	int bytes = 0;

	if (!vs->record_size || ioctl(vs->far, SIOCOUTQ, &bytes))
		return 0;
	return (unsigned int)(bytes / vs->record_size);
}

void credits_grant(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = vs->id};
	unsigned int used = vs->credits_out + vs->arriving + untaken(vs);

	if (used >= vs->credits_wanted)
		return;
	frame.accept.count = vs->credits_wanted - used;
	if (!link_send(inst, &frame))
		vs->credits_out += frame.accept.count;
}

void credits_end_arrival(struct instance *inst, const struct vsock *conn)
{
	struct vsock *vs = vsock_find(inst->socks, conn->listener);

	if (vs && vs->arriving)
		vs->arriving--;
}
