/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.c - GETIFADDRS: the network interfaces that z/VSE's programs are shown */
#include "lfpd/names/interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/bigend.h"
#include "lfpd/names/resolver-job.h"

#define ADDR_ENTRY (4 + 1 + 2 * LFP_ADDR_SIZE)
#define LINKS_MAX  1024

/* IPv4 addresses may have a label, as in eth0:1. */
static bool is_named(const struct ifaddrs *entry, const char *name)
{
	size_t len = strlen(name);

	return strcspn(entry->ifa_name, ":") == len && !strncmp(entry->ifa_name, name, len);
}

bool interfaces_show(const struct policy *policy, const struct ifaddrs *entry)
{
	if (*policy->interface && !is_named(entry, policy->interface))
		return false;
	return entry->ifa_addr && policy_shows(policy, entry->ifa_addr);
}

static bool is_loopback(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET)
		return ((const struct sockaddr_in *)addr)->sin_addr.s_addr ==
		       htonl(INADDR_LOOPBACK);
	return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)addr)->sin6_addr);
}

int interfaces_families(const struct policy *policy, bool *ipv4, bool *ipv6)
{
	struct ifaddrs *list;

	/* Addresses that z/VSE is confined to count, whatever their kind. */
	*ipv4 = policy->restricted;
	*ipv6 = policy->restricted && !IN6_IS_ADDR_UNSPECIFIED(&policy->hostid6);
	if (policy->restricted)
		return 0;
	if (getifaddrs(&list))
		return -errno;
	for (const struct ifaddrs *entry = list; entry; entry = entry->ifa_next) {
		if (!interfaces_show(policy, entry) || is_loopback(entry->ifa_addr))
			continue;
		if (entry->ifa_addr->sa_family == AF_INET)
			*ipv4 = true;
		else
			*ipv6 = true;
	}
	freeifaddrs(list);
	return 0;
}

static bool is_hostid(const struct policy *policy, const struct sockaddr *addr, bool ipv6)
{
	if (!addr || addr->sa_family != (ipv6 ? AF_INET6 : AF_INET))
		return false;
	if (ipv6)
		return IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)addr)->sin6_addr,
					  &policy->hostid6);
	return ((const struct sockaddr_in *)addr)->sin_addr.s_addr == policy->hostid.s_addr;
}

static unsigned int index_of(const struct ifaddrs *entry)
{
	char name[IF_NAMESIZE] = "";
	size_t len = strcspn(entry->ifa_name, ":");

	memcpy(name, entry->ifa_name, len < sizeof(name) ? len : sizeof(name) - 1);
	return if_nametoindex(name);
}

unsigned int interfaces_index(const struct policy *policy, int family)
{
	bool ipv6 = family == AF_INET6 && !IN6_IS_ADDR_UNSPECIFIED(&policy->hostid6);
	unsigned int index = 0;
	struct ifaddrs *list;

	if (*policy->interface)
		return if_nametoindex(policy->interface);
	if (getifaddrs(&list))
		return 0;
	for (const struct ifaddrs *at = list; at && !index; at = at->ifa_next)
		if (is_hostid(policy, at->ifa_addr, ipv6))
			index = index_of(at);
	freeifaddrs(list);
	return index;
}

bool interfaces_has(const struct policy *policy, unsigned int index)
{
	struct ifaddrs *list;
	bool has = false;

	if (*policy->interface)
		return index == if_nametoindex(policy->interface);
	if (getifaddrs(&list))
		return false;
	for (const struct ifaddrs *at = list; at && !has; at = at->ifa_next)
		has = interfaces_show(policy, at) && index_of(at) == index;
	freeifaddrs(list);
	return has;
}

bool interfaces_carry(const struct policy *policy, struct in_addr *addr)
{
	struct ifaddrs *list;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (const struct ifaddrs *at = list; at && !found; at = at->ifa_next) {
		const struct sockaddr_in *sin = (const struct sockaddr_in *)at->ifa_addr;

		if (!interfaces_show(policy, at) || sin->sin_family != AF_INET)
			continue;
		found = addr->s_addr == htonl(INADDR_ANY) || addr->s_addr == sin->sin_addr.s_addr;
		if (found)
			*addr = sin->sin_addr;
	}
	freeifaddrs(list);
	return found;
}

/* Position of the next bytes. Nothing is written after the first entry that does not fit. */
struct writer {
	struct session *session;
	uint8_t *buf;
	size_t len, room;
};

/* Returns true if the interface has an address that z/VSE is shown. */
static bool is_shown(const struct policy *policy, const struct ifaddrs *list, const char *name)
{
	for (; list; list = list->ifa_next)
		if (is_named(list, name) && interfaces_show(policy, list))
			return true;
	return false;
}

static uint32_t get_mtu(const char *name)
{
	struct ifreq req = {.ifr_mtu = 0};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	strncpy(req.ifr_name, name, sizeof(req.ifr_name) - 1);
	if (ioctl(fd, SIOCGIFMTU, &req))
		req.ifr_mtu = 0;
	close(fd);
	return (uint32_t)req.ifr_mtu;
}

static bool put_link(struct writer *to, const struct ifaddrs *entry)
{
	const struct sockaddr_ll *ll = (const struct sockaddr_ll *)(const void *)entry->ifa_addr;
	/* The longest address that the kernel knows is InfiniBand's, 20 bytes. */
	size_t hwlen = ll->sll_halen <= 20 ? ll->sll_halen : 20;
	size_t fixed = 4 + 4 + 4 + 2 + 2 + hwlen + 2;
	uint8_t *at = to->buf + to->len;
	struct lfp_text name;

	if (to->room - to->len < fixed ||
	    !resolver_put_text(to->session, entry->ifa_name, at + fixed, to->room - to->len - fixed,
			       &name))
		return false;
	be32_put(at, (uint32_t)ll->sll_ifindex);
	be32_put(at + 4, entry->ifa_flags);
	be32_put(at + 8, get_mtu(entry->ifa_name));
	be16_put(at + 12, ll->sll_hatype);
	be16_put(at + 14, (uint16_t)hwlen);
	memcpy(at + 16, ll->sll_addr, hwlen);
	be16_put(at + 16 + hwlen, name.len);
	to->len += fixed + name.len;
	return true;
}

static unsigned int count_bits(const struct sockaddr *mask)
{
	const uint8_t *bytes;
	unsigned int len, bits = 0;

	if (!mask)
		return 0;
	if (mask->sa_family == AF_INET) {
		bytes = (const uint8_t *)&((const struct sockaddr_in *)mask)->sin_addr;
		len = 4;
	} else {
		bytes = ((const struct sockaddr_in6 *)mask)->sin6_addr.s6_addr;
		len = 16;
	}
	for (unsigned int i = 0; i < len; i++)
		bits += (unsigned int)__builtin_popcount(bytes[i]);
	return bits;
}

static void put_addr(const struct sockaddr *addr, uint8_t *buf)
{
	struct lfp_addr out = {0};

	if (addr && lfp_addr_from(&out, addr,
				  addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
							     : sizeof(struct sockaddr_in6)))
		out = (struct lfp_addr){0};
	lfp_addr_put(&out, buf);
}

static bool put_entry(struct writer *to, const struct ifaddrs *entry)
{
	uint8_t *at = to->buf + to->len;

	if (to->room - to->len < ADDR_ENTRY)
		return false;
	be32_put(at, if_nametoindex(entry->ifa_name));
	at[4] = (uint8_t)count_bits(entry->ifa_netmask);
	put_addr(entry->ifa_addr, at + 5);
	put_addr(entry->ifa_broadaddr, at + 5 + LFP_ADDR_SIZE);
	to->len += ADDR_ENTRY;
	return true;
}

static void answer(struct resolver_job *job)
{
	const struct policy *policy = &job->session->instance->policy;
	struct lfp_getifaddrs_reply *body = &job->reply.getifaddrs_reply;
	struct writer to = {.session = job->session, .room = resolver_room(job->session, 2)};

	to.buf = malloc(to.room);
	if (!to.buf)
		job->error = ENOMEM;
	job->reply.status = (uint16_t)job->error;
	for (const struct ifaddrs *at = job->interfaces; !job->error && at; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != AF_PACKET ||
		    !is_shown(policy, job->interfaces, at->ifa_name))
			continue;
		if (body->links == LINKS_MAX || !put_link(&to, at))
			break;
		body->links++;
	}
	for (const struct ifaddrs *at = job->interfaces; !job->error && at; at = at->ifa_next)
		if (interfaces_show(policy, at) && !put_entry(&to, at))
			break;
	body->rest = (struct lfp_bytes){to.buf, (uint32_t)to.len};
	session_send(job->session, &job->reply);
	free(to.buf);
}

static void run(struct resolver_job *job)
{
	if (getifaddrs(&job->interfaces)) {
		job->error = errno;
		job->interfaces = NULL;
	}
}

int interfaces_handle(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct resolver_job *job = resolver_job_create(session, frame);

	(void)why;
	if (!job) {
		session_answer(session, frame, ENOBUFS);
		return 0;
	}
	job->run = run;
	job->answer = answer;
	resolver_job_start(job);
	return 0;
}
