/* SPDX-License-Identifier: Apache-2.0 */
/* netstat.c - an instance's answer to NETSTAT: its device, its sockets with their addresses */
#include "ijblfp/oper/netstat.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/vsock.h"
#include "transport/path.h"
#include "transport/transport.h"

static void put(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s\t%" PRIu64 "\n", key, value);
}

static void put_queues(FILE *out, const struct transport_device *device)
{
	put(out, "frame", device->frame);
	put(out, "buffers", device->buffers);
	fprintf(out, "cq\t%s\n", device->has_cq ? "Yes" : "No");
	put(out, "pending", device->pending);
	put(out, "pending_max", device->pending_max);
	put(out, "pending_ever", device->pending_ever);
	put(out, "done_ok", device->done_ok);
	put(out, "done_unreachable", device->done_unreachable);
	put(out, "done_error", device->done_error);
	put(out, "done_twice", device->done_twice);
	put(out, "target_full", device->target_full);
	put(out, "busy", device->busy);
	put(out, "siga_full", device->full);
	put(out, "interrupts_in", device->interrupts_in);
	put(out, "interrupts_out", device->interrupts_out);
	put(out, "messages", device->messages);
	put(out, "limit", device->limit);
}

/* Without a device of the transport, the path stands for it: frames are its packets. */
static void put_link(FILE *out, const struct path_stats *stats)
{
	put(out, "bytes_in", stats->bytes_in);
	put(out, "packets_in", stats->packets_in);
	put(out, "bytes_out", stats->bytes_out);
	put(out, "packets_out", stats->packets_out);
}

static void put_device_link(FILE *out, const struct transport_device *device)
{
	put(out, "act_mtu", device->mtu);
	fprintf(out, "read_storage\tLFP (%" PRIu64 "K)\n",
		(uint64_t)device->frame * device->buffers / 1024);
	put(out, "bytes_in", device->bytes_in);
	put(out, "packets_in", device->frames_in);
	put(out, "bytes_out", device->bytes_out);
	put(out, "packets_out", device->frames_out);
	put(out, "no_protocol", device->no_protocol);
	put(out, "discarded_in", device->discarded_in);
	put(out, "errors_out", device->done_unreachable + device->done_error);
	put(out, "discarded_out", device->target_full);
	put_queues(out, device);
}

void netstat_put_device(FILE *out, struct instance *inst)
{
	const struct ijblfp_statements *st = &inst->config.st;
	const char *ready = link_flows(inst->link) ? "Ready" : "Not Active";
	struct transport_conn *conn = inst->link->path ? path_conn(inst->link->path) : NULL;
	struct transport_device device = {0};

	fprintf(out, "stack\tLFP%s\ndev_name\tLFPDEV%s\ndev_type\t%s\n", st->id, st->id,
		transport_chosen(&st->transport)->name);
	fprintf(out, "dev_status\t%s\nlink_status\t%s\n", ready, ready);
	fprintf(out, "link_name\tLFP%s\nlink_type\t%s\n", st->id,
		transport_chosen(&st->transport)->device ? "AF_IUCV" : "LFP");
	fprintf(out, "broadcast\tNo\nmulticast\tNo\n");
	if (conn && conn->transport->device) {
		conn->transport->device(conn, &device);
		put_device_link(out, &device);
		return;
	}
	if (inst->link->path)
		put(out, "act_mtu", inst->link->mtu);
	put_link(out, link_stats(inst->link));
}

static bool is_shown(const struct vsock *vs)
{
	return vs->state == VSOCK_LISTENING || vs->state == VSOCK_ESTABLISHED;
}

static int by_sock(const void *a, const void *b)
{
	uint64_t left = ((const struct netstat_name *)a)->sock;
	uint64_t right = ((const struct netstat_name *)b)->sock;

	return left < right ? -1 : left > right;
}

static struct netstat_name *find(struct netstat_round *round, uint64_t sock)
{
	struct netstat_name key = {.sock = sock};

	return round->nr ? bsearch(&key, round->names, round->nr, sizeof(key), by_sock) : NULL;
}

/* The addresses of accepted sockets came with ACCEPTED. */
static void note(void *data, struct vsock *vs)
{
	struct netstat_round *round = data;

	if (is_shown(vs) && !vs->local.family)
		round->names[round->nr++].sock = vs->id;
}

static void on_name(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct netstat_round *round = inst->netstat;
	struct netstat_name *name = find(round, request->sock);

	if (reply && !reply->status && name) {
		if (request->code == LFP_GETPEERNAME)
			name->peer = reply->name.addr;
		else
			name->local = reply->name.addr;
	}
	if (!--round->pending)
		round->known(inst);
}

static void ask(struct instance *inst, uint64_t sock, uint8_t code)
{
	struct lfp_frame frame = {.code = code, .sock = sock};
	int error;

	if (request_send(inst, &frame, on_name, &error))
		inst->netstat->pending++;
}

bool netstat_ask(struct instance *inst, void (*known)(struct instance *inst))
{
	struct netstat_round *round = inst->netstat;
	const struct vsock *vs;

	if (round->pending)
		return true;
	netstat_forget(round);
	round->known = known;
	round->names = calloc(inst->socks->by_id.count + 1, sizeof(*round->names));
	if (!round->names)
		return false;
	vsock_each(inst->socks, note, round);
	qsort(round->names, round->nr, sizeof(*round->names), by_sock);
	for (size_t i = 0; i < round->nr; i++) {
		vs = vsock_find(inst->socks, round->names[i].sock);
		ask(inst, round->names[i].sock, LFP_GETSOCKNAME);
		if (vs && vs->state == VSOCK_ESTABLISHED)
			ask(inst, round->names[i].sock, LFP_GETPEERNAME);
	}
	return round->pending > 0;
}

void netstat_forget(struct netstat_round *round)
{
	free(round->names);
	round->names = NULL;
	round->nr = 0;
}

/* Writes "::ffff:10.1.2.1..2424", as for the IPv6 sockets with which z/OS's programs listen. */
static void put_addr(FILE *out, const struct lfp_addr *addr)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, none[16];
	char text[INET6_ADDRSTRLEN];
	uint8_t ip[16] = {0};

	if (addr->family == 2 && memcmp(addr->ip, none, 4)) {
		memcpy(ip, mapped, sizeof(mapped));
		memcpy(ip + sizeof(mapped), addr->ip, 4);
	} else if (addr->family && addr->family != 2) {
		memcpy(ip, addr->ip, sizeof(ip));
	}
	fprintf(out, "%s..%u", inet_ntop(AF_INET6, ip, text, sizeof(text)),
		addr->family ? addr->port : 0u);
}

/* Writes the program's name as a job name: eight characters, in upper case. */
static void put_job(FILE *out, const struct instance *inst, const struct vsock *vs)
{
	const struct tasks *tasks = inst->tasks;
	const struct task *task =
		vs->task_slot < tasks->nr_slots ? tasks->slots[vs->task_slot] : NULL;
	const char *name = task && task->number == vs->task ? task->program : "ENDED";

	for (int i = 0; i < 8 && name[i]; i++)
		putc(isgraph((unsigned char)name[i]) ? toupper((unsigned char)name[i]) : '_', out);
}

struct writing {
	FILE *out;
	struct instance *inst;
};

static void put_socket(void *data, struct vsock *vs)
{
	const struct writing *writing = data;
	struct netstat_name *name = find(writing->inst->netstat, vs->id);
	static const struct lfp_addr none;

	if (!is_shown(vs))
		return;
	fputs("socket\t", writing->out);
	put_job(writing->out, writing->inst, vs);
	fprintf(writing->out, " %08" PRIX32 " %s ", (uint32_t)vs->id,
		vs->state == VSOCK_LISTENING ? "Listen" : "Establsh");
	put_addr(writing->out, vs->local.family ? &vs->local : name ? &name->local : &none);
	putc(' ', writing->out);
	put_addr(writing->out, vs->state == VSOCK_LISTENING ? &none
			       : vs->local.family           ? &vs->peer
			       : name                       ? &name->peer
							    : &none);
	putc('\n', writing->out);
}

void netstat_put_sockets(FILE *out, struct instance *inst)
{
	struct writing writing = {out, inst};

	vsock_each(inst->socks, put_socket, &writing);
}
