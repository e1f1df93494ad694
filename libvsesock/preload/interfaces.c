/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.c - getifaddrs, if_nameindex, if_nametoindex, if_indextoname */
#include "libvsesock/preload/interfaces.h"

#include <ifaddrs.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/addr.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/strict/strict.h"

/*
 * Programs free the results with libc's freeifaddrs() and if_freenameindex(), so both have libc's
 * layout: the list of getifaddrs() is one allocation; each name of if_nameindex() is one, and the
 * array another.
 */

_Static_assert(IF_NAMESIZE == sizeof(((struct lfp_ctl_link *)0)->name), "one length of names");

int interfaces_get(struct interfaces *list, const char *nn)
{
	struct lfp_ctl_interfaces head;
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_GETIFADDRS,
		.fd = -1,
		.answer = list->data,
		.room = sizeof(list->data),
	};
	size_t left;
	int rc = ctl_call(&call);

	if (rc < 0)
		return rc;
	if (call.answer_len < sizeof(head))
		return -ENETDOWN;
	memcpy(&head, list->data, sizeof(head));
	left = call.answer_len - sizeof(head);
	if (head.nr_links > left / sizeof(struct lfp_ctl_link))
		return -ENETDOWN;
	left -= head.nr_links * sizeof(struct lfp_ctl_link);
	if (head.nr_addrs > left / sizeof(struct lfp_ctl_ifaddr))
		return -ENETDOWN;
	list->nr_links = head.nr_links;
	list->nr_addrs = head.nr_addrs;
	memmove(list->data, list->data + sizeof(head), call.answer_len - sizeof(head));
	return 0;
}

struct lfp_ctl_link interfaces_link(const struct interfaces *list, uint32_t i)
{
	struct lfp_ctl_link link;

	memcpy(&link, list->data + i * sizeof(link), sizeof(link));
	link.name[sizeof(link.name) - 1] = '\0';
	if (link.hwlen > sizeof(link.hw))
		link.hwlen = sizeof(link.hw);
	return link;
}

struct lfp_ctl_ifaddr interfaces_addr(const struct interfaces *list, uint32_t i)
{
	const uint8_t *addrs = list->data + list->nr_links * sizeof(struct lfp_ctl_link);
	struct lfp_ctl_ifaddr addr;

	memcpy(&addr, addrs + i * sizeof(addr), sizeof(addr));
	return addr;
}

bool interfaces_by_name(const struct interfaces *list, const char *name, struct lfp_ctl_link *link)
{
	size_t len = strcspn(name, ":");

	for (uint32_t i = 0; i < list->nr_links; i++) {
		*link = interfaces_link(list, i);
		if (len && strlen(link->name) == len && !memcmp(link->name, name, len))
			return true;
	}
	return false;
}

bool interfaces_by_index(const struct interfaces *list, uint32_t index, struct lfp_ctl_link *link)
{
	for (uint32_t i = 0; i < list->nr_links; i++) {
		*link = interfaces_link(list, i);
		if (link->index == index)
			return true;
	}
	return false;
}

struct lfp_addr interfaces_mask(unsigned int family, uint32_t prefix)
{
	struct lfp_addr mask = {.family = (uint16_t)family};

	for (uint32_t bit = 0; bit < prefix && bit < 8 * sizeof(mask.ip); bit++)
		mask.ip[bit / 8] = (uint8_t)(mask.ip[bit / 8] | 0x80u >> bit % 8);
	return mask;
}

/* One entry and everything it points to. */
struct entry {
	struct ifaddrs ifa;
	struct sockaddr_storage addr, mask, other;
	struct rtnl_link_stats stats;
	char name[IF_NAMESIZE];
};

static struct sockaddr *put_addr(const struct lfp_addr *from, struct sockaddr_storage *to)
{
	if (from->family == LFP_AF_UNSPEC)
		return NULL;
	lfp_addr_to(from, to);
	return (struct sockaddr *)to;
}

static void fill_link(struct entry *entry, const struct lfp_ctl_link *link)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_ifindex = (int)link->index,
		.sll_hatype = link->kind,
	};

	ll.sll_halen = (unsigned char)(link->hwlen < sizeof(ll.sll_addr) ? link->hwlen
									 : sizeof(ll.sll_addr));
	memcpy(ll.sll_addr, link->hw, ll.sll_halen);
	memcpy(&entry->addr, &ll, sizeof(ll));
	entry->ifa.ifa_addr = (struct sockaddr *)&entry->addr;
	/* Programs expect counters. lfpd does not send any, so they are 0. */
	entry->ifa.ifa_data = &entry->stats;
}

static void fill_addr(struct entry *entry, const struct lfp_ctl_ifaddr *addr)
{
	struct lfp_addr mask = interfaces_mask(addr->addr.family, addr->prefix);

	entry->ifa.ifa_addr = put_addr(&addr->addr, &entry->addr);
	entry->ifa.ifa_netmask = put_addr(&mask, &entry->mask);
	entry->ifa.ifa_broadaddr = put_addr(&addr->other, &entry->other);
}

static void fill_common(struct entry *entry, const struct lfp_ctl_link *link)
{
	memcpy(entry->name, link->name, sizeof(entry->name));
	entry->ifa.ifa_name = entry->name;
	entry->ifa.ifa_flags = link->flags;
}

EXPORT int getifaddrs(struct ifaddrs **result)
{
	struct lfp_ctl_ifaddr addr;
	struct lfp_ctl_link link;
	struct interfaces list;
	struct entry *entries, *entry;
	int saved = errno, rc;

	if (strict_shim(__func__) && strict_unlisted() < 0)
		return (int)give(-STRICT_ERROR);
	rc = interfaces_get(&list, place_now());
	if (rc < 0)
		return (int)give(rc);
	*result = NULL;
	/* One entry more, so that the allocation is never empty. */
	entries = calloc(list.nr_links + list.nr_addrs + 1, sizeof(*entries));
	if (!entries)
		return (int)give(-ENOMEM);
	entry = entries;
	for (uint32_t i = 0; i < list.nr_links; i++) {
		link = interfaces_link(&list, i);
		fill_common(entry, &link);
		fill_link(entry++, &link);
	}
	for (uint32_t i = 0; i < list.nr_addrs; i++) {
		addr = interfaces_addr(&list, i);
		if (!interfaces_by_index(&list, addr.index, &link))
			continue;
		fill_common(entry, &link);
		fill_addr(entry++, &addr);
	}
	if (entry == entries) {
		free(entries);
	} else {
		for (struct entry *at = entries; at + 1 < entry; at++)
			at->ifa.ifa_next = &at[1].ifa;
		*result = &entries->ifa;
	}
	errno = saved;
	return 0;
}

EXPORT struct if_nameindex *if_nameindex(void)
{
	struct if_nameindex *names;
	struct interfaces list;
	int saved = errno;
	int rc = interfaces_get(&list, place_now());

	if (rc < 0) {
		give(rc);
		return NULL;
	}
	names = calloc(list.nr_links + 1, sizeof(*names));
	if (!names)
		goto no_memory;
	for (uint32_t i = 0; i < list.nr_links; i++) {
		struct lfp_ctl_link link = interfaces_link(&list, i);

		names[i].if_index = link.index;
		names[i].if_name = strdup(link.name);
		if (!names[i].if_name)
			goto no_memory;
	}
	errno = saved;
	return names;

no_memory:
	if (names)
		if_freenameindex(names);
	errno = ENOBUFS;
	return NULL;
}

EXPORT unsigned int if_nametoindex(const char *name)
{
	struct lfp_ctl_link link;
	struct interfaces list;
	int saved = errno;
	int rc = interfaces_get(&list, place_now());

	if (!rc && interfaces_by_name(&list, name, &link)) {
		errno = saved;
		return link.index;
	}
	errno = rc < 0 ? -rc : ENODEV;
	return 0;
}

EXPORT char *if_indextoname(unsigned int index, char name[IF_NAMESIZE])
{
	struct lfp_ctl_link link;
	struct interfaces list;
	int saved = errno;
	int rc = interfaces_get(&list, place_now());

	if (!rc && interfaces_by_index(&list, index, &link)) {
		errno = saved;
		return memcpy(name, link.name, IF_NAMESIZE);
	}
	errno = rc < 0 ? -rc : ENXIO;
	return NULL;
}
