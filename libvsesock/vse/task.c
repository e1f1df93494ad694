/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - CICS-style tasks of a program, and their keys */
#include "libvsesock/vse/task.h"

#include <stdlib.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/export.h"
#include "libvsesock/core/place.h"
#include "libvsesock/vse/errno.h"
#include "libvsesock/vse/fork.h"

/*
 * Theory of operation
 *
 * A task begins at an instance when it first calls there (vse_task_enter()), because only then the
 * instance is known. The thread alone notes which task it works for. The list of tasks has one
 * lock, and no call is made while it is held.
 */

#define ETRUE_ALREADY 4
#define ETRUE_FAILED  8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vse_task process; /* the program outside all tasks */
static struct vse_task *tasks;
static int last_number;
static bool true_active;

static _Thread_local int current; /* a number: the task may be gone */
static _Thread_local struct {
	const struct vse_task *task; /* the caller's task during its calls */
	enum mux_interface interface;
	char nn[3];
} now;

static struct vse_task *find(int number)
{
	struct vse_task *task = tasks;

	while (task && task->number != number)
		task = task->next;
	return task;
}

struct vse_task *vse_task_now(void)
{
	struct vse_task *task = NULL;

	if (current) {
		pthread_mutex_lock(&lock);
		task = find(current);
		pthread_mutex_unlock(&lock);
	}
	if (!task) {
		current = 0;
		task = &process;
	}
	return task;
}

struct vse_task *vse_task_process(void)
{
	return &process;
}

int vse_task_other(bool (*is_it)(const struct vse_task *task, enum mux_interface interface, int s),
		   enum mux_interface interface, int s)
{
	const struct vse_task *self = vse_task_now();
	int found = -1;

	pthread_mutex_lock(&lock);
	for (const struct vse_task *at = tasks; at && found < 0; at = at->next)
		if (at != self && is_it(at, interface, s))
			found = at->number;
	pthread_mutex_unlock(&lock);
	if (found < 0 && self != &process && is_it(&process, interface, s))
		found = 0;
	return found;
}

static struct vse_key *find_key(const struct vse_task *task, const char *nn)
{
	struct vse_key *key = __atomic_load_n(&task->keys, __ATOMIC_ACQUIRE);

	while (key && strcmp(key->nn, nn) != 0)
		key = key->next;
	return key;
}

static uint64_t give_key(const char *nn, uint16_t *flags)
{
	const struct vse_key *key;

	/* Handing over a connection names no instance, and is no task's call. */
	if (!nn || !now.task || !now.task->number)
		return 0;
	key = find_key(now.task, nn);
	if (key && now.interface == MUX_EZA)
		*flags |= LFP_CTL_EZA;
	return key ? key->key : 0;
}

static void __attribute__((constructor)) init(void)
{
	ctl_task = give_key;
	vse_fork_lock(VSE_LOCK_TASK, &lock, NULL);
}

void vse_task_leave(void)
{
	now.task = NULL;
	place_of_thread = NULL;
}

bool vse_task_shares(void)
{
	char value[MUX_SYSID_MAX];

	place_setparm("LFP$CIC", value);
	return !strcmp(value, "SHARE");
}

/* Makes a CICS-style task known to an instance once; 0 or a negative error. */
static int begin_at(struct vse_task *task, const char *nn)
{
	uint64_t number = 0;
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_TASK,
		.flags = task->share ? LFP_CTL_SHARE : 0,
		.a = LFP_CTL_TASK_BEGIN,
		.data = task->name,
		.len = task->name[0] == ' ' ? 0 : LFP_CTL_CLIENT,
		.fd = -1,
		.answer = &number,
		.room = sizeof(number),
	};
	struct vse_key *key;
	int rc;

	if (find_key(task, nn))
		return 0;
	key = calloc(1, sizeof(*key));
	if (!key)
		return -ENOMEM;
	rc = ctl_call(&call);
	if (!rc && call.answer_len != sizeof(number))
		rc = -ENETDOWN;
	if (rc < 0) {
		free(key);
		return rc;
	}
	memcpy(key->nn, nn, sizeof(key->nn));
	key->key = number;
	key->next = task->keys;
	__atomic_store_n(&task->keys, key, __ATOMIC_RELEASE);
	return 0;
}

static int tell_true(const char *nn, bool on)
{
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_TASK,
		.a = on ? LFP_CTL_TRUE_START : LFP_CTL_TRUE_STOP,
		.fd = -1,
	};
	int rc = ctl_call(&call);

	return rc < 0 ? rc : call.value;
}

/* EZATRUE may have been started before the instance was known. */
static int start_at(struct vse_key *key)
{
	int rc = key->eza ? 0 : tell_true(key->nn, true);

	key->eza |= rc >= 0;
	return rc;
}

int vse_task_enter(struct vse_task *task, enum mux_interface interface, const char *nn)
{
	int rc;

	vse_task_leave();
	if (task->number && interface == MUX_EZA &&
	    !__atomic_load_n(&true_active, __ATOMIC_ACQUIRE))
		return -VSE_ETRUE;
	if (task->number) {
		rc = begin_at(task, nn);
		if (!rc && interface == MUX_EZA)
			rc = start_at(find_key(task, nn));
		if (rc < 0)
			return rc;
	}
	now.task = task;
	now.interface = interface;
	memcpy(now.nn, nn, sizeof(now.nn));
	place_of_thread = now.nn;
	return 0;
}

EXPORT int vse_task_begin(const char *name)
{
	size_t len = name ? strlen(name) : 0;
	struct vse_task *task;

	if (len > LFP_CTL_CLIENT)
		return (int)give(-EINVAL);
	task = calloc(1, sizeof(*task));
	if (!task)
		return (int)give(-ENOMEM);
	memset(task->name, ' ', sizeof(task->name));
	if (len)
		memcpy(task->name, name, len);
	task->share = vse_task_shares();
	pthread_mutex_lock(&lock);
	task->number = ++last_number;
	task->next = tasks;
	tasks = task;
	pthread_mutex_unlock(&lock);
	current = task->number;
	return task->number;
}

EXPORT int vse_task_current(void)
{
	return vse_task_now()->number;
}

EXPORT int vse_task_switch(int number)
{
	int before = vse_task_current();
	bool there;

	pthread_mutex_lock(&lock);
	there = !number || find(number);
	pthread_mutex_unlock(&lock);
	if (!there)
		return (int)give(-ESRCH);
	current = number;
	vse_task_leave();
	return before;
}

struct vse_task *vse_task_take(int number)
{
	struct vse_task **at = &tasks, *task;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->number != number)
		at = &(*at)->next;
	task = number ? *at : NULL;
	if (task)
		*at = task->next;
	pthread_mutex_unlock(&lock);
	if (task && current == number)
		current = 0;
	return task;
}

void vse_task_free(struct vse_task *task)
{
	struct vse_key *key;

	while ((key = task->keys)) {
		struct ctl_call call = {
			.nn = key->nn,
			.op = LFP_CTL_TASK,
			.a = LFP_CTL_TASK_END,
			.fd = -1,
		};

		now.task = task;
		(void)ctl_call(&call);
		vse_task_leave();
		task->keys = key->next;
		free(key);
	}
	free(task);
}

static int set_true(bool on)
{
	char nn[3];
	int rc = place_choose(MUX_EZA, NULL, nn);

	if (rc < 0)
		return ETRUE_FAILED;
	vse_task_leave();
	rc = tell_true(nn, on);
	if (rc < 0)
		return ETRUE_FAILED;
	return __atomic_exchange_n(&true_active, on, __ATOMIC_ACQ_REL) == on ? ETRUE_ALREADY : 0;
}

EXPORT int vse_true_start(void)
{
	return set_true(true);
}

EXPORT int vse_true_stop(void)
{
	return set_true(false);
}
