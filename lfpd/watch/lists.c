/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - the tasks and the sockets of an instance, as answers to lfpd-admin */
#include "lfpd/watch/lists.h"

#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>

#include "lfpd/sock/datagram.h"
#include "lfp/addr.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/published.h"
#include "lfpd/state/session.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * The keys of all rows are noted at once, which is quick. The rows are written some at a time, as
 * the client takes them. Rows that have ended by then are left out, even a whole session.
 */

#define ROWS_A_PIECE 256

struct list {
	struct instance *instance;
	const struct session *session; /* compared only, it may be gone */
	uint64_t session_serial;
	void (*row)(const struct session *session, struct lfp_table_link *node, FILE *out);
	const struct lfp_table *(*table)(const struct session *session);
	size_t nr, at;
	uint64_t keys[];
};

static void forget(void *state)
{
	free(state);
}

static bool more(void *state, FILE *out)
{
	struct list *list = state;
	const struct instance *inst = list->instance;

	for (size_t i = 0; i < ROWS_A_PIECE && list->at < list->nr; i++, list->at++) {
		struct lfp_table_link *node;

		/* The number of paths so far tells sessions apart; memory may be used again. */
		if (inst->session != list->session || inst->counters.paths != list->session_serial)
			return false;
		node = lfp_table_find(list->table(inst->session), list->keys[list->at]);
		if (node)
			list->row(inst->session, node, out);
	}
	return list->at < list->nr;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Note what the table has; NULL without memory. */
static struct list *note(struct instance *inst,
			 const struct lfp_table *(*table)(const struct session *session))
{
	size_t nr = inst->session ? table(inst->session)->count : 0;
	struct list *list = malloc(sizeof(*list) + nr * sizeof(list->keys[0]));
	struct lfp_table_link *node = NULL;

	if (!list)
		return NULL;
	*list = (struct list){
		.instance = inst,
		.session = inst->session,
		.session_serial = inst->counters.paths,
		.table = table,
	};
	while (inst->session && (node = lfp_table_next(table(inst->session), node)))
		list->keys[list->nr++] = node->key;
	/* Sorting this many takes too long; the client can sort them. */
	if (list->nr <= 65536)
		qsort(list->keys, list->nr, sizeof(list->keys[0]), compare);
	return list;
}

static const struct lfp_table *tasks(const struct session *session)
{
	return &session->tasks;
}

static void put_task(const struct session *session, struct lfp_table_link *node, FILE *out)
{
	const struct task *task = task_of(node);

	(void)session;
	fprintf(out, "row\t%02X\t%s\t", task->id, task->partition);
	if (task->pid)
		fprintf(out, "%" PRIu32 "\t%" PRIu32, task->pid, task->uid);
	else
		fputs("\t", out);
	fprintf(out, "\t%s\t%u\n", task->program, task->sockets);
}

int lists_tasks(struct instance *inst, struct server_client *client, FILE *out)
{
	struct list *list = note(inst, tasks);

	if (!list)
		return -ENOMEM;
	list->row = put_task;
	fputs("ok\ncolumns\ttask:s\tpartition:s\tpid:n\tuid:n\tprogram:s\tsockets:n\n", out);
	server_go_on(client, more, forget, list);
	return 0;
}

static const struct lfp_table *sockets(const struct session *session)
{
	return &session->sockets;
}

static const char *state_name(const struct socket *sock)
{
	switch (sock->state) {
	case SOCKET_NEW:
		return sock->bound ? "bound" : "new";
	case SOCKET_CONNECTING:
		return "connecting";
	case SOCKET_ESTABLISHED:
		if (from_host_ended(sock->from_host) && sock->stream.to_host_end != TO_OPEN)
			return "ended";
		if (from_host_ended(sock->from_host))
			return "peer-ended";
		return sock->stream.to_host_end != TO_OPEN ? "half-ended" : "established";
	case SOCKET_LISTENING:
		return listener_pauses(sock->listener.state) ? "paused" : "listening";
	case SOCKET_DATAGRAM:
		return sock->dgram->connected ? "connected" : "open";
	case SOCKET_LOST:
		return "lost";
	case SOCKET_DEAD:
		return "dead";
	case SOCKET_ORPHAN:
		return "closing";
	case SOCKET_RELEASED:
		break;
	}
	return "gone";
}

static int sockname(const struct socket *sock, struct sockaddr *addr, socklen_t *len)
{
	return getsockname(sock->fd, addr, len);
}

typedef int (*name_function)(const struct socket *sock, struct sockaddr *addr, socklen_t *len);

/* "10.0.0.1:23", "[::1]:23", "*:23" */
static void put_addr(const struct sockaddr_storage *addr, socklen_t len, FILE *out)
{
	char host[NI_MAXHOST], service[NI_MAXSERV];

	if (!getnameinfo((const struct sockaddr *)addr, len, host, sizeof(host), service,
			 sizeof(service), NI_NUMERICHOST | NI_NUMERICSERV))
		fprintf(out, addr->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, service);
}

/* Nothing without an address. */
static void put_name(const struct socket *sock, name_function function, FILE *out)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (!function(sock, (struct sockaddr *)&addr, &len))
		put_addr(&addr, len, out);
}

/* The program's own name of a socket that PUBLISH has moved. */
static void put_own_name(const struct socket *sock, FILE *out)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	struct lfp_addr own;

	if (sock->published.family == LFP_AF_UNSPEC ||
	    getsockname(sock->fd, (struct sockaddr *)&addr, &len) ||
	    lfp_addr_from(&own, (struct sockaddr *)&addr, len))
		return;
	published_show(sock, &own, published_is_connected(sock));
	put_addr(&addr, lfp_addr_to(&own, &addr), out);
}

static void put_socket(const struct socket *sock, FILE *out)
{
	const struct task *task = socket_owner(sock);
	uint64_t unread = sock->in.received - sock->in.consumed;

	fprintf(out, "row\t%s\t%s\t", sock->is_datagram ? "udp" : "tcp", state_name(sock));
	put_name(sock, sockname, out);
	putc('\t', out);
	put_name(sock, socket_peername, out);
	if (task)
		fprintf(out, "\t%02X\t%s\t", task->id, task->partition);
	else
		fputs("\t\t\t", out);
	if (task && task->pid)
		fprintf(out, "%" PRIu32, task->pid);
	fprintf(out, "\t%s", task ? task->program : "");
	fprintf(out, "\t%" PRIu64 "\t%" PRIu64, sock->in.received, sock->out.sent);
	fprintf(out, "\t%" PRIu64 "\t%" PRIu32, unread, sock->in.window);
	fprintf(out, "\t%" PRIu64 "\t%" PRIu32, sock->out.sent - sock->out.consumed,
		sock->out.window);
	fprintf(out, "\t0x%" PRIx64 "\t", sock->node.key);
	put_own_name(sock, out);
	fprintf(out, "\t%s\t", socket_upstream_name(sock));
	if (!sock->is_datagram && sock->stream.joined.other)
		fprintf(out, "0x%" PRIx64, sock->stream.joined.other->node.key);
	putc('\n', out);
}

static void put_socket_row(const struct session *session, struct lfp_table_link *node, FILE *out)
{
	(void)session;
	put_socket(socket_of(node), out);
}

int lists_sockets(struct instance *inst, struct server_client *client, FILE *out)
{
	struct list *list = note(inst, sockets);
	const struct socket *sock;
	unsigned int nr = 0;

	if (!list)
		return -ENOMEM;
	list->row = put_socket_row;
	fputs("ok\ncolumns\tkind:s\tstate:s\tlocal:s\tpeer:s\ttask:s\tpartition:s\tpid:n\tprogram:"
	      "s\t"
	      "to_host:n\tto_vse:n\tto_host_waiting:n\tto_host_window:n\tto_vse_waiting:n\t"
	      "to_vse_window:n\tsocket:s\town:s\tupstream:s\tjoined:s\n",
	      out);
	/* Those that are of no session any more go first, at most so many. */
	lfp_list_each(sock, &inst->orphans, stream.entry) {
		if (nr++ == ROWS_A_PIECE)
			break;
		put_socket(sock, out);
	}
	server_go_on(client, more, forget, list);
	return 0;
}
