/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - supervisors that guard the connections of their programs */
#include "ijblfp/ctl/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/ctl.h"
#include "lfp/log.h"
#include "lfp/rights.h"
#include "lfp/share.h"
#include "transport/passed.h"

#define GUARDS_MAX       512u
#define DESCRIPTORS_PART 16u    /* and at most this part of the descriptors */
#define CONNECTIONS_MAX  16384u /* of one guard */
#define SEND_BUFFER      32768  /* bounds the far ends that wait for a guard that does not read */
#define SAY_MS           60000u

struct guard {
	struct lfp_list place;
	struct ctl_conn *conn;
	uint32_t number;
	pid_t pid;
	uid_t uid;
	unsigned int nr;            /* connections */
	struct lfp_ctl_guard *late; /* messages for which the guard had no room */
	size_t nr_late, room_late;
};

static struct guard *find_number(struct instance *inst, uint32_t number)
{
	struct guard *guard;

	if (!number)
		return NULL;
	lfp_list_each(guard, &inst->ctl->guards.list, place)
		if (guard->number == number)
			return guard;
	return NULL;
}

/* Logs lost messages at most once a minute, with their number. */
static void missed(struct instance *inst, uint64_t count, const char *why)
{
	struct guards *guards = &inst->ctl->guards;
	uint64_t now = uv_now(inst->loop);

	guards->missed += count;
	if (guards->said_missed && now - guards->said_missed < SAY_MS)
		return;
	guards->said_missed = now ? now : 1;
	lfp_msg("VLFB070W",
		"Instance %s: a reset may look like an end of file to programs without the library "
		"(%" PRIu64 " connections so far): %s.",
		inst->config.st.id, guards->missed, why);
}

static int send_one(const struct guard *guard, const struct lfp_ctl_guard *message, int fd)
{
	struct iovec part = {(void *)(uintptr_t)message, sizeof(*message)};

	return lfp_rights_send(guard->conn->fd, &part, 1, &fd, fd >= 0);
}

static void on_guard(struct watch *watch, int status, int events);

static void listen_to(struct guard *guard)
{
	watch_start(&guard->conn->watch, UV_READABLE | (guard->nr_late ? UV_WRITABLE : 0),
		    on_guard);
}

/* Sends pending messages in order, as far as there is room. */
static void send_late(struct guard *guard)
{
	size_t done = 0;

	while (done < guard->nr_late && send_one(guard, &guard->late[done], -1) == 0)
		done++;
	guard->nr_late -= done;
	memmove(guard->late, guard->late + done, guard->nr_late * sizeof(*guard->late));
}

static bool keep(struct guard *guard, const struct lfp_ctl_guard *message)
{
	if (guard->nr_late == guard->room_late) {
		size_t room = guard->room_late ? 2 * guard->room_late : 64;
		struct lfp_ctl_guard *late = realloc(guard->late, room * sizeof(*late));

		if (!late)
			return false;
		guard->late = late;
		guard->room_late = room;
	}
	guard->late[guard->nr_late++] = *message;
	listen_to(guard);
	return true;
}

/* The event of a guard's own connection reports its end. */
static bool tell(struct guard *guard, uint32_t what, const struct vsock *vs)
{
	struct lfp_ctl_guard message = {.magic = LFP_CTL_GUARD_MAGIC, .what = what, .id = vs->id};

	if (!guard->nr_late && send_one(guard, &message, -1) != -EAGAIN)
		return true;
	return keep(guard, &message);
}

/* Returns the inode number that /proc shows for a near end, or 0. */
static uint64_t inode_of(int near)
{
	struct stat st;

	return near < 0 || fstat(near, &st) ? 0 : st.st_ino;
}

void guard_note(const struct ctl_conn *conn, struct vsock *vs,
		const struct lfp_ctl_request *request)
{
	const struct guard *guard;

	if (vs->guarding == GUARD_HAS)
		return;
	vs->guard = 0;
	if (!conn->voice)
		return;
	lfp_list_each(guard, &conn->inst->ctl->guards.list, place) {
		if (guard->pid == conn->voice && guard->uid == conn->voice_uid) {
			vs->guard = guard->number;
			vs->holder = request->task;
			vs->near_ino = inode_of(conn->passed);
			/* The guard keeps the far end open: only a path shows the close then. */
			vsock_give_path(conn->inst->near, vs, conn->passed);
		}
	}
}

void guard_check_listener(const struct ctl_conn *conn, struct vsock *vs)
{
	const struct guard *guard = find_number(conn->inst, vs->guard);
	pid_t pid = conn->voice ? conn->voice : conn->pid;
	uid_t uid = conn->voice ? conn->voice_uid : conn->uid;

	if (guard && (guard->pid != pid || guard->uid != uid))
		vs->guard = 0;
}

void guard_add(struct instance *inst, struct vsock *vs)
{
	struct guard *guard = find_number(inst, vs->guard);
	struct lfp_ctl_guard message = {
		.magic = LFP_CTL_GUARD_MAGIC,
		.what = LFP_CTL_GUARD_ADD,
		.id = vs->id,
		.ino = vs->near_ino,
		.holder = vs->holder,
	};
	int rc;

	if (!guard)
		return;
	rc = guard->nr_late || guard->nr >= CONNECTIONS_MAX ? -EAGAIN
							    : send_one(guard, &message, vs->far);
	if (rc) {
		missed(inst, 1, "their supervisor does not accept them");
		return;
	}
	vsock_set_guarding(vs, GUARD_HAS);
	guard->nr++;
}

void guard_add_accepted(struct instance *inst, struct vsock *vs, int near)
{
	const struct vsock *listener = vsock_find(inst->socks, vs->stream.listener);

	if (!listener || !listener->guard)
		return;
	vs->guard = listener->guard;
	vs->holder = listener->holder;
	vs->near_ino = inode_of(near);
	guard_add(inst, vs);
}

void guard_end(struct instance *inst, struct vsock *vs, bool reset)
{
	struct guard *guard;

	if (vs->guarding != GUARD_HAS)
		return;
	vsock_set_guarding(vs, GUARD_TOLD);
	if (!reset)
		stopper_drop(vs);
	guard = find_number(inst, vs->guard);
	if (!guard)
		return;
	guard->nr--;
	if (tell(guard, reset ? LFP_CTL_GUARD_RESET : LFP_CTL_GUARD_END, vs))
		return;
	/* The supervisor would keep the far end open for ever. */
	shutdown(vs->far, SHUT_RDWR);
	missed(inst, 1, "not enough memory");
}

bool guard_prime(struct instance *inst, struct vsock *vs)
{
	struct guard *guard = vs->guarding == GUARD_HAS ? find_number(inst, vs->guard) : NULL;

	if (!guard || !tell(guard, LFP_CTL_GUARD_PRIME, vs))
		return false;
	/* The instance reads nothing here any more, least of all the supervisor's byte. */
	lfp_list_del(&vs->place);
	return true;
}

static void end_guard(struct guard *guard)
{
	struct ctl_conn *conn = guard->conn;

	conn->inst->ctl->guards.nr--;
	lfp_list_del(&guard->place);
	conn->guard = NULL;
	free(guard->late);
	free(guard);
	ctl_drop(conn);
}

/* Receives MISSED. Anything else ends the guard. */
static void hear(struct guard *guard)
{
	struct instance *inst = guard->conn->inst;
	struct lfp_ctl_guard message;
	ssize_t n = passed_receive(guard->conn->fd, &message, sizeof(message));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == sizeof(message) && message.magic == LFP_CTL_GUARD_MAGIC &&
	    message.what == LFP_CTL_GUARD_MISSED)
		missed(inst, message.id < CONNECTIONS_MAX ? message.id : CONNECTIONS_MAX,
		       "their supervisor found no process that holds them, or could not add a "
		       "byte after their data");
	else
		end_guard(guard);
}

static void on_guard(struct watch *watch, int status, int events)
{
	struct ctl_conn *conn = watch->data;
	struct guard *guard = conn->guard;

	if (status < 0) {
		end_guard(guard);
		return;
	}
	if (events & UV_WRITABLE) {
		send_late(guard);
		listen_to(guard);
	}
	if (events & UV_READABLE)
		hear(guard);
}

static unsigned int count_of_user(struct instance *inst, uid_t uid)
{
	const struct guard *guard;
	unsigned int nr = 0;

	lfp_list_each(guard, &inst->ctl->guards.list, place)
		nr += guard->uid == uid;
	return nr;
}

void guard_begin(struct ctl_conn *conn)
{
	struct lfp_ctl_reply_head head = {.magic = LFP_CTL_REPLY_MAGIC};
	struct instance *inst = conn->inst;
	struct guards *guards = &inst->ctl->guards;
	struct guard *guard;
	const int size = SEND_BUFFER;
	/* A supervisor may ask while it serves a program, and speaks for that program then. */
	pid_t pid = conn->voice ? conn->voice : conn->pid;
	uid_t uid = conn->voice ? conn->voice_uid : conn->uid;
	unsigned int part = inst->descriptors->limit / DESCRIPTORS_PART;
	unsigned int most = part < GUARDS_MAX ? part : GUARDS_MAX;

	if (guards->nr >= most ||
	    lfp_share_is_spent(uid, count_of_user(inst, uid), lfp_share_of(most)) ||
	    descriptors_are_short(inst, conn->fd, KEEP_FOR_CALLS) || conn->left) {
		ctl_fail(conn, EAGAIN);
		return;
	}
	guard = calloc(1, sizeof(*guard));
	if (guard)
		ctl_watch(conn);
	if (!guard || !conn->watched) {
		free(guard);
		ctl_fail(conn, ENOMEM);
		return;
	}
	if (setsockopt(conn->fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)) ||
	    send(conn->fd, &head, sizeof(head), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		free(guard);
		ctl_drop(conn);
		return;
	}
	guard->conn = conn;
	guard->pid = pid;
	guard->uid = uid;
	guard->number = ++guards->last ? guards->last : ++guards->last;
	conn->guard = guard;
	lfp_list_init(&guard->place);
	lfp_list_append(&guards->list, &guard->place);
	guards->nr++;
	listen_to(guard);
}

void guards_finish(struct instance *inst)
{
	struct guard *guard;

	while ((guard = lfp_list_first_entry(&inst->ctl->guards.list, struct guard, place)))
		end_guard(guard);
}
