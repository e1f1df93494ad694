/* SPDX-License-Identifier: Apache-2.0 */
/* address.c - addresses of calls, and names of ports in the order of their first use */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "tests/campaign/oracle/perform.h"

enum { NOBODY = 9 }; /* outside of the range of automatic ports, and nobody binds it */

static bool is_v6(unsigned int slot)
{
	return slot < SLOTS && common->kind[me][slot][3] == '6';
}

static in_port_t target_port(const struct op *op)
{
	if (op->other < SLOTS && common->port_of[op->b & 1][op->other])
		return common->port_of[op->b & 1][op->other];
	return op->other == TO_ANY_PORT || op->other == TO_WILDCARD || op->code == OP_BIND
		       ? 0
		       : htons(NOBODY);
}

static socklen_t fill_v4(const struct op *op, struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	in->sin_family = AF_INET;
	in->sin_port = target_port(op);
	in->sin_addr.s_addr = htonl(op->other == TO_WILDCARD ? INADDR_ANY : INADDR_LOOPBACK);
	return sizeof(*in);
}

static socklen_t fill_v6(const struct op *op, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = target_port(op);
	in6->sin6_addr = op->other == TO_WILDCARD ? in6addr_any : in6addr_loopback;
	return sizeof(*in6);
}

socklen_t address_of(const struct op *op, struct sockaddr_storage *addr)
{
	bool v6 = is_v6(op->slot) != (op->other == TO_OTHER_FAMILY);
	socklen_t len;

	memset(addr, 0, sizeof(*addr));
	len = v6 ? fill_v6(op, addr) : fill_v4(op, addr);
	if (op->other == TO_UNSPEC)
		addr->ss_family = AF_UNSPEC;
	return op->other == TO_SHORT ? 5 : len;
}

static unsigned int port_name(in_port_t number)
{
	for (unsigned int i = 0; i < common->nr_ports; i++)
		if (common->ports[i].number == number)
			return i;
	if (common->nr_ports == PORTS)
		return PORTS;
	common->ports[common->nr_ports] = (struct port){.number = number};
	return common->nr_ports++;
}

static void port_text(in_port_t port, char *text, size_t room)
{
	if (!port)
		snprintf(text, room, "0");
	else if (port == htons(NOBODY))
		snprintf(text, room, "nobody");
	else
		snprintf(text, room, "p%u", port_name(port));
}

const char *address_text(const struct sockaddr_storage *addr, socklen_t len)
{
	static char text[100];
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	char host[INET6_ADDRSTRLEN] = "?", port[16] = "?";

	if (!len)
		return "no address";
	if (addr->ss_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, host, sizeof(host));
		port_text(in->sin_port, port, sizeof(port));
	} else if (addr->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof(host));
		port_text(in6->sin6_port, port, sizeof(port));
	}
	snprintf(text, sizeof(text), "%s %s, %u bytes", host, port, len);
	return text;
}

void address_learn(unsigned int slot)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	in_port_t port;
	unsigned int name;

	if (slot >= SLOTS || getsockname(fds[slot], (struct sockaddr *)&addr, &len) < 0)
		return;
	port = addr.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&addr)->sin6_port
					  : ((struct sockaddr_in *)&addr)->sin_port;
	common->port_of[me][slot] = port;
	if (!port || (name = port_name(port)) >= PORTS)
		return;
	common->ports[name].own = true;
	common->ports[name].udp = common->kind[me][slot][0] == 'u';
	common->ports[name].v6 = is_v6(slot);
}
