/* SPDX-License-Identifier: Apache-2.0 */
/* suspend.c - ending an instance so that another lfpd can go on with its session */
#include "lfpd/restart/suspend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/log.h"
#include "lfp/daemon.h"
#include "lfpd/names/resolver-job.h"
#include "lfpd/saved/saved.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/datagram-via.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/life.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/nagle.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/session.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * SUSPEND asks the z/VSE side to send what it still has. From then on the host's sockets rest, and
 * frames are handled as always: data that the host does not take is queued. The other side's
 * SUSPENDED is its last frame, so then nothing is on its way to us; ours is our last one, and the
 * other side says BYE when it has it, so then nothing is on its way to there. Only now the state is
 * saved. A socket's bytes are thus in the host's kernel, in the saved queue, or with the z/VSE
 * side, each in one place.
 *
 * All requests are answered before our SUSPENDED, but for questions about names, which are saved
 * as they came and asked again.
 */

struct saver {
	FILE *out;
	uint64_t records;
	int *fds;
	size_t nr;
};

static int put(struct saver *saver, const struct saved_record *record)
{
	saver->records++;
	return saved_put(saver->out, record);
}

static int save_session(struct saver *saver, const struct session *session)
{
	struct saved_record record = {.kind = SAVED_RECORD_session};
	struct saved_session *saved = &record.session;

	/* Only orphans: the rest is without meaning. */
	*saved = (struct saved_session){
		.mtu = LFP_MTU_MIN,
		.msglimit = 1,
		.window = 4096,
		.threshold = 1,
		.next_accept = 1,
	};
	if (session) {
		saved->id = session->id;
		memcpy(saved->vmid, session->hello.vmid, sizeof(saved->vmid));
		memcpy(saved->appname, session->hello.appname, sizeof(saved->appname));
		saved->mtu = path_mtu(session->path);
		saved->msglimit = path_msglimit(session->path);
		saved->window = session->peer_window;
		saved->threshold = session->hello.threshold;
		saved->last_id = session->last_id;
		saved->next_accept = session->next_accept;
	}
	return put(saver, &record);
}

static int save_tasks(struct saver *saver, const struct session *session)
{
	int rc = 0;

	for (const struct task *task = task_next(session, NULL); task && !rc;
	     task = task_next(session, task)) {
		struct saved_record record = {
			.kind = SAVED_RECORD_task,
			.task = {.number = (uint32_t)task->node.key,
				 .id = task->id,
				 .pid = task->pid,
				 .uid = task->uid,
				 .program = {(const uint8_t *)task->program,
					     (uint32_t)strlen(task->program)}},
		};

		memcpy(record.task.partition, task->partition, sizeof(task->partition));
		rc = put(saver, &record);
	}
	return rc;
}

static uint8_t state_of(const struct socket *sock)
{
	switch (sock->state) {
	case SOCKET_NEW:
		return SAVED_NEW;
	case SOCKET_CONNECTING:
		return SAVED_CONNECTING;
	case SOCKET_ESTABLISHED:
		return SAVED_ESTABLISHED;
	case SOCKET_LISTENING:
		return SAVED_LISTENING;
	case SOCKET_DATAGRAM:
		return SAVED_UDP;
	case SOCKET_LOST:
		return SAVED_LOST;
	case SOCKET_DEAD:
		return SAVED_DEAD;
	case SOCKET_ORPHAN:
		return SAVED_ORPHAN;
	case SOCKET_RELEASED:
		break;
	}
	return 0;
}

/* The flags of a stream or a listener. */
static uint32_t stream_flags(const struct socket *sock)
{
	const struct socket_stream *stream = &sock->stream;

	return (stream->gated ? SAVED_GATED : 0u) |
	       (stream->gated == RULES_BY_HTTP ? SAVED_BY_HTTP : 0u) |
	       (stream->accepted ? SAVED_ACCEPTED : 0u) | (stream->more ? SAVED_MORE : 0u) |
	       (stream->joined.was ? SAVED_JOINED : 0u) | (stream->has_urgent ? SAVED_URGENT : 0u) |
	       (stream->to_host_end != TO_OPEN ? SAVED_END_QUEUED : 0u) |
	       (stream->to_host_end == TO_END_SENT ? SAVED_END_SENT : 0u) |
	       (sock->listener.state != LISTENER_NEVER ? SAVED_LISTENED : 0u);
}

static uint32_t datagram_flags(const struct socket *sock)
{
	return sock->dgram->connected ? SAVED_CONNECTED : 0u;
}

static uint32_t flags_of(const struct socket *sock)
{
	return (sock->bound ? SAVED_BOUND : 0u) |
	       (socket_aborts_on_close(sock) ? SAVED_ABORT : 0u) |
	       (from_host_is_shut(sock->from_host) ? SAVED_READ_SHUT : 0u) |
	       (from_host_ended(sock->from_host) ? SAVED_EOF : 0u) |
	       (sock->policy.restricted ? SAVED_RESTRICTED : 0u) |
	       (sock->policy.loopback ? SAVED_LOOPBACK : 0u) |
	       (sock->is_datagram ? datagram_flags(sock) : stream_flags(sock));
}

static void save_policy(struct saved_socket *saved, const struct socket *sock)
{
	static const struct in6_addr none = IN6ADDR_ANY_INIT;

	if (sock->policy.hostid.s_addr) {
		saved->hostid.family = LFP_AF_INET;
		memcpy(saved->hostid.ip, &sock->policy.hostid, 4);
	}
	if (memcmp(&sock->policy.hostid6, &none, sizeof(none)) != 0) {
		saved->hostid6.family = LFP_AF_INET6;
		memcpy(saved->hostid6.ip, &sock->policy.hostid6, 16);
	}
	saved->local = (uint8_t)sock->local;
}

static int save_queue(struct saver *saver, struct byte_queue *queue, struct buffer_pool *pool)
{
	int error = queue_empty_pipes(queue, pool);

	if (error)
		return error;
	for (const struct buffer *at = queue->head; at; at = at->next) {
		struct saved_record record = {
			.kind = SAVED_RECORD_bytes,
			.bytes.payload = {at->data + at->start, at->end - at->start},
		};
		int rc = at->end > at->start ? put(saver, &record) : 0;

		if (rc)
			return rc;
	}
	return 0;
}

static void save_stream(struct saved_socket *saved, struct socket *sock)
{
	nagle_let(sock);
	saved->joined_out = sock->stream.joined.out;
	saved->joined_in = sock->stream.joined.in;
	saved->urgent_at = sock->stream.urgent_at;
	saved->credit = sock->stream.credit;
	saved->accepts = sock->listener.credits;
	saved->error = (uint16_t)sock->stream.broken;
	if (sock->stream.upstream &&
	    (sock->state == SOCKET_ESTABLISHED || sock->state == SOCKET_ORPHAN)) {
		saved->upstream.ptr = (const uint8_t *)sock->stream.upstream->name;
		saved->upstream.len = (uint32_t)strlen(sock->stream.upstream->name);
	}
	if (sock->state == SOCKET_CONNECTING || saved->upstream.len)
		(void)lfp_addr_from(&saved->peer, (const struct sockaddr *)&sock->stream.peer,
				    sock->stream.peer_len);
}

static void save_datagrams(struct saved_socket *saved, const struct socket *sock)
{
	const struct datagrams *dg = sock->dgram;

	saved->error = (uint16_t)dg->send_error;
	if (!dg->behind.family)
		return;
	saved->peer = dg->behind;
	saved->upstream.ptr = (const uint8_t *)dg->behind_upstream->name;
	saved->upstream.len = (uint32_t)strlen(dg->behind_upstream->name);
}

static void save_limit(struct saved_socket *saved, struct socket *sock)
{
	const struct instance *inst = sock->instance;

	if (!inst->rules)
		return;
	if (sock->is_datagram)
		datagram_host_at_peer(sock);
	saved->rules = rules_digest(inst->rules);
	if (sock->metered && sock->metered->meter->rules == inst->rules_serial)
		saved->limit = sock->metered->meter->line;
}

static int save_socket(struct saver *saver, struct socket *sock)
{
	const struct task *task = socket_owner(sock);
	struct saved_record record = {
		.kind = SAVED_RECORD_socket,
		.socket = {.id = sock->node.key,
			   .epoch = sock->epoch,
			   .state = state_of(sock),
			   .family = (uint16_t)lfp_family_from(sock->family),
			   .task = task ? (uint32_t)task->node.key : 0,
			   .uid = sock->share->base.uid,
			   .maker = socket_uid(sock),
			   .flags = flags_of(sock),
			   .linger_on = sock->linger.l_onoff,
			   .linger = sock->linger.l_linger,
			   .sndbuf = sock->sndbuf,
			   .rcvbuf = sock->rcvbuf,
			   .in_received = sock->in.received,
			   .in_consumed = sock->in.consumed,
			   .in_reported = sock->in.reported,
			   .in_window = sock->in.window,
			   .in_threshold = sock->in.threshold,
			   .published = sock->published,
			   .out_sent = sock->out.sent,
			   .out_consumed = sock->out.consumed},
	};
	socklen_t len = sizeof(record.socket.cookie);
	int rc;

	if (getsockopt(sock->fd, SOL_SOCKET, SO_COOKIE, &record.socket.cookie, &len))
		return -errno;
	save_policy(&record.socket, sock);
	save_limit(&record.socket, sock);
	if (sock->is_datagram)
		save_datagrams(&record.socket, sock);
	else
		save_stream(&record.socket, sock);
	rc = put(saver, &record);
	if (rc)
		return rc;
	return sock->is_datagram ? datagram_save(sock, saver->out, &saver->records)
				 : save_queue(saver, &sock->stream.queue, &sock->instance->pool);
}

static int save_questions(struct saver *saver, const struct session *session)
{
	struct resolver_job *job;
	int rc = 0;

	lfp_list_each(job, &session->jobs, entry) {
		struct saved_record record = {
			.kind = SAVED_RECORD_frame,
			.frame = {.role = SAVED_QUESTION,
				  .frame = {job->question, job->question_len}},
		};

		if (job->question && !rc)
			rc = put(saver, &record);
	}
	return rc;
}

static int save_all(struct saver *saver, struct instance *inst)
{
	struct session *session = inst->session;
	struct lfp_table_link *node = NULL;
	struct saved_record end = {.kind = SAVED_RECORD_end};
	struct socket *orphan;
	int rc = saved_put_head(saver->out);

	if (!rc)
		rc = save_session(saver, session);
	if (!rc && session)
		rc = save_tasks(saver, session);
	while (!rc && session && (node = lfp_table_next(&session->sockets, node)))
		rc = save_socket(saver, socket_of(node));
	lfp_list_each(orphan, &inst->orphans, stream.entry) {
		if (!rc)
			rc = save_socket(saver, orphan);
	}
	if (!rc && session)
		rc = save_questions(saver, session);
	end.end.records = saver->records + 1;
	return rc ? rc : put(saver, &end);
}

static void take_descriptors(struct saver *saver, struct instance *inst)
{
	struct lfp_table_link *node;
	struct socket *orphan;

	while (inst->session && (node = lfp_table_any(&inst->session->sockets)))
		saver->fds[saver->nr++] = socket_detach(socket_of(node));
	while ((orphan = lfp_list_first_entry(&inst->orphans, struct socket, stream.entry)))
		saver->fds[saver->nr++] = socket_detach(orphan);
}

static int write_memory(struct saver *saver, struct instance *inst, int memory)
{
	int copy = dup(memory), rc;

	saver->out = copy < 0 ? NULL : fdopen(copy, "w");
	if (!saver->out) {
		rc = -errno;
		if (copy >= 0)
			close(copy);
		return rc;
	}
	rc = save_all(saver, inst);
	if (fclose(saver->out) && !rc)
		rc = -errno;
	return rc ? rc : saved_memory_seal(memory);
}

static int save(struct instance *inst, struct suspended *what)
{
	struct saver saver = {.records = 0};
	int memory = saved_memory_create(), rc;

	if (memory < 0)
		return memory;
	saver.fds = calloc(inst->nr_sockets + 1, sizeof(*saver.fds));
	rc = saver.fds ? write_memory(&saver, inst, memory) : -ENOMEM;
	if (rc) {
		free(saver.fds);
		close(memory);
		return rc;
	}
	take_descriptors(&saver, inst);
	*what = (struct suspended){.memory = memory, .fds = saver.fds, .nr = saver.nr};
	return 0;
}

void suspend_finish(struct instance *inst)
{
	suspend_done done = inst->suspend_done;
	struct suspended what;
	int rc;

	inst->suspend_done = NULL;
	inst->stopping = true;
	rc = save(inst, &what);
	if (rc)
		lfp_msg("VLFD150E",
			"Cannot keep the session of instance %s: %s. Its sockets are reset.",
			inst->config.iucv_src_appname, strerror(-rc));
	if (inst->session)
		inst->session->ops->end(inst->session, rc ? "the session cannot be kept" : NULL);
	done(inst, rc, rc ? NULL : &what);
	if (!rc)
		free(what.fds);
}

void suspend_say_lost(const struct session *session, const char *why)
{
	lfp_msg("VLFD154W",
		"The session of %s of %s ends with the restart: %s. Its sockets are reset.",
		session->hello.appname, session->hello.vmid, why);
}

/* The next lfpd cannot go on in the middle of the talk with a proxy. */
static void rest(struct socket *sock)
{
	if (sock->state == SOCKET_CONNECTING && sock->stream.via)
		connect_give_up(sock, SHUT_RDWR);
	if (sock->is_datagram)
		datagram_via_rest(sock);
	joined_part(sock);
	socket_rest(sock);
}

static void rest_all(struct session *session)
{
	struct lfp_table_link *node = NULL;

	while ((node = lfp_table_next(&session->sockets, node)))
		rest(socket_of(node));
}

void suspend_begin(struct instance *inst, suspend_done done)
{
	const struct lfp_frame frame = {.code = LFP_SUSPEND};
	struct session *session = inst->session;
	struct socket *orphan;

	inst->suspend_done = done;
	/* The state that the lfpd before has left is not resumed yet. resume.c calls this again. */
	if (inst->resume)
		return;
	inst->rests = true;
	lfp_list_each(orphan, &inst->orphans, stream.entry)
		socket_rest(orphan);
	if (!session) {
		suspend_finish(inst);
		return;
	}
	if (!(session->features & LFP_FEATURE_RESUME) || session->phase != PHASE_RUNS) {
		suspend_say_lost(session, "the z/VSE side does not hold it (HoldTime is 0)");
		session->ops->end(session, "lfpd ends");
		return;
	}
	rest_all(session);
	session->phase = PHASE_SUSPENDING;
	session_send(session, &frame);
	session_start_timer(session, LFP_SUSPEND_MS);
}

int suspend_handle_suspended(struct session *session, const struct lfp_frame *frame,
			     const char **why)
{
	const struct lfp_frame reply = {.code = LFP_SUSPENDED};

	(void)frame;
	if (session->phase != PHASE_SUSPENDING) {
		*why = "SUSPENDED without SUSPEND";
		return -EPROTO;
	}
	/* A CONNECT that crossed SUSPEND may have begun a talk with a proxy. */
	rest_all(session);
	session_send(session, &reply);
	session->phase = PHASE_SUSPENDED;
	return 0;
}
