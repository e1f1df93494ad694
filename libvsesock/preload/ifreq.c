/* SPDX-License-Identifier: Apache-2.0 */
/* ifreq.c - ioctls that ask for interfaces (netdevice(7)) */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "lfp/addr.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/interfaces.h"

/*
 * The kernel would answer them on the near end, too, with the interfaces of the program's own
 * machine. This file takes all of their range: queries return the interfaces of lfpd's host,
 * changes fail with EPERM, and unknown requests fail with ENOTTY.
 */
#define FIRST     0x8900ul
#define LAST      0x8bfful /* includes those for wireless networks */
#define OWN_FIRST 0x8901ul /* FIOSETOWN and later ones are the socket's own */
#define OWN_LAST  0x8907ul

bool ifreq_is(unsigned long request)
{
	return request >= FIRST && request <= LAST && (request < OWN_FIRST || request > OWN_LAST);
}

static int check_change(unsigned long request)
{
	switch (request) {
	case SIOCADDRT:
	case SIOCDELRT:
	case SIOCSIFLINK:
	case SIOCSIFFLAGS:
	case SIOCSIFADDR:
	case SIOCSIFDSTADDR:
	case SIOCSIFBRDADDR:
	case SIOCSIFNETMASK:
	case SIOCSIFMETRIC:
	case SIOCSIFMTU:
	case SIOCSIFNAME:
	case SIOCSIFHWADDR:
	case SIOCSIFHWBROADCAST:
	case SIOCSIFTXQLEN:
	case SIOCSIFMAP:
	case SIOCADDMULTI:
	case SIOCDELMULTI:
	case SIOCDARP:
	case SIOCSARP:
	case SIOCDIFADDR:
		return -EPERM;
	default:
		return -ENOTTY;
	}
}

/* The first IPv4 address of a link. */
static bool find_ipv4(const struct interfaces *list, uint32_t index, struct lfp_ctl_ifaddr *addr)
{
	for (uint32_t i = 0; i < list->nr_addrs; i++) {
		*addr = interfaces_addr(list, i);
		if (addr->index == index && addr->addr.family == LFP_AF_INET)
			return true;
	}
	return false;
}

static void put_addr(struct sockaddr *to, const struct lfp_addr *from)
{
	struct sockaddr_storage sa;

	lfp_addr_to(from, &sa);
	memcpy(to, &sa, sizeof(*to));
}

static int get_addr(const struct interfaces *list, const struct lfp_ctl_link *link,
		    unsigned long request, struct ifreq *req)
{
	struct lfp_ctl_ifaddr addr;
	struct lfp_addr answer;
	bool broadcast = link->flags & IFF_BROADCAST;

	if (!find_ipv4(list, link->index, &addr))
		return -EADDRNOTAVAIL;
	switch (request) {
	case SIOCGIFNETMASK:
		answer = interfaces_mask(LFP_AF_INET, addr.prefix);
		break;
	case SIOCGIFBRDADDR:
		answer = broadcast ? addr.other : (struct lfp_addr){0};
		break;
	case SIOCGIFDSTADDR:
		answer = broadcast || !addr.other.family ? addr.addr : addr.other;
		break;
	default:
		answer = addr.addr;
		break;
	}
	answer.family = LFP_AF_INET;
	put_addr(&req->ifr_addr, &answer);
	return 0;
}

static int get_by_name(const struct interfaces *list, unsigned long request, struct ifreq *req)
{
	char name[IFNAMSIZ];
	struct lfp_ctl_link link;

	memcpy(name, req->ifr_name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	if (!interfaces_by_name(list, name, &link))
		return -ENODEV;
	switch (request) {
	case SIOCGIFINDEX:
		req->ifr_ifindex = (int)link.index;
		return 0;
	case SIOCGIFFLAGS:
		req->ifr_flags = (short)link.flags;
		return 0;
	case SIOCGIFMTU:
		req->ifr_mtu = (int)link.mtu;
		return 0;
	case SIOCGIFMETRIC:
		req->ifr_metric = 0;
		return 0;
	case SIOCGIFHWADDR:
		memset(&req->ifr_hwaddr, 0, sizeof(req->ifr_hwaddr));
		req->ifr_hwaddr.sa_family = link.kind;
		memcpy(req->ifr_hwaddr.sa_data, link.hw,
		       link.hwlen < sizeof(req->ifr_hwaddr.sa_data)
			       ? link.hwlen
			       : sizeof(req->ifr_hwaddr.sa_data));
		return 0;
	default:
		return get_addr(list, &link, request, req);
	}
}

static int get_name(const struct interfaces *list, struct ifreq *req)
{
	struct lfp_ctl_link link;

	if (!interfaces_by_index(list, (uint32_t)req->ifr_ifindex, &link))
		return -ENODEV;
	memcpy(req->ifr_name, link.name, sizeof(req->ifr_name));
	return 0;
}

/* Lists all IPv4 addresses; without a buffer only the length that is needed. */
static int get_conf(const struct interfaces *list, struct ifconf *conf)
{
	struct ifreq req;
	int len = 0;

	for (uint32_t i = 0; i < list->nr_addrs; i++) {
		struct lfp_ctl_ifaddr addr = interfaces_addr(list, i);
		struct lfp_ctl_link link;

		if (addr.addr.family != LFP_AF_INET ||
		    !interfaces_by_index(list, addr.index, &link))
			continue;
		if (conf->ifc_buf) {
			if (conf->ifc_len - len < (int)sizeof(req))
				break;
			memset(&req, 0, sizeof(req));
			memcpy(req.ifr_name, link.name, sizeof(req.ifr_name));
			put_addr(&req.ifr_addr, &addr.addr);
			if (memory_check_write(conf->ifc_buf + len, sizeof(req)))
				return -EFAULT;
			memcpy(conf->ifc_buf + len, &req, sizeof(req));
		}
		len += (int)sizeof(req);
	}
	conf->ifc_len = len;
	return 0;
}

/* IPv6 sockets have no ioctls for IPv4 addresses. */
static bool is_for_family(int fd, unsigned long request)
{
	int family = AF_INET;
	socklen_t len = sizeof(family);

	if (request == SIOCGIFADDR || request == SIOCGIFDSTADDR || request == SIOCGIFBRDADDR ||
	    request == SIOCGIFNETMASK)
		hook_getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &len);
	return family != AF_INET6;
}

int ifreq_ioctl(int fd, const char *nn, unsigned long request, void *arg)
{
	struct interfaces list;
	union {
		struct ifconf conf;
		struct ifreq req;
	} copy;
	size_t size;
	int rc;

	switch (request) {
	case SIOCGIFCONF:
	case SIOCGIFNAME:
	case SIOCGIFINDEX:
	case SIOCGIFFLAGS:
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
	case SIOCGIFBRDADDR:
	case SIOCGIFNETMASK:
	case SIOCGIFMETRIC:
	case SIOCGIFMTU:
	case SIOCGIFHWADDR:
		break;
	default:
		return check_change(request);
	}
	if (!is_for_family(fd, request))
		return -ENOTTY;
	size = request == SIOCGIFCONF ? sizeof(copy.conf) : sizeof(copy.req);
	if (!arg || memory_check_read(arg, size))
		return -EFAULT;
	memcpy(&copy, arg, size);
	rc = interfaces_get(&list, nn);
	if (rc < 0)
		return rc;
	if (request == SIOCGIFCONF)
		rc = get_conf(&list, &copy.conf);
	else if (request == SIOCGIFNAME)
		rc = get_name(&list, &copy.req);
	else
		rc = get_by_name(&list, request, &copy.req);
	if (rc < 0)
		return rc;
	if (memory_check_write(arg, size))
		return -EFAULT;
	memcpy(arg, &copy, size);
	return 0;
}
