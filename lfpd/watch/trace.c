/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - a trace of the path: frames into a ring file, without holding up the loop */
#include "lfpd/watch/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfp/addr.h"
#include "lfp/log.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "lfpd/users/task.h"
#include "lfpd/watch/trace-file.h"

/*
 * Theory of operation
 *
 * The loop copies the wanted part of each frame into a ring in memory and never waits: a frame
 * without room is lost, and counted. A thread (trace-file.c) takes the records from there to the
 * file. It tells the loop by an async handle when the file is open, and when it has ended; so
 * neither opening nor the last write can hold up the loop.
 *
 * While no trace runs the path has no function to call.
 */

struct trace {
	struct instance *instance; /* NULL: it has ended, free the memory with the handle */
	enum trace_state state;
	struct lfp_trace_filter filter;
	struct trace_file file;
	uv_async_t async;
	bool has_async;
	int error; /* why the last one did not begin or has ended, or 0 */
	uint64_t records;
	char path[LFP_PLACE_MAX];
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* Shared memory may change: what was read before is not read again. */
#define READ_ONCE() __asm__ __volatile__("" ::: "memory")

/* Returns true if the conditions fit this task. */
static bool fits(const struct lfp_trace_filter *filter, const struct task *task)
{
	return (filter->any_task || task->id == filter->task) &&
	       (!filter->pid || task->pid == filter->pid) &&
	       (!*filter->program || !strcmp(task->program, filter->program));
}

/* Returns true if the frame begins such a task. Copies the frame first, because the peer may change
 * it. */
static bool begins(const struct lfp_trace_filter *filter, const struct session *session,
		   const uint8_t *frame, uint32_t len)
{
	uint8_t copy[LFP_FRAME_HEADER + 128];
	struct lfp_frame begin;
	struct task task;
	const char *why;

	if (len > sizeof(copy))
		return false;
	memcpy(copy, frame, len);
	READ_ONCE();
	if (lfp_frame_decode(copy, len, LFP_FROM_VSE, &begin, &why) <= 0 ||
	    begin.code != LFP_TASK_BEGIN)
		return false;
	task = (struct task){.id = begin.task_begin.id, .pid = begin.task_begin.pid};
	task_set_program(session->instance, &task, &begin.task_begin.program);
	return fits(filter, &task);
}

/* A frame is of the task that asks, or of that to which its socket belongs. */
static bool is_of_task(const struct lfp_trace_filter *filter, const struct session *session,
		       const struct lfp_frame *head)
{
	const struct task *task = NULL;
	struct lfp_table_link *node;

	if (head->task) {
		task = task_find(session, head->task);
	} else {
		node = lfp_table_find(&session->sockets, head->sock);
		task = node ? socket_owner(socket_of(node)) : NULL;
	}
	return task && fits(filter, task);
}

/* A task that begins in this packet, and its socket: the session knows neither before the packet
 * has been traced. 0: none. */
struct newcomer {
	uint32_t task;
	uint64_t sock;
};

static bool is_of_wanted_task(const struct lfp_trace_filter *filter, const struct session *session,
			      const struct lfp_frame *head, const uint8_t *frame, uint32_t len,
			      struct newcomer *new)
{
	if (head->code == LFP_TASK_BEGIN) {
		if (!begins(filter, session, frame, len))
			return false;
		*new = (struct newcomer){.task = head->task};
		return true;
	}
	if (new->task && head->task == new->task) {
		new->sock = head->sock;
		return true;
	}
	if (new->sock && !head->task && head->sock == new->sock)
		return true;
	return is_of_task(filter, session, head);
}

/* @head is made of a copy of the frame's header. */
static bool wanted(const struct trace *trace, const struct session *session,
		   const struct lfp_frame *head, const uint8_t *frame, uint32_t len,
		   struct newcomer *new)
{
	const struct lfp_trace_filter *filter = &trace->filter;

	if (lfp_trace_names_task(filter) &&
	    !is_of_wanted_task(filter, session, head, frame, len, new))
		return false;
	return lfp_trace_wants_kind(filter, head->code) &&
	       (filter->any_socket || head->sock == filter->socket);
}

static bool is_joined(const struct session *session, const struct lfp_frame *head)
{
	struct lfp_table_link *node =
		head->code == LFP_DATA ? lfp_table_find(&session->sockets, head->sock) : NULL;

	return node && !socket_of(node)->is_datagram && socket_of(node)->stream.joined.other;
}

static void take(struct trace *trace, const struct lfp_trace_record *record, const uint8_t *packet,
		 const uint8_t *frame)
{
	uint8_t *at = trace_file_reserve(&trace->file, LFP_TRACE_RECORD_HEAD + record->kept);

	if (!at)
		return;
	lfp_trace_record_encode(record, at);
	memcpy(at + LFP_TRACE_RECORD_HEAD - LFP_PACKET_HEADER, packet, LFP_PACKET_HEADER);
	if (record->kept)
		memcpy(at + LFP_TRACE_RECORD_HEAD, frame, record->kept);
	trace_file_commit(&trace->file);
	trace->records++;
}

static void on_packet(void *data, struct path *path, bool sent, const uint8_t *packet, size_t len,
		      size_t there)
{
	struct trace *trace = data;
	const struct lfp_trace_filter *filter = &trace->filter;
	const struct session *session = path_data(path);
	struct lfp_trace_record record = {.time = now_ns(), .sent = sent};
	struct newcomer new = {.task = 0};
	size_t at = LFP_PACKET_HEADER, start;

	if (len == at && !lfp_trace_names_task(filter) && filter->any_socket &&
	    lfp_trace_wants_kind(filter, 0))
		take(trace, &record, packet, packet);
	while (len - at >= LFP_FRAME_HEADER) {
		const uint8_t *frame = packet + at;
		uint8_t copy[LFP_FRAME_HEADER];
		struct lfp_frame head;
		uint32_t length, keep;

		memcpy(copy, frame, sizeof(copy));
		READ_ONCE();
		length = lfp_frame_head(copy, &head);
		/* A frame that breaks the protocol is traced, too, before it ends the path. */
		if (length < LFP_FRAME_HEADER || length > len - at)
			length = (uint32_t)(len - at);
		start = at;
		at += length;
		if (!wanted(trace, session, &head, frame, length, &new))
			continue;
		keep = lfp_trace_head(head.code);
		if (lfp_is_data(head.code))
			keep += filter->payload;
		if (keep > LFP_TRACE_RECORD_MAX - LFP_TRACE_RECORD_HEAD)
			keep = LFP_TRACE_RECORD_MAX - LFP_TRACE_RECORD_HEAD;
		if (keep > there - start)
			keep = (uint32_t)(there - start);
		record.joined = is_joined(session, &head);
		record.frame_len = length;
		record.kept = length < keep ? length : keep;
		take(trace, &record, packet, frame);
	}
}

static void put_note(struct trace *trace, const struct lfp_frame *frame)
{
	uint8_t packet[LFP_PACKET_HEADER] = {0}, buf[LFP_FRAME_HEADER + 256];
	int len = lfp_frame_encode(frame, buf, sizeof(buf));
	struct lfp_trace_record record = {.time = now_ns(), .sent = true, .note = true};

	if (len <= 0)
		return;
	record.frame_len = record.kept = (uint32_t)len;
	take(trace, &record, packet, buf);
}

/* Notes the task of a socket, which may have begun before the trace. The name of its program is
 * ASCII, not in the path's code page. */
static void note_task(struct trace *trace, uint32_t number, const struct task *task)
{
	struct lfp_frame frame = {
		.code = LFP_TASK_BEGIN,
		.request = 1, /* any: it must have one */
		.task = number,
		.task_begin = {.pid = task->pid, .uid = task->uid, .id = task->id},
	};

	memcpy(frame.task_begin.partition, task->partition, sizeof(task->partition));
	frame.task_begin.program.ptr = (const uint8_t *)task->program;
	frame.task_begin.program.len = (uint16_t)strlen(task->program);
	put_note(trace, &frame);
}

/* Notes the host's names of a socket, which the path may never have. */
static void on_named(struct socket *sock)
{
	struct trace *trace = sock->instance->trace;
	const struct lfp_trace_filter *filter = &trace->filter;
	const struct task *task = socket_owner(sock);
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME_REPLY,
				  .request = 1,
				  .task = task ? sock->task : 0,
				  .sock = sock->node.key,
				  .epoch = sock->epoch};
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	sock->named = true;
	if ((!filter->any_socket && sock->node.key != filter->socket) ||
	    (lfp_trace_names_task(filter) && (!task || !fits(filter, task))))
		return;
	if (task)
		note_task(trace, sock->task, task);
	if (!getsockname(sock->fd, (struct sockaddr *)&addr, &len) &&
	    !lfp_addr_from(&frame.name.addr, (struct sockaddr *)&addr, len))
		put_note(trace, &frame);
	len = sizeof(addr);
	frame.code = LFP_GETPEERNAME_REPLY;
	if (!socket_peername(sock, (struct sockaddr *)&addr, &len) &&
	    !lfp_addr_from(&frame.name.addr, (struct sockaddr *)&addr, len))
		put_note(trace, &frame);
}

/* Notes the names of the sockets that are there already. Only a trace with data has use for names.
 */
static void note_all(struct trace *trace)
{
	struct instance *inst = trace->instance;
	struct lfp_table_link *node = NULL;

	if (!trace->filter.any_kind || !trace->filter.payload)
		return;
	inst->on_named = on_named;
	while (inst->session && (node = lfp_table_next(&inst->session->sockets, node)))
		on_named(socket_of(node));
}

static void on_closed(uv_handle_t *handle)
{
	struct trace *trace = handle->data;

	trace->has_async = false;
	if (!trace->instance)
		free(trace);
}

/* The thread has ended. */
static void end(struct trace *trace)
{
	struct instance *inst = trace->instance;

	trace_file_join(&trace->file);
	trace->state = TRACE_OFF;
	trace->error = trace->file.error;
	uv_close((uv_handle_t *)&trace->async, on_closed);
	if (!inst)
		return;
	inst->tap.packet = NULL;
	inst->on_named = NULL;
	inst->counters.trace_records += trace->records;
	inst->counters.trace_lost += trace_file_lost(&trace->file);
	if (trace->error)
		lfp_msg("VLFD141E",
			"The trace of instance %s has ended, because %s cannot be written: %s.",
			inst->config.iucv_src_appname, trace->path, strerror(trace->error));
	else
		lfp_msg("VLFD142I", "The trace of instance %s has ended: %s.",
			inst->config.iucv_src_appname, trace->path);
}

static void on_async(uv_async_t *async)
{
	struct trace *trace = async->data;

	if (trace->state == TRACE_OFF)
		return;
	if (trace_file_has_ended(&trace->file)) {
		end(trace);
	} else if (trace->state == TRACE_STARTING) {
		trace->state = TRACE_ON;
		trace->instance->tap.data = trace;
		trace->instance->tap.payload = trace->filter.payload > 0;
		trace->instance->tap.packet = on_packet;
		note_all(trace);
		lfp_msg("VLFD140I", "A trace of instance %s has begun: %s.",
			trace->instance->config.iucv_src_appname, trace->path);
	}
}

static void tell(void *data)
{
	struct trace *trace = data;

	uv_async_send(&trace->async);
}

static int find_place(const struct instance *inst, char path[static LFP_PLACE_MAX])
{
	if (*inst->config.trace_file) {
		snprintf(path, LFP_PLACE_MAX, "%s", inst->config.trace_file);
		return 0;
	}
	return lfp_place_lfpd(path, inst->config.iucv_src_appname, "trace");
}

int trace_start(struct instance *inst, const struct lfp_trace_filter *filter)
{
	struct trace *trace = inst->trace;
	int rc;

	if (!trace) {
		trace = inst->trace = calloc(1, sizeof(*trace));
		if (!trace)
			return -ENOMEM;
		trace->instance = inst;
	}
	if (trace->state != TRACE_OFF || trace->has_async)
		return -EBUSY;
	rc = find_place(inst, trace->path);
	if (rc)
		return rc;
	rc = uv_async_init(inst->loop, &trace->async, on_async);
	if (rc)
		return rc;
	trace->has_async = true;
	trace->async.data = trace;
	trace->filter = *filter;
	trace->records = 0;
	trace->error = 0;
	trace->state = TRACE_STARTING;
	rc = trace_file_start(&trace->file, trace->path, inst->config.trace_size,
			      inst->config.iucv_src_appname, inst->admin_gid, tell, trace);
	if (rc) {
		trace->state = TRACE_OFF;
		uv_close((uv_handle_t *)&trace->async, on_closed);
	}
	return rc;
}

void trace_stop(struct instance *inst)
{
	struct trace *trace = inst->trace;

	if (!trace || (trace->state != TRACE_STARTING && trace->state != TRACE_ON))
		return;
	inst->tap.packet = NULL;
	inst->on_named = NULL;
	trace->state = TRACE_STOPPING;
	trace_file_stop(&trace->file);
}

void trace_finish(struct instance *inst)
{
	struct trace *trace = inst->trace;

	if (!trace)
		return;
	trace_stop(inst);
	inst->trace = NULL;
	if (trace->state != TRACE_OFF && trace_file_wait(&trace->file))
		end(trace);
	trace->instance = NULL;
	if (!trace->has_async)
		free(trace);
}

bool trace_is_on(const struct instance *inst)
{
	return inst->trace && inst->trace->state == TRACE_ON;
}

uint64_t trace_records(const struct instance *inst)
{
	bool on = inst->trace && inst->trace->state != TRACE_OFF;

	return inst->counters.trace_records + (on ? inst->trace->records : 0);
}

uint64_t trace_lost(const struct instance *inst)
{
	bool on = inst->trace && inst->trace->state != TRACE_OFF;

	return inst->counters.trace_lost + (on ? trace_file_lost(&inst->trace->file) : 0);
}

void trace_answer(const struct instance *inst, FILE *out)
{
	static const char *const names[] = {"off", "starting", "running", "stopping"};
	const struct trace *trace = inst->trace;
	char place[LFP_PLACE_MAX] = "";

	fprintf(out, "trace\t%s\n", names[trace ? trace->state : TRACE_OFF]);
	if (!trace) {
		(void)find_place(inst, place);
		fprintf(out, "trace_file\t%s\n", place);
		return;
	}
	fprintf(out, "trace_file\t%s\n", trace->path);
	if (trace->error)
		fprintf(out, "trace_error\t%s\n", strerror(trace->error));
	fprintf(out, "trace_filter\t");
	lfp_trace_filter_print(&trace->filter, out);
	fprintf(out, "\ntrace_records\t%" PRIu64 "\n", trace->records);
	fprintf(out, "trace_lost\t%" PRIu64 "\n", trace_file_lost(&trace->file));
}
