/* SPDX-License-Identifier: Apache-2.0 */
/* op.c - the operator's socket of an instance */
#include "ijblfp/oper/op.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/oper/netstat.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/admin.h"
#include "lfp/endpoint.h"
#include "lfp/window.h"
#include "transport/passed.h"
#include "transport/path.h"
#include "transport/transport.h"

#define BACKLOG   16
#define CONNS_MAX 16u /* more are the operator's mistake: the oldest is dropped */

struct op_conn {
	struct lfp_list place;
	struct instance *inst;
	uv_poll_t poll;
	int fd;
	bool waits; /* for names of sockets */
	char line[LFP_ADMIN_REQUEST_MAX + 2];
	size_t len;
	char *answer; /* NULL while the request is read */
	size_t size, sent;
};

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, "%s\t%llu\n", key, (unsigned long long)value);
}

static void count_socket(void *data, struct vsock *vs)
{
	struct instance *inst = ((void **)data)[0];
	unsigned int *counts = ((void **)data)[1];
	struct tasks *tasks = inst->tasks;

	if (vs->state != VSOCK_CLOSING && vs->state != VSOCK_SPARE &&
	    vs->task_slot < tasks->nr_slots && tasks->slots[vs->task_slot] &&
	    tasks->slots[vs->task_slot]->number == vs->task)
		counts[vs->task_slot]++;
}

/* Writes a line for each task: task id, partition id, sockets, process id, program. */
static void put_tasks(FILE *out, struct instance *inst)
{
	struct tasks *tasks = inst->tasks;
	unsigned int *counts = calloc(tasks->nr_slots ? tasks->nr_slots : 1, sizeof(*counts));
	void *data[2] = {inst, counts};

	if (!counts)
		return;
	vsock_each(inst->socks, count_socket, data);
	for (uint32_t i = 0; i < tasks->nr_slots; i++) {
		struct task *task = tasks->slots[i];
		char id[9], partition[9];

		if (!task || task->state != TASK_ACTIVE)
			continue;
		/* A CICS-style task has an id of its own and is in the partition of its process. */
		task_id_text(task->partition, id, partition);
		snprintf(id, sizeof(id), "%02X", task_id(i));
		/* The process may have executed another program since. */
		if (task->pid)
			task_read_program(task->pid, task->program);
		fprintf(out, "task\t%s %s %u %ld %s\n", id, partition, counts[i],
			(long)peer_shown(task->pid), task->program);
	}
	free(counts);
}

static const char *status_of(const struct instance *inst)
{
	if (inst->link->first)
		return "STARTING";
	return inst->draining ? "STOPPING" : "UP";
}

/* Writes credits, waits and wake-ups of the path. */
static void put_flow(FILE *out, const struct path_stats *stats)
{
	const struct transport_counts *counts = &stats->transport;

	put_number(out, "data_out", stats->data_out);
	put_number(out, "data_in", stats->data_in);
	put_number(out, "credits_out", stats->credits_out);
	put_number(out, "credits_in", stats->credits_in);
	put_number(out, "windows_out", stats->windows_out);
	put_number(out, "windows_in", stats->windows_in);
	put_number(out, "calls_out", counts->calls_out);
	put_number(out, "calls_in", counts->calls_in);
	put_number(out, "transport_waits", counts->full);
	put_number(out, "wakeups_out", counts->wakeups_out);
	put_number(out, "wakeups_in", counts->wakeups_in);
	put_number(out, "polls_hit", counts->polls_hit);
	put_number(out, "polls_missed", counts->polls_missed);
}

static void put_info(FILE *out, struct instance *inst)
{
	const struct ijblfp_statements *st = &inst->config.st;
	const struct path_stats *stats = link_stats(inst->link);
	bool up = link_is_up(inst->link);

	fprintf(out, "status\t%s\n", status_of(inst));
	fprintf(out, "id\t%s\nvmid\t%s\nappname\t%s\n", st->id, inst->config.vmid,
		st->iucv_src_appname);
	fprintf(out, "dest_vmid\t%s\ndest_appname\t%s\n", st->iucv_dest_vmid,
		st->iucv_dest_appname);
	fprintf(out, "device\t%s\n",
		hold_keeps(&inst->link->hold) ? "SUSPENDED"
		: up                          ? "ACTIVE"
					      : "INACTIVE");
	put_number(out, "window", st->window_size);
	put_number(out, "threshold", st->window_threshold);
	put_number(out, "threshold_bytes",
		   lfp_window_threshold(st->window_size, st->window_threshold));
	put_number(out, "mtu", st->mtu);
	put_number(out, "msglimit", st->iucv_msg_limit);
	put_number(out, "initial_buffer_space", st->initial_buffer_space);
	put_number(out, "max_buffer_space", st->max_buffer_space);
	put_number(out, "mtu_used", up ? inst->link->mtu : 0);
	put_number(out, "msglimit_used", up ? inst->link->msglimit : 0);
	put_number(out, "buffer_used", (uint64_t)stats->space * inst->link->mtu);
	put_number(out, "buffer_peak", (uint64_t)stats->space_max * inst->link->mtu);
	put_number(out, "buffer_waits", stats->space_waits);
	put_number(out, "outstanding", stats->outstanding);
	put_number(out, "outstanding_max", stats->outstanding_max);
	put_number(out, "packets_out", stats->packets_out);
	put_number(out, "packets_in", stats->packets_in);
	put_number(out, "bytes_out", stats->bytes_out);
	put_number(out, "bytes_in", stats->bytes_in);
	put_number(out, "limit_waits", stats->limit_waits);
	put_flow(out, stats);
	fprintf(out, "transport\t%s\n", transport_chosen(&st->transport)->name);
	put_number(out, "queued", stats->queued);
	put_number(out, "connects", inst->link->connects);
	put_number(out, "resumed", inst->link->hold.times);
	put_number(out, "disagreements", inst->disagreements);
	put_number(out, "requests", inst->link->requests.by_number.count);
	put_number(out, "sockets", vsock_active(inst->socks));
	put_number(out, "listening", inst->socks->by_state[VSOCK_LISTENING]);
	put_number(out, "established", inst->socks->by_state[VSOCK_ESTABLISHED]);
	put_number(out, "datagrams", inst->socks->by_state[VSOCK_DATAGRAM]);
	put_number(out, "closing", inst->socks->by_state[VSOCK_CLOSING]);
	put_number(out, "ended_tasks_sockets", owner_count_ended(inst));
	put_number(out, "tasks", inst->tasks->active);
	put_number(out, "tasks_living", tasks_living(inst->tasks));
	put_tasks(out, inst);
}

static void on_closed(uv_handle_t *handle)
{
	struct op_conn *conn = handle->data;
	struct instance *inst = conn->inst;

	free(conn->answer);
	free(conn);
	handle_gone(inst);
}

static void destroy(struct op_conn *conn)
{
	lfp_list_del(&conn->place);
	conn->inst->op->nr_conns--;
	uv_poll_stop(&conn->poll);
	/* In this order: libuv removes the descriptor from its epoll set by number. */
	uv_close((uv_handle_t *)&conn->poll, on_closed);
	passed_end(conn->fd);
}

static void on_writable(uv_poll_t *poll, int status, int events);

/* Sends the rest. @conn may be gone afterwards. */
static void send_answer(struct op_conn *conn)
{
	while (conn->sent < conn->size) {
		ssize_t n = send(conn->fd, conn->answer + conn->sent, conn->size - conn->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			uv_poll_start(&conn->poll, UV_WRITABLE, on_writable);
			return;
		}
		if (n < 0)
			break;
		conn->sent += (size_t)n;
	}
	destroy(conn);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	send_answer(poll->data);
}

static void on_names_known(struct instance *inst);

static void answer(struct op_conn *conn)
{
	struct instance *inst = conn->inst;
	bool stop = !strcmp(conn->line, "stop"), immediate = !strcmp(conn->line, "stop immediate");
	bool device = !strcmp(conn->line, "device"), sockets = !strcmp(conn->line, "sockets");
	bool info;
	FILE *out;

	uv_poll_stop(&conn->poll);
	if (sockets && !conn->waits && netstat_ask(inst, on_names_known)) {
		conn->waits = true;
		return;
	}
	out = open_memstream(&conn->answer, &conn->size);
	if (!out) {
		destroy(conn);
		return;
	}
	if (stop)
		inst->op->ops->stop(inst);
	info = stop || !strcmp(conn->line, "info");
	if (info || immediate || device || sockets)
		fprintf(out, "ok\npid\t%ld\n", (long)getpid());
	else
		fputs("error\tunknown request\n", out);
	if (info)
		put_info(out, inst);
	if (device)
		netstat_put_device(out, inst);
	if (sockets)
		netstat_put_sockets(out, inst);
	if (fclose(out)) {
		destroy(conn);
		return;
	}
	send_answer(conn);
	if (immediate)
		inst->op->ops->stop_now(inst);
}

/* The round of questions is over: answers the requests that wait for the sockets. */
static void on_names_known(struct instance *inst)
{
	struct lfp_list *all = &inst->op->conns;
	struct op_conn *conn, *next;

	for (conn = lfp_list_first_entry(all, struct op_conn, place); conn; conn = next) {
		next = lfp_list_next_entry(all, conn, place);
		if (conn->waits && !conn->answer)
			answer(conn); /* may destroy this connection, and no other */
	}
	netstat_forget(inst->netstat);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct op_conn *conn = poll->data;
	ssize_t n = passed_receive(conn->fd, conn->line + conn->len,
				   sizeof(conn->line) - 1 - conn->len);
	char *end;

	(void)status;
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		destroy(conn);
		return;
	}
	conn->len += (size_t)n;
	end = memchr(conn->line, '\n', conn->len);
	if (end) {
		*end = '\0';
		answer(conn);
	} else if (conn->len == sizeof(conn->line) - 1) {
		destroy(conn);
	}
}

static void on_listener(uv_poll_t *poll, int status, int events)
{
	struct instance *inst = poll->data;
	struct op_server *op = inst->op;
	int fd = accept4(op->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct op_conn *conn;

	(void)status;
	(void)events;
	if (fd < 0) {
		/* A level-triggered listener would report the connection again at once. */
		if (errno == EMFILE || errno == ENFILE) {
			descriptors_say_short(inst, -errno);
			uv_poll_stop(poll);
		}
		return;
	}
	conn = calloc(1, sizeof(*conn));
	if (!conn || uv_poll_init(inst->loop, &conn->poll, fd)) {
		free(conn);
		passed_end(fd);
		return;
	}
	if (op->nr_conns >= CONNS_MAX)
		destroy(lfp_list_entry(op->conns.next, struct op_conn, place));
	conn->inst = inst;
	conn->fd = fd;
	(void)passed_refuse(fd);
	numbers_note(fd);
	conn->poll.data = conn;
	lfp_list_init(&conn->place);
	lfp_list_append(&op->conns, &conn->place);
	op->nr_conns++;
	handle_open(inst);
	uv_poll_start(&conn->poll, UV_READABLE, on_readable);
}

void op_server_retry(struct instance *inst)
{
	if (inst->op->listener >= 0)
		uv_poll_start(&inst->op->poll, UV_READABLE, on_listener);
}

int op_server_init(struct instance *inst, const char *path, const struct op_ops *ops)
{
	struct op_server *op = inst->op;
	int fd, rc;

	*op = (struct op_server){.listener = -1, .ops = ops};
	lfp_list_init(&op->conns);
	fd = lfp_listen(path, SOCK_STREAM, 0600, BACKLOG);
	if (fd < 0)
		return fd;
	rc = uv_poll_init(inst->loop, &op->poll, fd);
	if (rc) {
		close(fd);
		return rc;
	}
	op->listener = fd;
	snprintf(op->path, sizeof(op->path), "%s", path);
	op->poll.data = inst;
	handle_open(inst);
	return uv_poll_start(&op->poll, UV_READABLE, on_listener);
}

void op_server_finish(struct instance *inst)
{
	struct op_server *op = inst->op;

	if (op->listener < 0)
		return;
	while (!lfp_list_empty(&op->conns))
		destroy(lfp_list_entry(op->conns.next, struct op_conn, place));
	uv_poll_stop(&op->poll);
	/* In this order: libuv removes the descriptor from its epoll set by number. */
	handle_close(inst, (uv_handle_t *)&op->poll);
	passed_end(op->listener);
	unlink(op->path);
	op->listener = -1;
	netstat_forget(inst->netstat);
}
