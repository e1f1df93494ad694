/* SPDX-License-Identifier: Apache-2.0 */
/* restore.c - tasks and sockets from saved state and the descriptors that came with it */
#include "lfpd/restart/restore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfpd/policy/rules.h"
#include "lfpd/policy/subject.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/datagram-via.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/paused.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/relimit.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/session.h"
#include "lfpd/users/task.h"

/* The host's socket of a record. */
struct host_socket {
	struct lfp_table_link node; /* in hosts by SO_COOKIE, later in unnamed by id */
	int fd;
};

static struct host_socket *host_of(struct lfp_table_link *node)
{
	return lfp_table_entry(node, struct host_socket, node);
}

/* The network namespace of a socket; 0 if the kernel does not tell (before Linux 5.14). */
static uint64_t netns_of(int fd)
{
	uint64_t cookie = 0;
#ifdef SO_NETNS_COOKIE
	socklen_t len = sizeof(cookie);

	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len))
		cookie = 0;
#else
	(void)fd;
#endif
	return cookie;
}

/* Returns whether the socket is in another network namespace, that of an earlier HOST_NETNS. */
static bool is_elsewhere(int fd)
{
	int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool elsewhere = probe >= 0 && netns_of(fd) != netns_of(probe);

	if (probe >= 0)
		close(probe);
	return elsewhere;
}

static int add_host(struct restore *from, int fd)
{
	struct host_socket *host = calloc(1, sizeof(*host));
	uint64_t cookie;
	socklen_t len = sizeof(cookie);
	int rc = -ENOMEM;

	if (!host)
		goto error;
	rc = getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ? -errno : 0;
	if (!rc && is_elsewhere(fd))
		rc = -EXDEV;
	/* The same socket twice: one descriptor is enough. */
	if (!rc && lfp_table_find(&from->hosts, cookie))
		rc = -EEXIST;
	if (rc)
		goto error;
	lfp_table_add(&from->hosts, &host->node, cookie);
	host->fd = fd;
	return 0;

error:
	free(host);
	close(fd);
	return rc;
}

/* Take it out of the table; it is the caller's then. NULL if it is not there. */
static struct host_socket *take_host(struct restore *from, uint64_t cookie)
{
	struct lfp_table_link *node = lfp_table_find(&from->hosts, cookie);

	if (node)
		lfp_table_remove(&from->hosts, node);
	return host_of(node);
}

static int check(const struct restore *from, const char **why)
{
	struct saved_reader reader;
	struct saved_record record;
	int rc = saved_open(&reader, from->bytes, from->len, why);

	if (rc)
		return rc;
	do
		rc = saved_next(&reader, &record, why);
	while (rc == 1);
	return rc;
}

int restore_init(struct restore *from, const struct suspended *what, const char **why)
{
	int rc;

	memset(from, 0, sizeof(*from));
	from->hosts.keys = from->unnamed.keys = LFP_KEYS_SPARSE;
	/* add_host() closes a descriptor that is no socket of ours. Its record is then left out. */
	for (size_t i = 0; i < what->nr; i++)
		(void)add_host(from, what->fds[i]);
	*why = "it is not in a sealed memory file";
	rc = saved_memory_map(what->memory, &from->bytes, &from->len);
	close(what->memory);
	if (!rc)
		rc = check(from, why);
	if (rc)
		restore_finish(from);
	return rc;
}

void restore_finish(struct restore *from)
{
	struct lfp_table_link *node;

	while ((node = lfp_table_any(&from->hosts))) {
		lfp_table_remove(&from->hosts, node);
		close(host_of(node)->fd);
		free(host_of(node));
	}
	while ((node = lfp_table_any(&from->unnamed))) {
		lfp_table_remove(&from->unnamed, node);
		free(host_of(node));
	}
	if (from->bytes)
		munmap((void *)(uintptr_t)from->bytes, from->len);
	from->bytes = NULL;
}

static enum socket_state state_of(unsigned int state)
{
	switch ((enum saved_state)state) {
	case SAVED_NEW:
		return SOCKET_NEW;
	case SAVED_CONNECTING:
		return SOCKET_CONNECTING;
	case SAVED_ESTABLISHED:
		return SOCKET_ESTABLISHED;
	case SAVED_LISTENING:
		return SOCKET_LISTENING;
	case SAVED_UDP:
		return SOCKET_DATAGRAM;
	case SAVED_LOST:
		return SOCKET_LOST;
	case SAVED_DEAD:
		return SOCKET_DEAD;
	case SAVED_ORPHAN:
		return SOCKET_ORPHAN;
	}
	return SOCKET_NEW;
}

/* Sets the saved state; a datagram socket already has it. */
static void set_state(struct socket *sock, unsigned int saved)
{
	enum socket_state state = state_of(saved);

	/* An orphan was a connection before. */
	if (state == SOCKET_ORPHAN)
		socket_set_state(sock, SOCKET_ESTABLISHED);
	if (state != sock->state)
		socket_set_state(sock, state);
}

/* Returns the upstream, whether the rules still have it or not, or NULL without memory. Release it
 * with upstream_drop(). */
static struct upstream *find_upstream(const struct socket *sock, const struct lfp_bytes *name)
{
	const struct rules *rules = sock->instance->rules;
	struct upstream *upstream;
	char text[UPSTREAM_NAME_MAX] = "";

	memcpy(text, name->ptr, name->len);
	upstream = rules ? rules_upstream(rules, text) : NULL;
	return upstream ? upstream_take(upstream) : upstream_named(text);
}

static void restore_upstream(struct socket *sock, const struct lfp_bytes *name)
{
	struct upstream *upstream = find_upstream(sock, name);

	socket_set_upstream(sock, upstream);
	upstream_drop(upstream);
}

/* A socket of datagrams has a peer behind an upstream. Its next datagram begins another
 * association. The names of addresses are gone, so the proxy gets the address. Returns 0 or a
 * negative errno. */
static int restore_peer(struct socket *sock, const struct saved_socket *saved)
{
	struct socket_way way = {.upstream = find_upstream(sock, &saved->upstream)};
	struct sockaddr_storage peer;
	int rc;

	if (!way.upstream)
		return -ENOMEM;
	(void)lfp_addr_to(&saved->peer, &peer);
	rc = datagram_via_restore(sock, &peer, &way);
	upstream_drop(way.upstream);
	return rc;
}

/* Sets what the saved record says; the state comes last, because it decides what is polled for.
 * Returns 0 or a negative errno. */
static int set_fields(struct socket *sock, const struct saved_socket *saved)
{
	char *interface = sock->policy.interface;
	socklen_t len = sizeof(sock->policy.interface);

	/* With HOST_INTERFACE the one to which it is bound, be it that of another HOST_INTERFACE.
	 * No interface is called "/": that of the socket is gone. Without the key a socket may be
	 * bound to an interface of the program's choice. */
	if (*interface) {
		memset(interface, 0, len);
		if (getsockopt(sock->fd, SOL_SOCKET, SO_BINDTODEVICE, interface, &len) ||
		    !*interface)
			strcpy(interface, "/");
	}
	sock->policy.restricted = saved->flags & SAVED_RESTRICTED;
	sock->policy.loopback = saved->flags & SAVED_LOOPBACK;
	memcpy(&sock->policy.hostid, saved->hostid.ip, 4);
	memcpy(&sock->policy.hostid6, saved->hostid6.ip, 16);
	if (saved->flags & SAVED_BOUND)
		socket_set_bound(sock, (enum policy_local)saved->local);
	sock->published = saved->published;
	sock->linger = (struct linger){.l_onoff = saved->linger_on, .l_linger = saved->linger};
	sock->sndbuf = saved->sndbuf;
	sock->rcvbuf = saved->rcvbuf;
	sock->epoch = saved->epoch;
	sock->in.consumed = saved->in_consumed;
	sock->in.received = saved->in_received;
	sock->in.reported = saved->in_reported;
	sock->in.window = saved->in_window;
	sock->in.threshold = saved->in_threshold;
	sock->out.sent = saved->out_sent;
	sock->out.consumed = saved->out_consumed;
	if (sock->is_datagram) {
		datagram_restore_peer(sock, saved);
	} else {
		if (saved->flags & SAVED_LISTENED)
			socket_set_listener(sock, LISTENER_LISTENS);
		if ((saved->flags & SAVED_LISTENED) && saved->state != SAVED_LISTENING)
			socket_end_listener(sock);
		sock->listener.credits = saved->accepts;
		stream_restore(sock, saved);
	}
	/* Without its upstream it would send to the proxy what is for the peer. */
	if (saved->upstream.len && sock->is_datagram)
		return restore_peer(sock, saved);
	if (saved->upstream.len)
		restore_upstream(sock, &saved->upstream);
	if (saved->state == SAVED_CONNECTING || saved->upstream.len)
		sock->stream.peer_len = lfp_addr_to(&saved->peer, &sock->stream.peer);
	set_state(sock, saved->state);
	return 0;
}

/* Of the maker the user is still known, and the task. */
static int set_maker(struct socket *sock, uint32_t uid)
{
	const struct subject_facts facts = {
		.has_task = sock->who && sock->who->has_task,
		.task = sock->who ? sock->who->task : 0,
		.uid = uid,
	};
	struct subject *who =
		uid == SUBJECT_UID_UNKNOWN ? subject_keep(subject_unknown()) : subject_make(&facts);

	if (!who)
		return -ENOMEM;
	socket_set_who(sock, who);
	subject_drop(who);
	return 0;
}

/* By the same rules the socket has the limit that it had, though its program is not known any more.
 */
static void restore_limit(struct socket *sock, const struct saved_socket *saved)
{
	const struct rules *rules = sock->instance->rules;
	struct rules_question question = {.act = RULES_CONNECT};

	if (!rules || rules_digest(rules) != saved->rules) {
		relimit(sock);
		return;
	}
	question.limited = rules_limited(rules, saved->limit);
	metered_go_on(sock, &question);
}

/* NULL without memory; @fd belongs to the socket, or is closed. */
static struct socket *make_socket(struct instance *inst, struct session *session,
				  const struct saved_socket *saved, int fd)
{
	int family = lfp_family_to(saved->family);
	struct socket *sock;

	if (session)
		sock = socket_adopt(session, saved->id, fd, family, saved->uid);
	else
		sock = socket_create(inst, fd, family, saved->uid);
	if (!sock)
		return NULL;
	sock->node.key = saved->id;
	if (saved->state == SAVED_UDP && datagram_init(sock)) {
		socket_release(sock, false);
		return NULL;
	}
	if (set_fields(sock, saved)) {
		socket_release(sock, false);
		return NULL;
	}
	if (session && saved->task)
		socket_take_owner(sock, saved->task);
	if (socket_uid(sock) != saved->maker && set_maker(sock, saved->maker)) {
		socket_release(sock, false);
		return NULL;
	}
	logged_resume(sock);
	restore_limit(sock, saved);
	return sock;
}

/* NULL if the descriptor is missing, or memory. */
static struct socket *restore_socket(struct restore *from, struct instance *inst,
				     struct session *session, const struct saved_socket *saved)
{
	struct host_socket *host = take_host(from, saved->cookie);
	struct socket *sock = host ? make_socket(inst, session, saved, host->fd) : NULL;

	if (sock && session) {
		lfp_table_add(&from->unnamed, &host->node, saved->id);
		return sock;
	}
	free(host);
	return sock;
}

/* Adds a record to the socket before it. Without memory the socket is released: it is incomplete.
 */
static struct socket *add_to(struct socket *sock, const struct saved_record *record)
{
	int rc = 0;

	/* Questions come after all sockets. */
	if (!sock || (record->kind == SAVED_RECORD_frame && record->frame.role == SAVED_QUESTION))
		return NULL;
	if (sock->is_datagram)
		rc = datagram_restore(sock, record);
	else if (record->kind == SAVED_RECORD_bytes)
		rc = queue_append(&sock->stream.queue, &sock->instance->pool,
				  record->bytes.payload.ptr, record->bytes.payload.len);
	if (!rc)
		return sock;
	socket_release(sock, true);
	return NULL;
}

static bool is_orphan(const struct saved_record *record)
{
	return record->socket.state == SAVED_ORPHAN;
}

void restore_orphans(struct restore *from, struct instance *inst, struct saved_session *session)
{
	struct saved_reader reader;
	struct saved_record record;
	struct socket *sock = NULL, *next;
	const char *why;

	(void)saved_open(&reader, from->bytes, from->len, &why);
	while (saved_next(&reader, &record, &why) == 1) {
		if (record.kind == SAVED_RECORD_session)
			*session = record.session;
		else if (record.kind != SAVED_RECORD_socket)
			sock = add_to(sock, &record);
		else if (!is_orphan(&record))
			sock = NULL;
		else {
			sock = restore_socket(from, inst, NULL, &record.socket);
			if (!sock)
				continue;
			sock->stream.progress = uv_now(inst->loop);
			lfp_list_append(&inst->orphans, &sock->stream.entry);
		}
	}
	for (sock = lfp_list_first_entry(&inst->orphans, struct socket, stream.entry); sock;
	     sock = next) {
		next = lfp_list_next_entry(&inst->orphans, sock, stream.entry);
		socket_arm(sock);
	}
	if (!lfp_list_empty(&inst->orphans))
		idle_tick(inst);
}

void restore_session(struct restore *from, struct session *session)
{
	struct saved_reader reader;
	struct saved_record record;
	struct socket *sock = NULL;
	const char *why;

	(void)saved_open(&reader, from->bytes, from->len, &why);
	while (saved_next(&reader, &record, &why) == 1) {
		if (record.kind == SAVED_RECORD_task)
			task_restore(session, &record.task);
		else if (record.kind != SAVED_RECORD_socket)
			sock = add_to(sock, &record);
		else if (is_orphan(&record) || lfp_table_find(&session->sockets, record.socket.id))
			sock = NULL;
		else
			sock = restore_socket(from, session->instance, session, &record.socket);
	}
}

bool restore_name(struct restore *from, uint64_t id)
{
	struct lfp_table_link *node = lfp_table_find(&from->unnamed, id);

	if (!node)
		return false;
	lfp_table_remove(&from->unnamed, node);
	free(host_of(node));
	return true;
}

size_t restore_drop_unnamed(struct restore *from, struct session *session)
{
	struct lfp_table_link *node, *sock;
	size_t nr = 0;

	while ((node = lfp_table_any(&from->unnamed))) {
		sock = lfp_table_find(&session->sockets, node->key);
		if (sock) {
			socket_release(socket_of(sock), true);
			nr++;
		}
		lfp_table_remove(&from->unnamed, node);
		free(host_of(node));
	}
	return nr;
}

void restore_questions(struct restore *from, struct session *session)
{
	struct saved_reader reader;
	struct saved_record record;
	struct lfp_frame frame;
	const char *why;

	(void)saved_open(&reader, from->bytes, from->len, &why);
	while (saved_next(&reader, &record, &why) == 1) {
		if (record.kind != SAVED_RECORD_frame || record.frame.role != SAVED_QUESTION)
			continue;
		saved_get_frame(&record.frame, &frame);
		session->ops->ask_again(session, &frame);
	}
}
