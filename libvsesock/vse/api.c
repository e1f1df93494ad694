/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - a z/VSE socket interface as one task uses it: its instance and its descriptors */
#include "libvsesock/vse/api.h"

#include <stdlib.h>
#include <string.h>

#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/absent.h"
#include "libvsesock/vse/fork.h"
#include "libvsesock/vse/task.h"

#define FIRST_SLOTS 64

/* Guards all tables, as threads may share one. No call is made while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns the task whose descriptors count: the task itself, or the process if all tasks share
 * them. The SOCKET macro's are always the task's own. */
static struct vse_task *holder(struct vse_task *task, enum mux_interface interface)
{
	return task->share && interface != MUX_CSI ? vse_task_process() : task;
}

static int create(struct vse_api **out, enum mux_interface interface, const char *said)
{
	struct vse_api *api;
	char nn[3];
	int rc = place_choose(interface, said, nn);

	if (rc < 0)
		return rc == -ELIBACC ? -VSE_ELOAD : rc;
	api = calloc(1, sizeof(*api));
	if (!api)
		return -ENOMEM;
	memcpy(api->nn, nn, sizeof(nn));
	api->max = VSE_DESCRIPTORS;
	api->holds = 1;
	*out = api;
	return 0;
}

/* The interfaces that the thread asked for last. It holds them, as another thread may end the use
 * of one during a call. */
static _Thread_local struct vse_api *held[MUX_CSI + 1];
static pthread_key_t held_key;

void vse_api_hold(struct vse_api *api)
{
	pthread_mutex_lock(&lock);
	api->holds++;
	pthread_mutex_unlock(&lock);
}

void vse_api_drop(struct vse_api *api)
{
	bool last;

	pthread_mutex_lock(&lock);
	last = !--api->holds;
	pthread_mutex_unlock(&lock);
	if (last)
		free(api);
}

/* Runs at the end of a thread. */
static void drop_all(void *data)
{
	struct vse_api **own = data;

	for (int i = 0; i <= MUX_CSI; i++)
		if (own[i])
			vse_api_drop(own[i]);
}

static void __attribute__((constructor)) init(void)
{
	if (pthread_key_create(&held_key, drop_all))
		abort();
	vse_fork_lock(VSE_LOCK_API, &lock, NULL);
}

/* Returns the keeper's interface, held for the thread, or NULL. */
static struct vse_api *find(struct vse_task *keeper, enum mux_interface interface)
{
	struct vse_api *api = __atomic_load_n(&keeper->apis[interface], __ATOMIC_ACQUIRE);
	struct vse_api *before = held[interface];

	if (api == before)
		return api;
	pthread_mutex_lock(&lock);
	api = keeper->apis[interface];
	if (api)
		api->holds++;
	pthread_mutex_unlock(&lock);
	held[interface] = api;
	pthread_setspecific(held_key, held);
	if (before)
		vse_api_drop(before);
	return api;
}

int vse_api_get(struct vse_api **out, enum mux_interface interface, const char *said)
{
	struct vse_task *task = vse_task_now();
	struct vse_task *keeper = holder(task, interface);
	struct vse_api *api, *fresh = NULL;
	int rc;

	while (!(api = find(keeper, interface))) {
		rc = create(&fresh, interface, said);
		if (rc < 0)
			return rc;
		pthread_mutex_lock(&lock);
		/* Another thread of the task may have been faster. */
		if (!keeper->apis[interface]) {
			__atomic_store_n(&keeper->apis[interface], fresh, __ATOMIC_RELEASE);
			fresh = NULL;
		}
		pthread_mutex_unlock(&lock);
		free(fresh);
	}
	rc = vse_absent(api->nn, vse_task_enter(task, interface, api->nn));
	if (rc < 0)
		return rc;
	*out = api;
	return 0;
}

struct vse_api *vse_api_find(enum mux_interface interface)
{
	return find(holder(vse_task_now(), interface), interface);
}

struct vse_api *vse_api_detach(struct vse_task *task, enum mux_interface interface)
{
	struct vse_api *api;

	pthread_mutex_lock(&lock);
	api = task->apis[interface];
	__atomic_store_n(&task->apis[interface], NULL, __ATOMIC_RELEASE);
	if (api)
		__atomic_store_n(&api->ended, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return api;
}

void vse_api_close(struct vse_api *api)
{
	struct vse_slot *slots;
	int nr;

	pthread_mutex_lock(&lock);
	slots = api->slots;
	nr = api->nr;
	api->slots = NULL;
	api->nr = 0;
	pthread_mutex_unlock(&lock);
	/* Closing the near end of a given socket does not touch the socket. */
	for (int s = 0; s < nr; s++)
		if (slots[s].fd >= 0)
			raw_close(slots[s].fd);
	free(slots);
	vse_api_drop(api);
}

int vse_api_max(struct vse_api *api, int max)
{
	if (max < 1)
		max = 1;
	api->max = max < VSE_DESCRIPTORS ? max : VSE_DESCRIPTORS;
	return api->max;
}

static int widen(struct vse_api *api, int want)
{
	int nr = api->nr ? api->nr : FIRST_SLOTS;
	struct vse_slot *slots;

	while (nr <= want)
		nr *= 2;
	slots = realloc(api->slots, (size_t)nr * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (int s = api->nr; s < nr; s++)
		slots[s] = (struct vse_slot){.fd = -1};
	api->slots = slots;
	api->nr = nr;
	return 0;
}

static struct vse_slot *slot(struct vse_api *api, int s)
{
	return s >= 0 && s < api->nr && api->slots[s].fd >= 0 ? &api->slots[s] : NULL;
}

static bool task_has(const struct vse_task *task, enum mux_interface interface, int s)
{
	struct vse_api *api;
	bool has;

	/* The task may end its use of the interface at this moment. */
	pthread_mutex_lock(&lock);
	api = task->apis[interface];
	has = api && slot(api, s);
	pthread_mutex_unlock(&lock);
	return has;
}

int vse_fd_given(struct vse_api *api, int s, bool *given)
{
	const struct vse_slot *at;
	int fd = -EBADF;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at) {
		fd = at->fd;
		*given = at->given;
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

/* Returns the task that made a descriptor; -1: there is no such descriptor. */
static int maker_of(struct vse_api *api, int s)
{
	const struct vse_slot *at;
	int task;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	task = at ? at->task : -1;
	pthread_mutex_unlock(&lock);
	return task;
}

/* Checks the owner of a descriptor in a strict run; 0 or a negative error. */
static int check_owner(struct vse_api *api, int s)
{
	const struct vse_task *self = vse_task_now();
	int maker = maker_of(api, s), other = -1;

	/* With LFP$CIC=SHARE all tasks see the descriptor. */
	if (maker >= 0)
		return maker == self->number ? 0 : strict_other_task(s, maker, true);
	for (int i = MUX_LEC; i <= MUX_CSI; i++)
		if (self->apis[i] == api)
			other = vse_task_other(task_has, (enum mux_interface)i, s);
	return other < 0 ? 0 : strict_other_task(s, other, false);
}

int vse_fd(struct vse_api *api, int s)
{
	bool given = false;
	int fd;

	if (strict_on()) {
		int rc = check_owner(api, s);

		if (rc < 0)
			return rc;
	}
	fd = vse_fd_given(api, s, &given);
	return given ? -EBADF : fd;
}

int vse_set_given(struct vse_api *api, int s, bool given)
{
	struct vse_slot *at;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at)
		at->given = given;
	pthread_mutex_unlock(&lock);
	return at ? 0 : -EBADF;
}

int vse_add(struct vse_api *api, int fd, int wanted)
{
	int s = wanted, rc = 0, task = strict_on() ? vse_task_now()->number : 0;

	pthread_mutex_lock(&lock);
	if (api->ended)
		rc = -EBADF;
	else if (s < 0)
		for (s = 0; s < api->nr && api->slots[s].fd >= 0; s++)
			;
	else if (slot(api, s))
		rc = -EEXIST;
	if (!rc && s >= api->max)
		rc = -EMFILE;
	if (!rc && s >= api->nr)
		rc = widen(api, s);
	if (!rc && strict_on())
		rc = strict_new_descriptor(s, api->said);
	if (!rc)
		api->slots[s] = (struct vse_slot){.fd = fd, .task = task};
	pthread_mutex_unlock(&lock);
	if (!rc)
		return s;
	raw_close(fd);
	return rc;
}

int vse_remove(struct vse_api *api, int s, bool *given)
{
	struct vse_slot *at;
	int fd = -EBADF;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at) {
		fd = at->fd;
		*given = at->given;
		*at = (struct vse_slot){.fd = -1};
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

struct vse_past vse_past(struct vse_api *api, int s)
{
	struct vse_past past = {.connecting = false};
	const struct vse_slot *at;

	if (!api)
		return past;
	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at)
		past = at->past;
	pthread_mutex_unlock(&lock);
	return past;
}

void vse_note_past(struct vse_api *api, int s, const struct vse_past *past)
{
	struct vse_slot *at;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at)
		at->past = *past;
	pthread_mutex_unlock(&lock);
}

int vse_move(struct vse_api *api, int s, int to)
{
	int rc = 0;

	pthread_mutex_lock(&lock);
	if (!slot(api, s))
		rc = -EBADF;
	else if (slot(api, to) && s != to)
		rc = -EEXIST;
	else if (to < 0 || to >= api->max)
		rc = -EMFILE;
	else if (to >= api->nr)
		rc = widen(api, to);
	if (!rc && s != to) {
		api->slots[to] = api->slots[s];
		api->slots[s] = (struct vse_slot){.fd = -1};
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int vse_swap(struct vse_api *api, int s, int fd)
{
	struct vse_slot *at;
	int before = -EBADF;

	pthread_mutex_lock(&lock);
	at = slot(api, s);
	if (at) {
		before = at->fd;
		at->fd = fd;
	}
	pthread_mutex_unlock(&lock);
	return before;
}
