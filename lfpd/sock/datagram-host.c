/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-host.c - one datagram to or from the host's socket */
#include "lfpd/names/interfaces.h"
#include "lfpd/sock/datagram.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/addr.h"
#include "lfp/bigend.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram-names.h"
#include "lfpd/sock/datagram-via.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/relimit.h"
#include "lfpd/users/share.h"

/* Enough for all the ancillary data that a program can ask for. */
union control {
	struct cmsghdr align;
	char buf[512];
};

/* The value of a control message, cut off or filled with zeros. */
#define GET(cmsg, value) get_value((cmsg), &(value), sizeof(value))

static void get_value(const struct cmsghdr *cmsg, void *value, size_t size)
{
	size_t len = cmsg->cmsg_len - CMSG_LEN(0);

	memset(value, 0, size);
	memcpy(value, CMSG_DATA(cmsg), len < size ? len : size);
}

static void take_pktinfo(struct lfp_meta *meta, const struct cmsghdr *cmsg)
{
	struct in_pktinfo info;

	GET(cmsg, info);
	meta->has |= LFP_HAS_PKTINFO;
	meta->ifindex = (uint32_t)info.ipi_ifindex;
	meta->spec = ntohl(info.ipi_spec_dst.s_addr);
	if (meta->has & LFP_HAS_PKTINFO6)
		return; /* the same address, mapped */
	meta->local.family = LFP_AF_INET;
	memcpy(meta->local.ip, &info.ipi_addr, sizeof(info.ipi_addr));
}

static void take_pktinfo6(struct lfp_meta *meta, const struct cmsghdr *cmsg)
{
	struct in6_pktinfo info;

	GET(cmsg, info);
	meta->has |= LFP_HAS_PKTINFO6;
	meta->ifindex = info.ipi6_ifindex;
	meta->local.family = LFP_AF_INET6;
	memcpy(meta->local.ip, &info.ipi6_addr, sizeof(info.ipi6_addr));
}

/* The address is that of IP_PKTINFO, too, or is mapped from it. */
static void take_origdst(struct lfp_meta *meta, const struct cmsghdr *cmsg)
{
	bool v6 = cmsg->cmsg_level == IPPROTO_IPV6;
	struct sockaddr_storage addr;
	struct lfp_addr orig;

	GET(cmsg, addr);
	if (lfp_addr_from(&orig, (struct sockaddr *)&addr, sizeof(addr)))
		return;
	meta->has |= v6 ? LFP_HAS_ORIGDST6 : LFP_HAS_ORIGDST;
	if (v6 || meta->local.family == LFP_AF_UNSPEC)
		meta->local = orig;
	meta->local.port = orig.port;
}

/* Not a datagram but a notice about one that was too long; its address is in the message. */
static void take_pathmtu(struct lfp_meta *meta, const struct cmsghdr *cmsg)
{
	struct ip6_mtuinfo info;

	GET(cmsg, info);
	meta->has |= LFP_HAS_PATHMTU;
	meta->spec = info.ip6m_mtu;
}

/* A number that @meta has room for: notes that it is there. */
static unsigned int take_number(struct lfp_meta *meta, const struct cmsghdr *cmsg, uint16_t has)
{
	unsigned int number;

	GET(cmsg, number);
	meta->has |= has;
	return number;
}

static void take_control(struct lfp_meta *meta, const struct cmsghdr *cmsg)
{
	uint8_t tos;

	if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_PKTINFO) {
		take_pktinfo(meta, cmsg);
	} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_PKTINFO) {
		take_pktinfo6(meta, cmsg);
	} else if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TTL) {
		meta->ttl = (uint8_t)take_number(meta, cmsg, LFP_HAS_TTL);
	} else if (cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_TOS) {
		GET(cmsg, tos);
		meta->has |= LFP_HAS_TOS;
		meta->tos = tos;
	} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_HOPLIMIT) {
		meta->ttl = (uint8_t)take_number(meta, cmsg, LFP_HAS_HOPLIMIT);
	} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_TCLASS) {
		meta->tos = (uint8_t)take_number(meta, cmsg, LFP_HAS_TCLASS);
	} else if ((cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_ORIGDSTADDR) ||
		   (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_ORIGDSTADDR)) {
		take_origdst(meta, cmsg);
	} else if (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_PATHMTU) {
		take_pathmtu(meta, cmsg);
	} else if (cmsg->cmsg_level == IPPROTO_UDP && cmsg->cmsg_type == UDP_GRO) {
		meta->segment = (uint16_t)take_number(meta, cmsg, LFP_HAS_SEGMENT);
	} else if (cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SO_RXQ_OVFL) {
		GET(cmsg, meta->drops);
		meta->has |= LFP_HAS_DROPS;
	}
}

ssize_t datagram_host_receive(const struct socket *sock, uint8_t *buf, size_t size,
			      struct lfp_meta *meta)
{
	struct sockaddr_storage addr;
	union control control;
	struct iovec iov = {.iov_base = buf, .iov_len = size};
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	memset(meta, 0, sizeof(*meta));
	do
		n = recvmsg(sock->fd, &msg, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
		take_control(meta, cmsg);
	if (lfp_addr_from(&meta->addr, (struct sockaddr *)&addr, msg.msg_namelen))
		memset(&meta->addr, 0, sizeof(meta->addr));
	return n;
}

static void put_value(struct msghdr *msg, int level, int type, const void *value, size_t len)
{
	struct cmsghdr *cmsg = (struct cmsghdr *)((char *)msg->msg_control + msg->msg_controllen);

	cmsg->cmsg_level = level;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(len);
	memcpy(CMSG_DATA(cmsg), value, len);
	msg->msg_controllen += CMSG_SPACE(len);
}

/* Returns true if the datagram names a source address or an interface that z/VSE does not have. */
static bool is_foreign_source(const struct socket *sock, const struct lfp_meta *meta)
{
	struct sockaddr_storage addr = {.ss_family = AF_INET};

	/* IPv4 would send it there, whatever the socket is bound to (ip_cmsg_send()). */
	if ((meta->has & (LFP_HAS_PKTINFO | LFP_HAS_PKTINFO6)) && meta->ifindex &&
	    *sock->policy.interface && !interfaces_has(&sock->policy, meta->ifindex))
		return true;
	if (meta->has & LFP_HAS_PKTINFO) {
		((struct sockaddr_in *)&addr)->sin_addr.s_addr = htonl(meta->spec);
		if (!policy_source(&sock->policy, &addr))
			return true;
	}
	if (meta->has & LFP_HAS_PKTINFO6) {
		addr.ss_family = AF_INET6;
		memcpy(&((struct sockaddr_in6 *)&addr)->sin6_addr, meta->local.ip, 16);
		return !policy_source(&sock->policy, &addr);
	}
	return false;
}

/* A socket bound to a group has no address to send from: its datagrams leave from VSE_HOSTID. */
static void name_source(const struct socket *sock, struct lfp_meta *meta)
{
	bool ipv6 = meta->addr.family == LFP_AF_INET6 &&
		    !IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)meta->addr.ip);

	if (!sock->policy.restricted || sock->local != POLICY_GROUP)
		return;
	if (!ipv6) {
		meta->has |= LFP_HAS_PKTINFO;
		meta->spec = ntohl(sock->policy.hostid.s_addr);
		return;
	}
	if (!(meta->has & LFP_HAS_PKTINFO6))
		meta->ifindex = 0;
	meta->has |= LFP_HAS_PKTINFO6;
	memcpy(meta->local.ip, &sock->policy.hostid6, sizeof(meta->local.ip));
}

/* Refuses a datagram whose source would be the host's name server. A datagram from a server's port
 * that names no source gets the address that its socket is bound to: of one that is bound to a
 * group or a broadcast address the kernel would choose it. Returns 0 or a negative errno. */
static int check_named_source(const struct socket *sock, struct lfp_meta *meta)
{
	struct sockaddr_storage addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;
	socklen_t len = sizeof(addr);
	bool v4;
	uint16_t port;
	int rc = 0;

	if (!sock->instance->rules)
		return 0;
	memset(&addr, 0, sizeof(addr));
	if (getsockname(sock->fd, (struct sockaddr *)&addr, &len))
		return -errno;
	port = addr.ss_family == AF_INET6 ? in6->sin6_port : in->sin_port;
	if (!ruling_is_server_port(sock->instance, ntohs(port)))
		return 0;
	if (!(meta->has & (LFP_HAS_PKTINFO | LFP_HAS_PKTINFO6))) {
		v4 = addr.ss_family == AF_INET || IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr) ||
		     meta->addr.family == LFP_AF_INET ||
		     (meta->addr.family == LFP_AF_INET6 &&
		      IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)meta->addr.ip));
		meta->ifindex = 0;
		if (v4) {
			meta->has |= LFP_HAS_PKTINFO;
			if (addr.ss_family == AF_INET)
				meta->spec = ntohl(in->sin_addr.s_addr);
			else
				meta->spec = be32_get(in6->sin6_addr.s6_addr + 12);
		} else {
			meta->has |= LFP_HAS_PKTINFO6;
			memcpy(meta->local.ip, &in6->sin6_addr, sizeof(meta->local.ip));
		}
	}
	if (meta->has & LFP_HAS_PKTINFO) {
		memset(&addr, 0, sizeof(addr));
		in->sin_family = AF_INET;
		in->sin_port = port;
		in->sin_addr.s_addr = htonl(meta->spec);
		rc = ruling_source(sock->instance, sock->share->base.uid, &addr);
	}
	if (!rc && meta->has & LFP_HAS_PKTINFO6) {
		memset(&addr, 0, sizeof(addr));
		in6->sin6_family = AF_INET6;
		in6->sin6_port = port;
		memcpy(&in6->sin6_addr, meta->local.ip, sizeof(in6->sin6_addr));
		rc = ruling_source(sock->instance, sock->share->base.uid, &addr);
	}
	return rc;
}

static void put_control(struct msghdr *msg, const struct lfp_meta *meta)
{
	struct in_pktinfo info = {.ipi_ifindex = (int)meta->ifindex,
				  .ipi_spec_dst.s_addr = htonl(meta->spec)};
	struct in6_pktinfo info6 = {.ipi6_ifindex = meta->ifindex};
	int ttl = meta->ttl, tos = meta->tos;

	if (meta->has & LFP_HAS_PKTINFO)
		put_value(msg, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
	if (meta->has & LFP_HAS_PKTINFO6) {
		memcpy(&info6.ipi6_addr, meta->local.ip, sizeof(info6.ipi6_addr));
		put_value(msg, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6));
	}
	if (meta->has & LFP_HAS_TTL)
		put_value(msg, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	if (meta->has & LFP_HAS_HOPLIMIT)
		put_value(msg, IPPROTO_IPV6, IPV6_HOPLIMIT, &ttl, sizeof(ttl));
	if (meta->has & LFP_HAS_TOS)
		put_value(msg, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	if (meta->has & LFP_HAS_TCLASS)
		put_value(msg, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
	if (meta->has & LFP_HAS_SEGMENT)
		put_value(msg, IPPROTO_UDP, UDP_SEGMENT, &meta->segment, sizeof(meta->segment));
}

void datagram_host_at_peer(struct socket *sock)
{
	if (!sock->dgram->strayed)
		return;
	sock->dgram->strayed = false;
	relimit(sock);
}

/* Sets the destination, and the way there; without an address that is the peer. Returns 0 or a
 * negative errno. */
static int put_dest(struct socket *sock, struct msghdr *msg, struct sockaddr_storage *addr,
		    const struct lfp_addr *to, struct socket_way *way)
{
	uint64_t meter = metered_serial(sock);
	int rc;

	if (to->family == LFP_AF_UNSPEC) {
		datagram_host_at_peer(sock);
		*way = (struct socket_way){.upstream = sock->dgram->behind_upstream};
		return 0;
	}
	msg->msg_name = addr;
	msg->msg_namelen = lfp_addr_to(to, addr);
	rc = socket_reach(sock, addr, way);
	if (sock->dgram->connected && metered_serial(sock) != meter)
		sock->dgram->strayed = true;
	return rc || way->upstream ? rc : socket_bind_implicitly(sock, addr);
}

static int send_message(const struct socket *sock, const struct msghdr *msg, int flags)
{
	ssize_t n;

	do
		n = sendmsg(sock->fd, msg, flags);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

int datagram_host_send(struct socket *sock, const struct lfp_meta *asked, const uint8_t *data,
		       size_t len, int *earlier)
{
	struct lfp_meta meta = *asked;
	struct sockaddr_storage addr;
	union control control;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)data, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.buf};
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	struct socket_way way;
	int rc = put_dest(sock, &msg, &addr, &meta.addr, &way), first;

	*earlier = 0;
	sock->dgram->held = false;
	snprintf(sock->dgram->upstream, sizeof(sock->dgram->upstream), "%s",
		 !rc && way.upstream ? way.upstream->name : "");
	if (!rc && way.upstream) {
		if (!metered_may(sock, METER_OUT))
			return 2;
		return datagram_via_send(sock, &meta.addr, &addr, &way, &meta, data, len);
	}
	if (!rc && is_foreign_source(sock, &meta))
		rc = -EINVAL;
	if (!rc) {
		name_source(sock, &meta);
		rc = check_named_source(sock, &meta);
	}
	if (!rc && !metered_may(sock, METER_OUT))
		rc = 2;
	if (!rc)
		rc = datagram_names_ask(sock, msg.msg_name, &meta, data, len);
	if (rc)
		return rc;
	memset(&control, 0, sizeof(control));
	put_control(&msg, &meta);
	if (!msg.msg_controllen)
		msg.msg_control = NULL;
	if (meta.has & LFP_HAS_MORE)
		flags |= MSG_MORE;
	if (meta.has & LFP_HAS_DONTROUTE)
		flags |= MSG_DONTROUTE;
	first = rc = send_message(sock, &msg, flags);
	if (rc && rc != -EAGAIN && rc != -EMSGSIZE)
		rc = send_message(sock, &msg, flags);
	if (first != rc)
		*earlier = -first;
	return rc;
}

static void take_error(struct lfp_errqueue *entry, const struct cmsghdr *cmsg)
{
	struct {
		struct sock_extended_err err;
		struct sockaddr_in6 offender; /* or one of IPv4 */
	} value;
	size_t len = cmsg->cmsg_len - CMSG_LEN(sizeof(value.err));

	GET(cmsg, value);
	entry->error = value.err.ee_errno <= LFP_STATUS_MAX ? value.err.ee_errno : EIO;
	entry->origin = value.err.ee_origin;
	entry->type = value.err.ee_type;
	entry->code = value.err.ee_code;
	entry->info = value.err.ee_info;
	entry->data = value.err.ee_data;
	if (lfp_addr_from(&entry->offender, (struct sockaddr *)&value.offender, (socklen_t)len))
		memset(&entry->offender, 0, sizeof(entry->offender));
}

int datagram_host_error(const struct socket *sock, struct lfp_errqueue *entry,
			uint8_t payload[static 576])
{
	struct sockaddr_storage addr;
	union control control;
	struct iovec iov = {.iov_base = payload, .iov_len = 576};
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n = recvmsg(sock->fd, &msg, MSG_DONTWAIT | MSG_ERRQUEUE);

	if (n < 0)
		return -errno;
	memset(entry, 0, sizeof(*entry));
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
		if ((cmsg->cmsg_level == IPPROTO_IP && cmsg->cmsg_type == IP_RECVERR) ||
		    (cmsg->cmsg_level == IPPROTO_IPV6 && cmsg->cmsg_type == IPV6_RECVERR))
			take_error(entry, cmsg);
	if (lfp_addr_from(&entry->dest, (struct sockaddr *)&addr, msg.msg_namelen))
		memset(&entry->dest, 0, sizeof(entry->dest));
	entry->payload.ptr = payload;
	entry->payload.len = (uint32_t)n;
	return 0;
}
