/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - ancillary data of a program's calls on a datagram socket */
#include "libvsesock/core/datagram.h"

#include <errno.h>
#include <limits.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <time.h>

#include "lfp/addr.h"
#include "lfp/rights.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/raw.h"

#ifndef SCM_TIMESTAMPNS_NEW
#define SO_TIMESTAMPNS_NEW 64
#endif

static size_t value_len(const struct cmsghdr *cmsg)
{
	return cmsg->cmsg_len - CMSG_LEN(0);
}

/* Reads a number of four bytes in a range. Returns 0 or -EINVAL. */
static int take_number(const struct cmsghdr *cmsg, int min, int max, int *number)
{
	if (value_len(cmsg) != sizeof(*number))
		return -EINVAL;
	memcpy(number, CMSG_DATA(cmsg), sizeof(*number));
	return *number < min || *number > max ? -EINVAL : 0;
}

static int take_ip(const struct cmsghdr *cmsg, struct lfp_meta *meta)
{
	struct in_pktinfo info;
	uint8_t byte;
	int number, rc = 0;

	switch (cmsg->cmsg_type) {
	case IP_PKTINFO:
		if (value_len(cmsg) != sizeof(info))
			return -EINVAL;
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		meta->has |= LFP_HAS_PKTINFO;
		meta->ifindex = (uint32_t)info.ipi_ifindex;
		meta->spec = ntohl(info.ipi_spec_dst.s_addr);
		return 0;
	case IP_TTL:
		rc = take_number(cmsg, 1, 255, &number);
		if (rc)
			return rc;
		meta->has |= LFP_HAS_TTL;
		meta->ttl = (uint8_t)number;
		return 0;
	case IP_TOS:
		if (value_len(cmsg) == sizeof(byte)) {
			memcpy(&byte, CMSG_DATA(cmsg), sizeof(byte));
			number = byte;
		} else {
			rc = take_number(cmsg, 0, 255, &number);
		}
		if (rc)
			return rc;
		meta->has |= LFP_HAS_TOS;
		meta->tos = (uint8_t)number;
		return 0;
	default:
		return -EINVAL;
	}
}

static int take_ipv6(const struct cmsghdr *cmsg, struct lfp_meta *meta)
{
	struct in6_pktinfo info;
	int number, rc;

	switch (cmsg->cmsg_type) {
	case IPV6_PKTINFO:
		if (value_len(cmsg) < sizeof(info))
			return -EINVAL;
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		meta->has |= LFP_HAS_PKTINFO6;
		meta->ifindex = info.ipi6_ifindex;
		meta->local.family = LFP_AF_INET6;
		memcpy(meta->local.ip, &info.ipi6_addr, sizeof(info.ipi6_addr));
		return 0;
	case IPV6_HOPLIMIT:
		/* -1 stands for the socket's own value. */
		rc = take_number(cmsg, -1, 255, &number);
		if (rc || number < 0)
			return rc;
		meta->has |= LFP_HAS_HOPLIMIT;
		meta->ttl = (uint8_t)number;
		return 0;
	case IPV6_TCLASS:
		rc = take_number(cmsg, -1, 255, &number);
		if (rc || number < 0)
			return rc;
		meta->has |= LFP_HAS_TCLASS;
		meta->tos = (uint8_t)number;
		return 0;
	default:
		return -EINVAL;
	}
}

/* As the kernel's __sock_cmsg_send() (net/core/sock.c). */
static int take_socket(const struct cmsghdr *cmsg)
{
	switch (cmsg->cmsg_type) {
	case SCM_RIGHTS:
	case SCM_CREDENTIALS:
	case SO_TIMESTAMPING_OLD:
	case SO_TIMESTAMPING_NEW:
		return 0;
	case SO_MARK:
		return -EPERM;
	default:
		return -EINVAL;
	}
}

static int take_udp(const struct cmsghdr *cmsg, struct lfp_meta *meta)
{
	if (cmsg->cmsg_type != UDP_SEGMENT || value_len(cmsg) != sizeof(meta->segment))
		return -EINVAL;
	memcpy(&meta->segment, CMSG_DATA(cmsg), sizeof(meta->segment));
	meta->has |= LFP_HAS_SEGMENT;
	return 0;
}

static int take_one(const struct cmsghdr *cmsg, struct lfp_meta *meta)
{
	switch (cmsg->cmsg_level) {
	case SOL_SOCKET:
		return take_socket(cmsg);
	case IPPROTO_IP:
		return take_ip(cmsg, meta);
	case IPPROTO_IPV6:
		return take_ipv6(cmsg, meta);
	case IPPROTO_UDP:
		return take_udp(cmsg, meta);
	default:
		return 0;
	}
}

int datagram_take_control(const struct msghdr *msg, struct lfp_meta *meta)
{
	const char *end = (const char *)msg->msg_control + msg->msg_controllen;
	struct cmsghdr *cmsg;

	if (!msg->msg_control)
		return 0;
	if (msg->msg_controllen > INT_MAX)
		return -ENOBUFS;
	if (memory_check_pages(msg->msg_control, msg->msg_controllen))
		return -EFAULT;
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg;) {
		const char *at = (const char *)cmsg;
		int rc;

		if (cmsg->cmsg_len < sizeof(*cmsg) || cmsg->cmsg_len > (size_t)(end - at))
			return -EINVAL;
		rc = take_one(cmsg, meta);
		if (rc)
			return rc;
		cmsg = (struct cmsghdr *)(uintptr_t)(at + CMSG_ALIGN(cmsg->cmsg_len));
		if ((const char *)(cmsg + 1) > end)
			break;
	}
	return 0;
}

void datagram_take_source(const struct msghdr *native, struct lfp_meta *meta)
{
	struct msghdr *msg = (struct msghdr *)(uintptr_t)native;
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	struct lfp_meta shown;
	struct lfp_rights_place place = {.msg = msg};
	int fd;

	if (!native->msg_name || lfp_source_parse(native->msg_name, native->msg_namelen, meta))
		memset(meta, 0, sizeof(*meta));
	while (lfp_rights_next(&place, &fd)) {
		if (raw_getsockname(fd, &addr, &len) == 0 && !lfp_source_parse(&addr, len, &shown))
			*meta = shown;
		raw_close(fd);
	}
}

/* Control messages of a program that are being filled, one after the other. */
struct control {
	struct msghdr *msg;
	size_t used;
};

/* As the kernel's put_cmsg() (net/core/scm.c): cuts off a message that has no room and sets
 * MSG_CTRUNC; ignores bad memory. */
static void put(struct control *control, int level, int type, const void *value, size_t len)
{
	struct msghdr *msg = control->msg;
	size_t room = msg->msg_control ? msg->msg_controllen - control->used : 0;
	struct cmsghdr *cmsg = (struct cmsghdr *)((char *)msg->msg_control + control->used);
	struct cmsghdr head = {.cmsg_level = level, .cmsg_type = type};

	head.cmsg_len = CMSG_LEN(len);
	if (room < sizeof(head)) {
		msg->msg_flags |= MSG_CTRUNC;
		return;
	}
	if (room < head.cmsg_len) {
		msg->msg_flags |= MSG_CTRUNC;
		head.cmsg_len = room;
	}
	if (memory_check_write(cmsg, head.cmsg_len))
		return;
	memcpy(cmsg, &head, sizeof(head));
	memcpy((char *)cmsg + CMSG_LEN(0), value, head.cmsg_len - CMSG_LEN(0));
	control->used += room < CMSG_SPACE(len) ? room : CMSG_SPACE(len);
}

static void put_pktinfo(struct control *control, const struct lfp_meta *meta)
{
	struct in_pktinfo info = {.ipi_ifindex = (int)meta->ifindex,
				  .ipi_spec_dst.s_addr = htonl(meta->spec)};
	/* An IPv6 socket has a mapped address. */
	const uint8_t *ip = meta->local.ip + (meta->local.family == LFP_AF_INET6 ? 12 : 0);

	memcpy(&info.ipi_addr, ip, sizeof(info.ipi_addr));
	put(control, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
}

static void put_origdst(struct control *control, const struct lfp_meta *meta)
{
	struct sockaddr_storage addr;
	struct lfp_addr v4 = {.family = LFP_AF_INET, .port = meta->local.port};
	socklen_t len = lfp_addr_to(&meta->local, &addr);

	if (meta->has & LFP_HAS_ORIGDST6)
		put(control, IPPROTO_IPV6, IPV6_ORIGDSTADDR, &addr, len);
	if (meta->has & LFP_HAS_ORIGDST) {
		memcpy(v4.ip, meta->local.ip + (meta->local.family == LFP_AF_INET6 ? 12 : 0), 4);
		len = lfp_addr_to(&v4, &addr);
		put(control, IPPROTO_IP, IP_ORIGDSTADDR, &addr, len);
	}
}

static void put_pathmtu(struct control *control, const struct lfp_meta *meta)
{
	struct ip6_mtuinfo info = {.ip6m_mtu = meta->spec};
	struct sockaddr_storage addr;

	(void)lfp_addr_to(&meta->addr, &addr);
	memcpy(&info.ip6m_addr, &addr, sizeof(info.ip6m_addr));
	put(control, IPPROTO_IPV6, IPV6_PATHMTU, &info, sizeof(info));
}

static void put_meta(struct control *control, const struct lfp_meta *meta)
{
	struct in6_pktinfo info6 = {.ipi6_ifindex = meta->ifindex};
	int ttl = meta->ttl, tos = meta->tos, segment = meta->segment;

	/* In the kernel's order (net/ipv6/datagram.c, ip6_datagram_recv_common_ctl()). */
	if (meta->has & LFP_HAS_DROPS)
		put(control, SOL_SOCKET, SO_RXQ_OVFL, &meta->drops, sizeof(meta->drops));
	if (meta->has & LFP_HAS_SEGMENT)
		put(control, IPPROTO_UDP, UDP_GRO, &segment, sizeof(segment));
	if (meta->has & LFP_HAS_PKTINFO6) {
		memcpy(&info6.ipi6_addr, meta->local.ip, sizeof(info6.ipi6_addr));
		put(control, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6));
	}
	if (meta->has & LFP_HAS_HOPLIMIT)
		put(control, IPPROTO_IPV6, IPV6_HOPLIMIT, &ttl, sizeof(ttl));
	if (meta->has & LFP_HAS_TCLASS)
		put(control, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
	if (meta->has & LFP_HAS_PKTINFO)
		put_pktinfo(control, meta);
	if (meta->has & LFP_HAS_TTL)
		put(control, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	if (meta->has & LFP_HAS_TOS)
		put(control, IPPROTO_IP, IP_TOS, &meta->tos, sizeof(meta->tos));
	put_origdst(control, meta);
	if (meta->has & LFP_HAS_PATHMTU)
		put_pathmtu(control, meta);
}

void datagram_give_control(struct msghdr *msg, const struct msghdr *native,
			   const struct lfp_meta *meta)
{
	struct msghdr *from = (struct msghdr *)(uintptr_t)native;
	struct control control = {.msg = msg};
	struct cmsghdr *cmsg;

	for (cmsg = from ? CMSG_FIRSTHDR(from) : NULL; cmsg; cmsg = CMSG_NXTHDR(from, cmsg))
		if (cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type != SCM_RIGHTS)
			put(&control, cmsg->cmsg_level, cmsg->cmsg_type, CMSG_DATA(cmsg),
			    value_len(cmsg));
	put_meta(&control, meta);
	msg->msg_controllen = control.used;
}

void datagram_give_error(struct msghdr *msg, const struct lfp_ctl_errqueue *entry)
{
	struct {
		struct sock_extended_err err;
		struct sockaddr_in6 offender; /* or one of IPv4 */
	} value = {
		.err =
			{
				.ee_errno = entry->error,
				.ee_origin = entry->origin,
				.ee_type = entry->type,
				.ee_code = entry->code,
				.ee_info = entry->info,
				.ee_data = entry->data,
			},
	};
	struct control control = {.msg = msg};
	struct sockaddr_storage offender;
	bool v6 = entry->dest.family == LFP_AF_INET6;
	size_t len = v6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);

	(void)lfp_addr_to(&entry->offender, &offender);
	memcpy(&value.offender, &offender, len);
	put(&control, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVERR : IP_RECVERR, &value,
	    sizeof(value.err) + len);
	msg->msg_controllen = control.used;
}

#define KNOWN_NR 256u

/* Upper half: part of the key. Lower half: end of validity in seconds. */
static uint64_t known[KNOWN_NR];

static uint32_t now(void)
{
	struct timespec ts = {0};

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, (long)&ts, 0, 0, 0, 0);
	return (uint32_t)ts.tv_sec;
}

/* FNV-1a */
static uint64_t hash(uint64_t sum, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

static uint64_t key_of(const struct sockaddr_un *near, const struct lfp_addr *addr)
{
	uint64_t sum = hash(UINT64_C(0xcbf29ce484222325), near->sun_path, LFP_NEAR_PATH_LEN);

	return hash(sum, addr, sizeof(*addr)) | UINT64_C(1) << 32;
}

void datagram_know(const struct sockaddr_un *near, const struct lfp_addr *addr)
{
	uint64_t key = key_of(near, addr);

	__atomic_store_n(&known[key % KNOWN_NR], (key & ~(uint64_t)UINT32_MAX) | (now() + 2),
			 __ATOMIC_RELAXED);
}

bool datagram_is_known(const struct sockaddr_un *near, const struct lfp_addr *addr)
{
	uint64_t key = key_of(near, addr);
	uint64_t entry = __atomic_load_n(&known[key % KNOWN_NR], __ATOMIC_RELAXED);

	return entry >> 32 == key >> 32 && (int32_t)((uint32_t)entry - now()) > 0;
}
