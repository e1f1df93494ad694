/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - shows resets of connections to programs without the library */
#include "lfp-run/guard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lfp-run/holder.h"
#include "lfp/rights.h"
#include "lfp/table.h"
#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"

#define AGAIN_MS   100
#define NAP_MS     2 /* lets messages collect: a wake-up costs more than all the rest */
#define TRIES      20u
#define STACK_SIZE (256u * 1024)
#define DRAIN      16384u

struct entry {
	struct lfp_table_link link; /* in guard->entries; its key is the instance's id of it */
	struct entry *next;         /* in guard->ending */
	struct held_near near;
	unsigned int tries; /* 0: no reset yet */
};

/* State of the thread. */
struct guard {
	int conn;
	struct lfp_table entries;
	struct entry *ending; /* no longer in the table */
};

static struct {
	pthread_mutex_t lock;
	atomic_bool up;
	time_t tried; /* time of the last failure; 0: none */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct entry *entry_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct entry, link);
}

static struct entry *find(const struct guard *guard, uint64_t id)
{
	return entry_of(lfp_table_find(&guard->entries, id));
}

static void forget(struct entry *entry)
{
	close(entry->near.far);
	free(entry);
}

static void add(struct guard *guard, const struct lfp_ctl_guard *message, int far)
{
	struct entry *entry = find(guard, message->id) ? NULL : calloc(1, sizeof(*entry));

	if (!entry) {
		close(far);
		return;
	}
	entry->near.ino = message->ino;
	entry->near.holder = message->holder;
	entry->near.far = far;
	lfp_table_add(&guard->entries, &entry->link, message->id);
}

/* Sends nothing. */
static bool is_shut_for_writing(int far)
{
	return raw_call(SYS_sendto, far, (long)"", 0, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0) == -EPIPE;
}

static void drain(int far)
{
	char buf[DRAIN];

	(void)raw_call(SYS_shutdown, far, SHUT_RD, 0, 0, 0, 0);
	while (raw_call(SYS_recvfrom, far, (long)buf, sizeof(buf), MSG_DONTWAIT, 0, 0) > 0)
		;
}

static bool has_hung_up(int far)
{
	struct pollfd pfd = {.fd = far};

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & (POLLHUP | POLLERR));
}

/* Returns true if the far end may be closed. */
static bool is_ready(struct entry *entry)
{
	int far = entry->near.far;

	if (is_shut_for_writing(far)) {
		drain(far);
		return true;
	}
	return holder_has_unread(&entry->near) || has_hung_up(far);
}

/* Tells the instance how many resets cannot be shown. */
static void say_missed(const struct guard *guard, uint64_t count)
{
	struct lfp_ctl_guard message = {
		.magic = LFP_CTL_GUARD_MAGIC, .what = LFP_CTL_GUARD_MISSED, .id = count};

	if (count)
		(void)raw_call(SYS_sendto, guard->conn, (long)&message, sizeof(message),
			       MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
}

/* Leaves a byte unread in each far end of the list, and closes those that have one. */
static void reset_all(struct guard *guard)
{
	struct entry *entry, **link;
	struct held_near *wanted = NULL;
	uint64_t lost = 0;

	for (entry = guard->ending; entry; entry = entry->next) {
		if (is_ready(entry))
			continue;
		entry->near.next = wanted;
		wanted = &entry->near;
	}
	if (wanted)
		holder_leave_byte(wanted);
	for (link = &guard->ending; (entry = *link);) {
		bool done = is_ready(entry);

		if (!done && !entry->near.is_mute && ++entry->tries <= TRIES) {
			link = &entry->next;
			continue;
		}
		lost += !done;
		*link = entry->next;
		forget(entry);
	}
	say_missed(guard, lost);
}

static void begin_reset(struct guard *guard, struct entry *entry)
{
	lfp_table_remove(&guard->entries, &entry->link);
	entry->next = guard->ending;
	guard->ending = entry;
}

/* Data from before the reset is still on its way: the far end stays open. */
static void prime(struct entry *entry)
{
	entry->near.next = NULL;
	if (!is_ready(entry))
		holder_leave_byte(&entry->near);
	(void)raw_call(SYS_shutdown, entry->near.far, SHUT_RD, 0, 0, 0, 0);
}

enum received { NOTHING, MESSAGE, END };

/* Takes one message if there is one. @far is set to a descriptor that came along, or -1. */
static enum received receive(int conn, struct lfp_ctl_guard *message, int *far)
{
	union lfp_rights control;
	struct iovec iov = {.iov_base = message, .iov_len = sizeof(*message)};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n;

	*far = -1;
	do
		n = raw_recvmsg(conn, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	while (n == -EINTR);
	if (n > 0)
		(void)lfp_rights_take(&msg, far, 1);
	if (n == -EAGAIN)
		return NOTHING;
	/* Without a hangup no error is the end, such as a lack of memory: resets would put bytes
	 * into streams that go on. */
	if (n < 0 && !has_hung_up(conn))
		return NOTHING;
	return n == sizeof(*message) && message->magic == LFP_CTL_GUARD_MAGIC ? MESSAGE : END;
}

static void handle(struct guard *guard, const struct lfp_ctl_guard *message, int far)
{
	struct entry *entry = find(guard, message->id);

	if (message->what == LFP_CTL_GUARD_ADD && far >= 0) {
		add(guard, message, far);
		return;
	}
	if (far >= 0)
		close(far);
	if (message->what == LFP_CTL_GUARD_ADD)
		say_missed(guard, 1); /* no descriptor was free for it */
	if (!entry)
		return;
	if (message->what == LFP_CTL_GUARD_RESET) {
		begin_reset(guard, entry);
	} else if (message->what == LFP_CTL_GUARD_PRIME) {
		prime(entry);
	} else if (message->what == LFP_CTL_GUARD_END) {
		lfp_table_remove(&guard->entries, &entry->link);
		forget(entry);
	}
}

/* Waits for a message, or until it is time to look for holders again. */
static void wait_for_message(const struct guard *guard)
{
	struct pollfd pfd = {.fd = guard->conn, .events = POLLIN};

	if (poll(&pfd, 1, guard->ending ? AGAIN_MS : -1) > 0)
		poll(NULL, 0, NAP_MS);
}

/* The instance has ended, and all connections with it. */
static void end(struct guard *guard)
{
	struct entry *entry;

	while ((entry = entry_of(lfp_table_any(&guard->entries))))
		begin_reset(guard, entry);
	reset_all(guard);
	while (guard->ending) {
		poll(NULL, 0, AGAIN_MS);
		reset_all(guard);
	}
}

static void *work(void *arg)
{
	struct guard *guard = arg;
	struct lfp_ctl_guard message;
	enum received what;
	int far;

	do {
		wait_for_message(guard);
		/* Resets that came together need only one search through the processes. */
		while ((what = receive(guard->conn, &message, &far)) == MESSAGE)
			handle(guard, &message, far);
		if (far >= 0)
			close(far);
		if (what == NOTHING && guard->ending)
			reset_all(guard);
	} while (what != END);
	atomic_store(&state.up, false);
	end(guard);
	close(guard->conn);
	free(guard);
	return NULL;
}

static bool start_thread(struct guard *guard)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool done;

	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	done = pthread_create(&thread, &attr, work, guard) == 0;
	pthread_attr_destroy(&attr);
	return done;
}

static int open_guard(void)
{
	struct ctl_call call = {.nn = place_instance(), .op = LFP_CTL_GUARD, .fd = -1};
	struct guard *guard = calloc(1, sizeof(*guard));
	int rc;

	if (!guard)
		return -ENOMEM;
	guard->conn = ctl_connect(call.nn);
	if (guard->conn < 0) {
		rc = guard->conn;
		free(guard);
		return rc;
	}
	rc = ctl_send(guard->conn, &call);
	if (!rc)
		rc = ctl_receive(guard->conn, &call);
	if (!rc) {
		atomic_store(&state.up, true);
		if (start_thread(guard))
			return 0;
		atomic_store(&state.up, false);
		rc = -EAGAIN;
	}
	close(guard->conn);
	free(guard);
	return rc;
}

bool guard_is_up(void)
{
	return atomic_load(&state.up);
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + 1;
}

int guard_ensure(void)
{
	int rc = 0;

	if (guard_is_up())
		return 0;
	pthread_mutex_lock(&state.lock);
	if (!guard_is_up()) {
		rc = state.tried == now() ? -EAGAIN : open_guard();
		state.tried = rc ? now() : 0;
	}
	pthread_mutex_unlock(&state.lock);
	return rc;
}

int guard_start(pid_t program)
{
	int pidfd = (int)syscall(SYS_pidfd_open, program, 0), rc;

	if (pidfd < 0)
		return -errno;
	/* pidfd_getfd() checks the right before the descriptor (kernel/pid.c, __pidfd_fget()). */
	rc = syscall(SYS_pidfd_getfd, pidfd, -1, 0) < 0 && errno != EBADF ? -errno : 0;
	close(pidfd);
	return rc ? rc : guard_ensure();
}
