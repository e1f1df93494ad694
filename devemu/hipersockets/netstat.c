/* SPDX-License-Identifier: Apache-2.0 */
/* netstat.c - displays of a HiperSockets network */
#include "devemu/hipersockets/netstat.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "devemu/hipersockets/address.h"
#include "devemu/qdio/qdio.h"

/* The mask of the link's first route; z/OS takes it from BSDROUTINGPARMS, which is not read here.
 */
static uint32_t mask_of(const struct tcpip_profile *profile, const struct profile_link *link)
{
	for (unsigned int i = 0; i < profile->routes; i++)
		if (&profile->link[profile->route[i].link] == link)
			return profile->route[i].mask;
	return 0;
}

static const char *router_name(char router)
{
	return router == 'P' ? "Pri" : router == 'S' ? "Sec" : "Non";
}

static void statistic(const char *name, uint64_t value, FILE *out)
{
	fprintf(out, "    %-34s= %" PRIu64 "\n", name, value);
}

static void statistics(const struct netstat_counters *counters, FILE *out)
{
	fputs("  Link Statistics:\n", out);
	statistic("BytesIn", counters->bytes_in, out);
	statistic("Inbound Packets", counters->packets_in, out);
	statistic("Inbound Packets In Error", 0, out);
	statistic("Inbound Packets Discarded", counters->discarded_in, out);
	statistic("Inbound Packets With No Protocol", counters->no_protocol, out);
	statistic("BytesOut", counters->bytes_out, out);
	statistic("Outbound Packets", counters->packets_out, out);
	statistic("Outbound Packets In Error", 0, out);
	statistic("Outbound Packets Discarded", counters->discarded_out, out);
}

void netstat_devlinks(const struct tcpip_profile *profile, const struct profile_link *link,
		      const struct netstat_link *state, FILE *out)
{
	static const char *const types[] = {
		[LINK_IPAQIDIO] = "IPAQIDIO",
		[LINK_IPAQENET] = "IPAQENET",
		[LINK_VIRTUAL] = "VIRTUAL",
	};
	const struct profile_device *device = &profile->device[link->device];
	const char *status = device->started ? "Ready" : "Not Active";
	char text[ADDRESS_TEXT];

	fprintf(out, "MVS TCP/IP NETSTAT CS V1R8       TCPIP Name: TCPIP %s\n", state->time);
	fprintf(out, "  DevName: %-17s DevType: %s\n", device->name,
		device->mpcipa ? "MPCIPA" : "VIRTUAL");
	fprintf(out, "  DevStatus: %s\n", status);
	fprintf(out, "  LnkName: %-17s LnkType: %-10s LnkStatus: %s\n", link->name,
		types[link->type], status);
	fputs("    NetNum: n/a  QueSize: n/a\n", out);
	fprintf(out, "    IpBroadcastCapability: %s\n", link->broadcast ? "Yes" : "No");
	fprintf(out, "    Cfg Router: %-21s ActRouter: %s\n", router_name(device->router), "Non");
	fputs("    ArpOffload: Yes                  ArpOffloadInfo: Yes\n", out);
	fprintf(out, "    ActMtu: %u\n", qdio_mtu(state->frame));
	fprintf(out, "    ReadStorage: %s (%uK)\n", link->storage,
		profile_link_buffers(link, state->frame) * (state->frame / 1024));
	fprintf(out, "    SecClass: %-22u MonSysplex: %s\n", link->security_class,
		link->monsysplex ? "Yes" : "No");
	fputs("  BSD Routing Parameters:\n", out);
	fputs("    MTU Size: 65535             Metric: 00\n", out);
	fprintf(out, "    DestAddr: 0.0.0.0           SubnetMask: %s\n",
		address_text(mask_of(profile, link), text));
	fputs("  Multicast Specific:\n", out);
	fputs("    Multicast Capability: Yes\n", out);
	if (state->groups)
		fputs("    Group             RefCnt\n", out);
	for (unsigned int i = 0; i < state->groups; i++)
		fprintf(out, "    %-17s %010u\n", address_text(state->group[i].address, text),
			state->group[i].members);
	statistics(&state->counters, out);
}

/* "10.1.2.1..2424", "::ffff:10.1.2.1..2424", "::..0" */
static void endpoint(const char *title, bool ipv6, const struct in6_addr *address, uint16_t port,
		     FILE *out)
{
	char text[INET6_ADDRSTRLEN];

	if (ipv6)
		inet_ntop(AF_INET6, address, text, sizeof(text));
	else
		inet_ntop(AF_INET, &address->s6_addr[12], text, sizeof(text));
	fprintf(out, "  %s Socket: %s..%u\n", title, text, port);
}

void netstat_socket(const struct netstat_socket *socket, FILE *out)
{
	fprintf(out, "%-8s %08X %s\n", socket->client, socket->number, socket->state);
	endpoint("Local", socket->ipv6, &socket->local, socket->local_port, out);
	endpoint("Foreign", socket->ipv6, &socket->foreign, socket->foreign_port, out);
}

/* MiB with one decimal, cut and not rounded: the paper's counters show it. */
static void mebibytes(uint64_t bytes, char text[32])
{
	const uint64_t tenths = bytes / (1 << 20) * 10 + bytes % (1 << 20) * 10 / (1 << 20);

	snprintf(text, 32, "%" PRIu64 ".%" PRIu64 " Mb", tenths / 10, tenths % 10);
}

void netstat_ifconfig(const struct linux_interface *interface, const char *inet6,
		      const struct netstat_counters *counters, FILE *out)
{
	char address[ADDRESS_TEXT], mask[ADDRESS_TEXT], in[32], to[32];

	mebibytes(counters->bytes_in, in);
	mebibytes(counters->bytes_out, to);
	fprintf(out, "%-9s Link encap:Ethernet  HWaddr 00:00:00:00:00:00\n", interface->name);
	fprintf(out, "          inet addr:%s  Mask:%s\n",
		address_text(interface->address.value, address),
		address_text(interface->mask.value, mask));
	if (*inet6)
		fprintf(out, "          inet6 addr: %s Scope:Link\n", inet6);
	fprintf(out, "          UP RUNNING NOARP MULTICAST  MTU:%u  Metric:1\n",
		interface->mtu.value);
	fprintf(out,
		"          RX packets:%" PRIu64 " errors:0 dropped:%" PRIu64
		" overruns:0 frame:0\n",
		counters->packets_in, counters->discarded_in);
	fprintf(out,
		"          TX packets:%" PRIu64 " errors:0 dropped:%" PRIu64
		" overruns:0 carrier:0\n",
		counters->packets_out, counters->discarded_out);
	fprintf(out, "          collisions:0 txqueuelen:%u\n", interface->queue.value);
	fprintf(out, "          RX bytes:%" PRIu64 " (%s)  TX bytes:%" PRIu64 " (%s)\n",
		counters->bytes_in, in, counters->bytes_out, to);
}
