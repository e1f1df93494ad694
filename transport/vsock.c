/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.c - the transport over AF_VSOCK: between a host and its virtual machines, without a network
 */
#include "transport/vsock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "transport/choice.h"
#include "transport/stream-ends.h"

/*
 * Theory of operation
 *
 * Packets follow each other on a stream socket (stream-socket.c). SOCK_SEQPACKET would keep their
 * boundaries, but few hypervisors have it.
 *
 *  - The CID is the name of a system: the host is 2, and the hypervisor gives each guest its own.
 *    A guest cannot change it. So it is the peer's identity, as the z/VM user id is with iucv. It
 *    does not tell which program of that system has connected.
 *  - A port below 1024 needs CAP_NET_BIND_SERVICE to listen (net/vmw_vsock/af_vsock.c,
 *    __vsock_bind_connectible()).
 *  - connect() does not wait, and reports ECONNRESET where nothing listens.
 */

#define BACKLOG    16
#define PATIENCE_S 60 /* more than dial.c has to connect */

struct vsock_settings {
	unsigned int port;
	unsigned int peer; /* CID; 0: not set */
	bool dials;
};

_Static_assert(sizeof(struct vsock_settings) <= TRANSPORT_SETTINGS_EACH, "they fit");

#define PORT(key, which)                                                                           \
	{                                                                                          \
		key, LFP_FIELD_NUMBER, offsetof(struct vsock_settings, port), 1, 4294967294u,      \
			"5023", false, "with " which " = vsock: port of the side that listens",    \
			LFP_FIELD_OURS, NULL, NULL                                                 \
	}
#define PEER(key, which, initial)                                                                  \
	{                                                                                          \
		key, LFP_FIELD_NUMBER, offsetof(struct vsock_settings, peer), 0, 4294967294u,      \
			initial, false,                                                            \
			"with " which                                                              \
			" = vsock: CID of the peer's system (2 is the host, 0: not set)",          \
			LFP_FIELD_OURS, NULL, NULL                                                 \
	}
#define DIAL(key, which, initial)                                                                  \
	{                                                                                          \
		key, LFP_FIELD_YESNO, offsetof(struct vsock_settings, dials), 0, 0, initial,       \
			false, "with " which " = vsock: connect to the peer, or listen for it",    \
			LFP_FIELD_OURS, NULL, NULL                                                 \
	}

static const struct lfp_field lfpd_keys[] = {
	PEER("PEER_CID", "TRANSPORT", "0"),
	PORT("VSOCK_PORT", "TRANSPORT"),
	DIAL("VSOCK_DIAL", "TRANSPORT", "no"),
};

static const struct lfp_field vse_keys[] = {
	PEER("PeerCid", "Transport", "2"),
	PORT("VsockPort", "Transport"),
	DIAL("VsockDial", "Transport", "yes"),
};

static const struct vsock_settings *settings_of(const struct transport_settings *settings)
{
	return transport_settings_of(settings, &transport_vsock);
}

uint32_t vsock_peer(const struct transport_settings *settings)
{
	return settings_of(settings)->peer;
}

static int check(const struct transport_settings *settings, enum transport_side side, uint32_t mtu,
		 struct transport_fault *fault)
{
	(void)mtu;
	if (settings_of(settings)->peer)
		return 0;
	/* Without it any guest of the host could be the z/VSE side. */
	fault->key = side == TRANSPORT_LFPD ? "PEER_CID" : "PeerCid";
	snprintf(fault->text, sizeof(fault->text),
		 "mandatory with this transport: the CID of the peer's system (2 is the host)");
	return -EINVAL;
}

static int open_socket(char *why)
{
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		return fd;
	fd = -errno;
	if (fd == -EAFNOSUPPORT)
		snprintf(
			why, TRANSPORT_WHY,
			"this kernel does not have AF_VSOCK: Linux provides it as the module vsock");
	return fd;
}

static int listen_for(const struct transport_where *where,
		      char path[static sizeof(((struct sockaddr_un *)0)->sun_path)], char *why)
{
	const struct vsock_settings *own = settings_of(&where->settings);
	struct sockaddr_vm addr = {
		.svm_family = AF_VSOCK,
		.svm_cid = VMADDR_CID_ANY,
		.svm_port = own->port,
	};
	int rc, fd = open_socket(why);

	*path = '\0';
	if (fd < 0)
		return fd;
	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) && !listen(fd, BACKLOG))
		return fd;
	rc = -errno;
	close(fd);
	if (rc == -EADDRINUSE)
		snprintf(why, TRANSPORT_WHY, "another process listens at port %u", own->port);
	else if (rc == -EACCES)
		snprintf(why, TRANSPORT_WHY, "port %u, below 1024, needs CAP_NET_BIND_SERVICE",
			 own->port);
	return rc;
}

/* Linux ends an attempt after two seconds. The peer may be an emulated machine on a busy host,
 * which answers later; dial.c has a limit of its own. */
static void wait_for_peer(int fd)
{
	const struct timeval limit = {.tv_sec = PATIENCE_S};

	(void)setsockopt(fd, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &limit, sizeof(limit));
}

static int dial(const struct transport_where *where, char line[static DIAL_LINE], char *why)
{
	const struct vsock_settings *own = settings_of(&where->settings);
	struct sockaddr_vm addr = {
		.svm_family = AF_VSOCK,
		.svm_cid = own->peer,
		.svm_port = own->port,
	};
	int rc, fd = open_socket(why);

	*line = '\0';
	if (fd >= 0)
		wait_for_peer(fd);
	if (fd < 0 || !connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) ||
	    errno == EINPROGRESS)
		return fd;
	rc = -errno;
	close(fd);
	if (rc == -ENODEV || rc == -ENETUNREACH)
		snprintf(why, TRANSPORT_WHY, "no vsock driver of this system reaches CID %u",
			 own->peer);
	return rc;
}

static int get_peer(int fd, struct sockaddr_vm *addr)
{
	socklen_t len = sizeof(*addr);

	memset(addr, 0, sizeof(*addr));
	return getpeername(fd, (struct sockaddr *)addr, &len) ? -errno : 0;
}

/* A peer that has gone already has no address, and is not admitted. */
static int admit(const struct transport_where *where, int fd, char *why)
{
	const uint32_t must = settings_of(&where->settings)->peer;
	struct sockaddr_vm addr;

	if (get_peer(fd, &addr))
		return -ECONNRESET;
	if (addr.svm_cid == must)
		return 0;
	snprintf(why, TRANSPORT_WHY, "CID %u, port %u: its CID is not the configured one, %u",
		 addr.svm_cid, addr.svm_port, must);
	return -EACCES;
}

static void describe(struct transport_conn *base, struct transport_peer *out)
{
	struct sockaddr_vm addr;

	memset(out, 0, sizeof(*out));
	if (get_peer(((struct streamsock_conn *)base)->fd, &addr))
		snprintf(out->text, sizeof(out->text), "a peer that has disconnected");
	else
		snprintf(out->text, sizeof(out->text), "vsock CID %u port %u", addr.svm_cid,
			 addr.svm_port);
}

static const struct stream_kind kind = {
	.transport = &transport_vsock,
	.peeks = true,
	.listen = listen_for,
	.dial = dial,
	.admit = admit,
};

static int vsock_listen(uv_loop_t *loop, const struct transport_where *where,
			struct transport_listener **out)
{
	return streamsock_listen(loop, where, &kind, settings_of(&where->settings)->dials, out);
}

static int vsock_connect(uv_loop_t *loop, const struct transport_where *where,
			 transport_connected_cb cb, void *data)
{
	return streamsock_connect(loop, where, &kind, settings_of(&where->settings)->dials, cb,
				  data);
}

const struct transport transport_vsock = {
	.name = "vsock",
	.keys = {{lfpd_keys, sizeof(lfpd_keys) / sizeof(lfpd_keys[0])},
		 {vse_keys, sizeof(vse_keys) / sizeof(vse_keys[0])}},
	.check = check,
	.needs = vsock_needs,
	.check_needs = vsock_check_needs,
	.listens_at = "AF_VSOCK",
	.batch = 8,
	.listen = vsock_listen,
	.stop = streamsock_stop,
	.connect = vsock_connect,
	.send = streamsock_send,
	.receive = streamsock_receive,
	.release = streamsock_release,
	.watch = streamsock_watch,
	.credit = streamsock_credit,
	.close = streamsock_close,
	.describe = describe,
};
