/* SPDX-License-Identifier: Apache-2.0 */
/* iucv.c - the transport over the kernel's AF_IUCV: z/VM IUCV and HiperSockets */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/choice.h"
#include "transport/iucv-socket.h"
#include "transport/seqpacket.h"
#include "transport/listen-socket.h"

/*
 * Theory of operation
 *
 * A packet is a message of a SOCK_SEQPACKET socket. AF_IUCV differs from UNIX sockets, as measured
 * on Linux 6.1 (docs/s390x.md):
 *
 *  - A message needs MSG_EOR, or it is refused. SOCK_STREAM would silently cut messages that are
 *    longer than SO_MSGSIZE.
 *  - connect() always waits. A thread of libuv's pool calls it, with SO_SNDTIMEO.
 *  - close() waits up to two seconds for messages that the peer has not taken: without that wait
 *    the peer would lose BYE. A thread calls it, too. The name is in use until then.
 *  - The end is a message of length 0, or ENOTCONN once. So an empty message is never sent.
 *  - A peer that goes before it was accepted keeps its place in the backlog, and poll() does not
 *    report it. So the backlog is long, and the listener looks by itself each second.
 *  - The name of the application must be unique on the system, whatever the user id. An accepted
 *    connection keeps it. Any user may take it.
 *  - On HiperSockets a peer that vanishes sends no FIN: only sending finds out. Frames carry
 *    nothing but the names, so frames of the old connection and of its successor look the same,
 *    and the old one's FIN ends both. See `lone` in transport.h.
 *  - On HiperSockets nothing is repeated or counted. A lost frame shows as a gap in the numbers of
 *    packets, which ends the path.
 */

#define BACKLOG 128

struct iucv_connect {
	uv_work_t work;
	uv_loop_t *loop;
	struct iucv_wanted wanted;
	struct iucv_addr to;
	char vmid[9];
	char why[TRANSPORT_WHY];
	char *where_why;
	int fd; /* or a negative errno */
	transport_connected_cb cb;
	void *data;
};

struct iucv_settings {
	char hsuid[9]; /* "" is z/VM IUCV */
};

_Static_assert(sizeof(struct iucv_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

static const struct lfp_field lfpd_keys[] = {
	{"IUCV_HSUID", LFP_FIELD_VMID, offsetof(struct iucv_settings, hsuid), 0, 0, NULL, false,
	 "with TRANSPORT = iucv: hsuid of the HiperSockets device (not set: z/VM IUCV)",
	 LFP_FIELD_OURS, NULL, NULL},
};

static const struct lfp_field vse_keys[] = {
	{"IucvHsuid", LFP_FIELD_VMID, offsetof(struct iucv_settings, hsuid), 0, 0, NULL, false,
	 "with Transport = iucv: hsuid of our HiperSockets device (not set: z/VM IUCV)",
	 LFP_FIELD_OURS, NULL, NULL},
};

const char *iucv_hsuid(const struct transport_settings *settings)
{
	const struct iucv_settings *iucv = transport_settings_of(settings, &transport_iucv);

	return iucv->hsuid;
}

static struct iucv_wanted wanted_of(const struct transport_where *where, const char *name)
{
	struct iucv_wanted wanted = {
		.msglimit = where->msglimit ? where->msglimit : 1024,
		.mtu = where->mtu,
	};

	snprintf(wanted.name, sizeof(wanted.name), "%s", name ? name : "");
	snprintf(wanted.hsuid, sizeof(wanted.hsuid), "%s", iucv_hsuid(&where->settings));
	return wanted;
}

static void tell_why(char *out, const char *why)
{
	if (out && *why)
		snprintf(out, TRANSPORT_WHY, "%s", why);
}

static int create(uv_loop_t *loop, int fd, uint32_t mtu, const char vmid[static 9],
		  struct seqpacket_conn **out)
{
	int rc = seqpacket_create(loop, &transport_iucv, fd, mtu, out);

	if (rc)
		return rc;
	(*out)->send_flags = MSG_EOR;
	memcpy((*out)->base.vmid, vmid, sizeof((*out)->base.vmid));
	return 0;
}

/* A peer whose name is unreadable must not be admitted as an unknown one. */
static void tell_name(char out[static 9], const char in[static 8])
{
	iucv_name_get(out, in);
	if (!*out)
		memcpy(out, "?", 2);
}

static void iucv_describe(struct transport_conn *base, struct transport_peer *out)
{
	struct iucv_addr addr;
	socklen_t len = sizeof(addr);

	memset(out, 0, sizeof(*out));
	if (getpeername(((struct seqpacket_conn *)base)->fd, (struct sockaddr *)&addr, &len) < 0) {
		memset(&addr, 0, sizeof(addr));
		snprintf(out->text, sizeof(out->text), "a peer that has disconnected");
	}
	tell_name(out->vmid, addr.user);
	tell_name(out->appname, addr.name);
	if (!*out->text)
		snprintf(out->text, sizeof(out->text), "AF_IUCV %s %s", out->vmid, out->appname);
}

static int on_accept(struct socket_listener *listener, int fd)
{
	struct seqpacket_conn *conn;
	int rc = create(listener->poll.loop, fd, listener->where.mtu, listener->base.vmid, &conn);

	if (!rc)
		listener->base.on_connection(&listener->base, &conn->base);
	return rc;
}

static int iucv_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out)
{
	struct socket_listener *listener = calloc(1, sizeof(*listener));
	struct iucv_wanted wanted = wanted_of(where, where->name);
	char why[TRANSPORT_WHY];
	int fd, rc;

	if (!listener)
		return -ENOMEM;
	listener->base.transport = &transport_iucv;
	listener->on_accept = on_accept;
	listener->look = true;
	fd = iucv_open(&wanted, listener->base.vmid, why);
	if (fd < 0) {
		tell_why(where->why, why);
		free(listener);
		return fd;
	}
	if (listen(fd, BACKLOG) < 0) {
		rc = -errno;
		close(fd);
		free(listener);
		return rc;
	}
	rc = socket_listen_on(loop, where, fd, "", listener);
	if (!rc)
		*out = &listener->base;
	return rc;
}

static void iucv_stop(struct transport_listener *base)
{
	socket_stop((struct socket_listener *)base);
}

static void do_connect(uv_work_t *work)
{
	struct iucv_connect *request = work->data;
	int rc;

	request->fd = iucv_open(&request->wanted, request->vmid, request->why);
	if (request->fd < 0)
		return;
	rc = iucv_connect(request->fd, &request->to, *request->wanted.hsuid, request->why);
	if (rc) {
		close(request->fd);
		request->fd = rc;
	}
}

static void on_connect_done(uv_work_t *work, int status)
{
	struct iucv_connect *request = work->data;
	struct seqpacket_conn *conn = NULL;
	int rc = status ? status : request->fd;

	if (rc >= 0)
		rc = create(request->loop, request->fd, request->wanted.mtu, request->vmid, &conn);
	else
		tell_why(request->where_why, request->why);
	request->cb(request->data, rc, conn ? &conn->base : NULL);
	free(request);
}

static int iucv_connect_to(uv_loop_t *loop, const struct transport_where *where,
			   transport_connected_cb cb, void *data)
{
	struct iucv_connect *request = calloc(1, sizeof(*request));
	int rc;

	if (!request)
		return -ENOMEM;
	request->loop = loop;
	request->wanted = wanted_of(where, where->own);
	iucv_addr_set(&request->to, where->vmid, where->name);
	request->where_why = where->why;
	request->cb = cb;
	request->data = data;
	request->work.data = request;
	rc = uv_queue_work(loop, &request->work, do_connect, on_connect_done);
	if (rc)
		free(request);
	return rc;
}

const struct transport transport_iucv = {
	.name = "iucv",
	.keys = {{lfpd_keys, sizeof(lfpd_keys) / sizeof(lfpd_keys[0])},
		 {vse_keys, sizeof(vse_keys) / sizeof(vse_keys[0])}},
	.needs = iucv_needs,
	.check_needs = iucv_check_needs,
	.threads = true,
	.listens_at = "AF_IUCV",
	.lone = true,
	.batch = 8,
	.listen = iucv_listen,
	.stop = iucv_stop,
	.connect = iucv_connect_to,
	.send = seqpacket_send,
	.receive = seqpacket_receive,
	.release = seqpacket_release,
	.watch = seqpacket_watch,
	.credit = seqpacket_credit,
	.close = seqpacket_close_slowly,
	.describe = iucv_describe,
};
