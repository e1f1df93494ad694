/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-error.c - errors of datagram sockets, mostly by ICMP */
#include <errno.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/near-datagram.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/vsock.h"

/*
 * Theory of operation
 *
 * A UNIX datagram socket gets an error (ECONNRESET, which poll shows) exactly if its peer connects
 * to another socket or to none, was connected to it, and has a datagram unread at that moment
 * (net/unix/af_unix.c, unix_dgram_disconnected()). So the instance empties the peer, disconnects
 * it, sends it a token, connects it again, and disconnects it once more: the kernel throws the
 * token away and the near end has its error. Shim and instance turn that into the real error, and
 * report it once. Datagrams that the near end has not yet read stay.
 */

static int make_free(int fd)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};

	return connect(fd, &unspec, sizeof(unspec)) ? -errno : 0;
}

static void send_token(struct dgram_set *set, int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	if (set->token < 0)
		set->token = near_datagram_far(set->sources.network);
	if (set->token >= 0 && !getsockname(fd, (struct sockaddr *)&addr, &len))
		(void)sendto(set->token, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
			     (const struct sockaddr *)&addr, len);
}

void datagram_raise(struct instance *inst, struct vsock *vs)
{
	struct dgram *dg = vs->dgram;
	int rc;

	if (dg->peer < 0 || dg->gone || !inst->near->shows_errors)
		return;
	if (link_is_up(inst->link))
		datagram_take_peer(inst, vs);
	rc = make_free(dg->peer);
	if (!rc) {
		send_token(inst->datagrams, dg->peer);
		rc = near_names_connect(&inst->near->names, dg->peer, vsock_name(vs));
	}
	if (!rc)
		rc = make_free(dg->peer);
	if (!rc)
		rc = near_names_connect(&inst->near->names, dg->peer, vsock_name(vs));
	if (rc == -ECONNREFUSED)
		datagram_on_gone(inst, vs);
}

int datagram_take_error(struct vsock *vs)
{
	int error = vs->dgram->error;

	vs->dgram->error = 0;
	return error;
}

int datagram_on_error(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		      const char **why)
{
	*why = "error of a datagram socket for a stream";
	if (!vs->is_datagram)
		return -EPROTO;
	vs->dgram->error = frame->datagram_error.error;
	datagram_raise(inst, vs);
	return 0;
}
