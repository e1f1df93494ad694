/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - the state of all sockets, which a sequence waits for after each call */
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tests/campaign/oracle/perform.h"

const char *state_history(unsigned int process, unsigned int slot)
{
	static char text[70];
	unsigned int id = slot < SLOTS ? common->id[process][slot] : 0;

	if (!id)
		return "()";
	snprintf(text, sizeof(text), "(%.5s%s%s%s%s)", common->kind[process][slot],
		 common->listens[id] ? " listener" : "", common->shut[id] ? " shut" : "",
		 common->dissolved[id] ? " dissolved" : "",
		 common->listens[id] || !common->marked[id] ? "" : " marked");
	return text;
}

/* A line: the socket in a slot, what poll() shows, and how much there is to read. */
static size_t tell_slot(unsigned int slot, char *text, size_t room)
{
	struct pollfd pfd = {.fd = fds[slot], .events = POLLIN | POLLPRI | POLLOUT | POLLRDHUP};
	char events[80], number[32] = "";
	int bytes = -1;

	(void)poll(&pfd, 1, 0);
	(void)events_text((unsigned int)pfd.revents, events, sizeof(events));
	if (!common->listens[common->id[me][slot]] && ioctl(fds[slot], FIONREAD, &bytes) == 0)
		snprintf(number, sizeof(number), ", %d bytes", bytes);
	return (size_t)snprintf(text, room, "state %c%u %s -> %s%s\n", "AB"[me], slot,
				state_history(me, slot), events, number);
}

void state_tell(void)
{
	char *text = common->state[me];
	size_t room = sizeof(common->state[me]), len = 0;

	*text = 0;
	for (unsigned int i = 0; i < SLOTS && len < room; i++)
		if (fds[i] >= 0)
			len += tell_slot(i, text + len, room - len);
}

/* Does a socket of the host have the port: one that listens, or a datagram socket without a peer?
 */
static bool port_in_use(int diag, const struct port *port)
{
	struct {
		struct nlmsghdr head;
		struct inet_diag_req_v2 req;
	} ask = {.head = {.nlmsg_len = sizeof(ask),
			  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			  .nlmsg_flags = NLM_F_REQUEST},
		 .req = {.sdiag_family = port->v6 ? AF_INET6 : AF_INET,
			 .sdiag_protocol = port->udp ? IPPROTO_UDP : IPPROTO_TCP,
			 .idiag_states = ~0u}};
	struct inet_diag_sockid *id = &ask.req.id;
	/* net/ipv4/udp_diag.c has source and destination the other way round. */
	__be32 *local = port->udp ? id->idiag_dst : id->idiag_src;
	char answer[4096];
	ssize_t n;

	*(port->udp ? &id->idiag_dport : &id->idiag_sport) = port->number;
	if (port->v6)
		memcpy(local, &in6addr_loopback, sizeof(in6addr_loopback));
	else
		local[0] = htonl(INADDR_LOOPBACK);
	id->idiag_cookie[0] = id->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
	if (write(diag, &ask, sizeof(ask)) < 0)
		return false;
	n = read(diag, answer, sizeof(answer));
	return n >= (ssize_t)sizeof(struct nlmsghdr) &&
	       ((struct nlmsghdr *)answer)->nlmsg_type == SOCK_DIAG_BY_FAMILY;
}

void state_host(int diag, char *text, size_t room)
{
	size_t len = (size_t)snprintf(text, room, "ports in use ->");

	for (unsigned int i = 0; i < common->nr_ports && len < room; i++)
		if (common->ports[i].own && port_in_use(diag, &common->ports[i]))
			len += (size_t)snprintf(text + len, room - len, " p%u", i);
	snprintf(text + len, room - len, "\n");
}
