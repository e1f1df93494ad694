/* SPDX-License-Identifier: Apache-2.0 */
/* network.c - addresses, routes and name servers of the appliance */
#include "via/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/rtnetlink.h"
#include "lfp/system.h"
#include "via/boot.h"
#include "via/journal.h"
#include "via/loop.h"

static size_t length_of(const struct via_ip *ip)
{
	return ip->family == AF_INET ? 4 : 16;
}

static const char *text_of(const struct via_ip *ip, char buf[INET6_ADDRSTRLEN])
{
	return inet_ntop(ip->family, ip->bytes, buf, INET6_ADDRSTRLEN);
}

static bool has_mac(const char *name, const char *mac)
{
	char found[LFP_SYSTEM_NAME];

	return lfp_system_line(found, "/sys/class/net/%s/address", name) && !strcasecmp(found, mac);
}

/* The index of a device, by its name or its MAC address; "" is the first one that is no loopback.
 * 0: there is none. */
static unsigned int find_device(const char *name)
{
	struct if_nameindex *all;
	unsigned int found = 0;

	if (*name && !strchr(name, ':'))
		return if_nametoindex(name);
	all = if_nameindex();
	for (struct if_nameindex *at = all; at && at->if_index && !found; at++)
		if (*name ? has_mac(at->if_name, name) : strcmp(at->if_name, "lo") != 0)
			found = at->if_index;
	if (all)
		if_freenameindex(all);
	return found;
}

void via_network_wait(int ms)
{
	int64_t until = via_now() + ms;

	while (!find_device("") && via_now() < until)
		(void)poll(NULL, 0, 10);
}

static int link_up(unsigned int device, uint32_t mtu)
{
	struct lfp_rtnetlink msg;

	lfp_rtnetlink_begin(&msg, RTM_NEWLINK, 0, sizeof(msg.body.link));
	msg.body.link.ifi_index = (int)device;
	msg.body.link.ifi_flags = msg.body.link.ifi_change = IFF_UP;
	if (mtu)
		lfp_rtnetlink_add(&msg, IFLA_MTU, &mtu, sizeof(mtu));
	return lfp_rtnetlink_ask(&msg);
}

static void change_address(const struct via_address *address, bool there)
{
	char text[INET6_ADDRSTRLEN];
	unsigned int device = find_device(address->device);
	struct lfp_rtnetlink msg;
	int rc = device ? link_up(device, 0) : -ENODEV;

	lfp_rtnetlink_begin(&msg, there ? RTM_NEWADDR : RTM_DELADDR,
			    there ? NLM_F_CREATE | NLM_F_REPLACE : 0, sizeof(msg.body.addr));
	msg.body.addr.ifa_family = (uint8_t)address->ip.family;
	msg.body.addr.ifa_prefixlen = (uint8_t)address->prefix;
	/* A socket can be bound at once, without a wait for a duplicate. */
	msg.body.addr.ifa_flags = IFA_F_NODAD;
	msg.body.addr.ifa_index = device;
	lfp_rtnetlink_add(&msg, IFA_LOCAL, address->ip.bytes, length_of(&address->ip));
	lfp_rtnetlink_add(&msg, IFA_ADDRESS, address->ip.bytes, length_of(&address->ip));
	if (!rc)
		rc = lfp_rtnetlink_ask(&msg);
	if (rc)
		via_say("VLFD503E", "The address %s/%u of %s cannot be %s: %s.",
			text_of(&address->ip, text), address->prefix,
			*address->device ? address->device : "the first network device",
			there ? "set" : "taken away", strerror(-rc));
}

static void use_device(const struct via_device *device)
{
	unsigned int index = find_device(device->name);
	int rc = index ? link_up(index, device->mtu) : -ENODEV;

	if (rc)
		via_say("VLFD507E", "The network device %s cannot be used: %s.", device->name,
			strerror(-rc));
}

static void change_gateway(const struct via_ip *gateway, bool there)
{
	char text[INET6_ADDRSTRLEN];
	struct lfp_rtnetlink msg;
	int rc;

	lfp_rtnetlink_begin(&msg, there ? RTM_NEWROUTE : RTM_DELROUTE,
			    there ? NLM_F_CREATE | NLM_F_REPLACE : 0, sizeof(msg.body.route));
	msg.body.route.rtm_family = (uint8_t)gateway->family;
	msg.body.route.rtm_table = RT_TABLE_MAIN;
	msg.body.route.rtm_protocol = RTPROT_STATIC;
	msg.body.route.rtm_scope = RT_SCOPE_UNIVERSE;
	msg.body.route.rtm_type = RTN_UNICAST;
	lfp_rtnetlink_add(&msg, RTA_GATEWAY, gateway->bytes, length_of(gateway));
	rc = lfp_rtnetlink_ask(&msg);
	/* With the last address of its network the kernel has taken the route away. */
	if (rc && (there || rc != -ESRCH))
		via_say("VLFD504E", "The gateway %s cannot be %s: %s.", text_of(gateway, text),
			there ? "set" : "taken away", strerror(-rc));
}

/* Not by memcmp(): the padding of a struct has no value. */
static bool is_same(const struct via_address *a, const struct via_address *b)
{
	return !memcmp(&a->ip, &b->ip, sizeof(a->ip)) && a->prefix == b->prefix &&
	       !strcmp(a->device, b->device);
}

static bool has_address(const struct via_settings *settings, const struct via_address *address)
{
	for (size_t i = 0; settings && i < settings->nr_addresses; i++)
		if (is_same(&settings->addresses[i], address))
			return true;
	return false;
}

static bool has_gateway(const struct via_settings *settings, const struct via_ip *gateway)
{
	for (size_t i = 0; settings && i < settings->nr_gateways; i++)
		if (!memcmp(&settings->gateways[i], gateway, sizeof(*gateway)))
			return true;
	return false;
}

static void write_name_servers(const struct via_settings *settings)
{
	FILE *out = fopen(VIA_RESOLV_CONF ".new", "we");

	for (size_t i = 0; out && i < settings->nr_name_servers; i++)
		fprintf(out, "nameserver %s\n", settings->name_servers[i]);
	/* Without any the C library would ask 127.0.0.1, where nothing is: it fails at once. */
	if (!out || fclose(out) || chmod(VIA_RESOLV_CONF ".new", 0644) ||
	    rename(VIA_RESOLV_CONF ".new", VIA_RESOLV_CONF))
		via_say("VLFD505E", "The name servers cannot be written to %s: %s.",
			VIA_RESOLV_CONF, strerror(errno));
}

void via_network_apply(const struct via_settings *old, const struct via_settings *new)
{
	const char *name = *new->host_name ? new->host_name : "via";
	size_t i;

	write_name_servers(new);
	if (via_in_container())
		return;
	if (sethostname(name, strlen(name)) || link_up(1, 0))
		via_say("VLFD506W", "The host name or the loopback device cannot be set: %s.",
			strerror(errno));
	for (i = 0; i < new->nr_devices; i++)
		use_device(&new->devices[i]);
	for (i = 0; old && i < old->nr_gateways; i++)
		if (!has_gateway(new, &old->gateways[i]))
			change_gateway(&old->gateways[i], false);
	for (i = 0; old && i < old->nr_addresses; i++)
		if (!has_address(new, &old->addresses[i]))
			change_address(&old->addresses[i], false);
	for (i = 0; i < new->nr_addresses; i++)
		if (!has_address(old, &new->addresses[i]))
			change_address(&new->addresses[i], true);
	/* The kernel takes a route away together with the address of its network. */
	for (i = 0; i < new->nr_gateways; i++)
		change_gateway(&new->gateways[i], true);
}
