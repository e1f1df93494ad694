/* SPDX-License-Identifier: Apache-2.0 */
/* async.c - calls that continue while the program does other work, and then post its ECB */
#include "libvsesock/vse/async.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "include/vsesock.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/vse/clock.h"
#include "libvsesock/vse/fork.h"
#include "libvsesock/vse/task.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; /* a job is no longer busy, or is gone */
static struct async_job *jobs;                            /* in order of arrival */
static uint64_t last_id;
static bool running; /* the thread exists */
static int wake_fd = -1;

static struct async_job *find_ecb(const void *ecb)
{
	struct async_job *job = jobs;

	while (job && job->ecb != ecb)
		job = job->next;
	return job;
}

int async_take_ecb(void *ecb)
{
	bool taken;

	if (!ecb)
		return 0;
	if ((uintptr_t)ecb % sizeof(uint32_t))
		return -EINVAL;
	if (memory_check_pages(ecb, ASYNC_ECB) || memory_check_result(ecb, sizeof(uint32_t)))
		return -EFAULT;
	pthread_mutex_lock(&lock);
	taken = find_ecb(ecb) != NULL;
	pthread_mutex_unlock(&lock);
	if (taken)
		return -vse_errno_of("EIBMCONFLICT");
	__atomic_store_n((uint32_t *)ecb, 0, __ATOMIC_RELEASE);
	return 0;
}

/* Wakes the thread, which then rebuilds its list of descriptors. Caller holds the lock. */
static void wake(void)
{
	const uint64_t one = 1;

	if (wake_fd >= 0)
		raw_call(SYS_write, wake_fd, (long)&one, sizeof(one), 0, 0, 0);
}

/* Ends a busy job. Caller holds the lock; it is released while the program's memory is written. */
static void end(struct async_job *job, int rc)
{
	struct async_job **at = &jobs;

	pthread_mutex_unlock(&lock);
	job->done(job, rc);
	pthread_mutex_lock(&lock);
	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	vse_ecb_post(job->ecb);
	pthread_cond_broadcast(&changed);
	vse_api_drop(job->api);
	free(job);
}

/* Returns -EAGAIN, or the job's result. */
static int try_now(struct async_job *job)
{
	int rc;

	job->expired = job->until >= 0 && vse_now_ms() >= job->until;
	near_dontwait = true;
	rc = job->attempt(job);
	near_dontwait = false;
	return rc == -EAGAIN && job->expired ? -ETIMEDOUT : rc;
}

/* Tries a job as its task. */
static int try_as(struct async_job *job)
{
	int rc;

	/* The task has just ended, and its end will end the job. */
	if (vse_task_switch(job->task) < 0)
		return -EAGAIN;
	rc = vse_task_enter(vse_task_now(), job->interface, job->nn);
	if (!rc)
		rc = try_now(job);
	vse_task_leave();
	return rc;
}

/* Returns whether no earlier job is waiting for the same descriptor and direction. */
static bool is_first(const struct async_job *job)
{
	if (job->s < 0)
		return true;
	for (const struct async_job *at = jobs; at != job; at = at->next)
		if (at->api == job->api && at->s == job->s && at->events == job->events)
			return false;
	return true;
}

struct watch {
	struct pollfd *polls; /* the first is wake_fd */
	uint64_t *ids;
	nfds_t nr, room;
	int ms;
};

static bool widen(struct watch *watch)
{
	nfds_t room = watch->room ? 2 * watch->room : 16;
	struct pollfd *polls = realloc(watch->polls, room * sizeof(*polls));
	uint64_t *ids;

	if (!polls)
		return false;
	watch->polls = polls;
	ids = realloc(watch->ids, room * sizeof(*ids));
	if (!ids)
		return false;
	watch->ids = ids;
	watch->room = room;
	return true;
}

static void lower(int *ms, int64_t to)
{
	if (to < 0)
		to = 0;
	if (*ms < 0 || to < *ms)
		*ms = (int)(to < INT_MAX ? to : INT_MAX);
}

static void add(struct watch *watch, uint64_t id, int fd, short events)
{
	watch->polls[watch->nr] = (struct pollfd){.fd = fd, .events = events};
	watch->ids[watch->nr++] = id;
}

static void forget_watch(struct watch *watch)
{
	if (!watch)
		return;
	free(watch->polls);
	free(watch->ids);
	free(watch);
}

/* Returns an empty list with room for wake_fd, or NULL. */
static struct watch *make_watch(void)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (watch && !widen(watch)) {
		forget_watch(watch);
		return NULL;
	}
	return watch;
}

/* Collects the near ends to wait for. A job without memory for its entry is tried at each look. */
static void collect(struct watch *watch)
{
	int64_t now = vse_now_ms();

	watch->nr = 0;
	watch->ms = wake_fd < 0 ? VSE_LOOK_MS : -1;
	add(watch, 0, wake_fd, POLLIN);
	for (struct async_job *job = jobs; job; job = job->next) {
		if (job->busy || !is_first(job))
			continue;
		if (job->until >= 0)
			lower(&watch->ms, job->until - now);
		if (job->fd < 0 || (watch->nr == watch->room && !widen(watch)))
			lower(&watch->ms, VSE_LOOK_MS);
		if (watch->nr < watch->room)
			add(watch, job->id, job->fd, job->events);
	}
}

/* Tries the ready jobs. The list may change meanwhile, so ids find the place again. */
static void work_through(const struct watch *watch)
{
	for (nfds_t i = 1; i < watch->nr; i++) {
		struct async_job *job = jobs;
		int rc;

		while (job && job->id < watch->ids[i])
			job = job->next;
		if (!job || job->id != watch->ids[i] || job->busy || !is_first(job))
			continue;
		if (job->fd >= 0 && !watch->polls[i].revents &&
		    (job->until < 0 || vse_now_ms() < job->until))
			continue;
		job->busy = true;
		pthread_mutex_unlock(&lock);
		rc = try_as(job);
		pthread_mutex_lock(&lock);
		if (rc != -EAGAIN) {
			end(job, rc);
			continue;
		}
		job->busy = false;
		pthread_cond_broadcast(&changed);
	}
}

static void *work(void *data)
{
	struct watch *watch = data;
	uint64_t count;

	pthread_mutex_lock(&lock);
	while (jobs) {
		collect(watch);
		pthread_mutex_unlock(&lock);
		(void)poll(watch->polls, watch->nr, watch->ms);
		pthread_mutex_lock(&lock);
		if (watch->polls[0].revents & POLLIN)
			raw_call(SYS_read, wake_fd, (long)&count, sizeof(count), 0, 0, 0);
		else if (watch->polls[0].revents) /* closed by the program by mistake */
			wake_fd = -1;
		work_through(watch);
	}
	running = false;
	if (wake_fd >= 0)
		raw_close(wake_fd);
	wake_fd = -1;
	pthread_mutex_unlock(&lock);
	forget_watch(watch);
	return NULL;
}

/* Starts the thread, with all signals blocked. Caller holds the lock. */
static int start_thread(void)
{
	struct watch *watch;
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	if (running)
		return 0;
	watch = make_watch();
	if (!watch)
		return -ENOMEM;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, work, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	running = !rc;
	if (!rc)
		return 0;
	if (wake_fd >= 0)
		raw_close(wake_fd);
	wake_fd = -1;
	forget_watch(watch);
	return -ENOMEM;
}

static void in_child(void)
{
	jobs = NULL;
	running = false;
	if (wake_fd >= 0)
		raw_close(wake_fd);
	wake_fd = -1;
	pthread_cond_init(&changed, NULL);
}

static void __attribute__((constructor)) init(void)
{
	vse_fork_lock(VSE_LOCK_ASYNC, &lock, in_child);
}

int async_start(struct async_job *job)
{
	struct async_job **at = &jobs;
	int rc = async_take_ecb(job->ecb);
	bool first, over;

	if (rc < 0)
		return rc;
	job->task = vse_task_current();
	job->busy = true;
	job->next = NULL;
	pthread_mutex_lock(&lock);
	/* Another thread may have used the ECB meanwhile. */
	if (find_ecb(job->ecb)) {
		pthread_mutex_unlock(&lock);
		return -vse_errno_of("EIBMCONFLICT");
	}
	job->id = ++last_id;
	while (*at)
		at = &(*at)->next;
	*at = job;
	first = is_first(job);
	vse_api_hold(job->api);
	/* vse_api_detach() sets this before async_forget() looks at the jobs. */
	over = __atomic_load_n(&job->api->ended, __ATOMIC_ACQUIRE);
	pthread_mutex_unlock(&lock);
	rc = over ? -ECANCELED : first ? try_now(job) : -EAGAIN;
	pthread_mutex_lock(&lock);
	if (rc == -EAGAIN && start_thread())
		rc = -ENOMEM;
	if (rc == -EAGAIN) {
		job->busy = false;
		pthread_cond_broadcast(&changed);
	} else {
		end(job, rc);
	}
	wake();
	pthread_mutex_unlock(&lock);
	return 0;
}

int async_wait(struct async_job *job)
{
	int rc;

	while ((rc = try_now(job)) == -EAGAIN) {
		struct pollfd pfd = {.fd = job->fd, .events = job->events};
		int ms = job->fd < 0 ? VSE_LOOK_MS : -1;

		if (job->until >= 0)
			lower(&ms, job->until - vse_now_ms());
		(void)poll(&pfd, 1, ms);
	}
	return rc;
}

/* Ends a job, or waits while it is busy. Caller holds the lock. Returns whether the job is over. */
static bool stop(struct async_job *job)
{
	if (job->busy) {
		pthread_cond_wait(&changed, &lock);
		return false;
	}
	job->busy = true;
	end(job, -ECANCELED);
	return true;
}

int async_cancel(const struct vse_api *api, const void *ecb)
{
	uint64_t id;
	struct async_job *job;
	bool over = false;

	pthread_mutex_lock(&lock);
	job = find_ecb(ecb);
	id = job ? job->id : 0;
	while (job && job->id == id && job->api == api && !over) {
		over = stop(job);
		job = over ? NULL : find_ecb(ecb);
	}
	wake();
	pthread_mutex_unlock(&lock);
	return over ? 0 : -EINVAL;
}

int async_copy(const struct async_job *like,
	       bool (*is_it)(const struct async_job *job, const struct async_job *like))
{
	int fd = -ENOENT;

	pthread_mutex_lock(&lock);
	for (const struct async_job *job = jobs; job && fd == -ENOENT;) {
		if (job->attempt != like->attempt || job->api != like->api ||
		    strcmp(job->nn, like->nn) != 0) {
			job = job->next;
			continue;
		}
		if (job->busy) { /* an attempt may be changing it */
			pthread_cond_wait(&changed, &lock);
			job = jobs;
			continue;
		}
		if (is_it(job, like))
			fd = raw_fcntl(job->fd, F_DUPFD_CLOEXEC, 0);
		job = job->next;
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

int async_count(const struct vse_api *api, int s, int (*attempt)(struct async_job *job))
{
	int nr = 0;

	pthread_mutex_lock(&lock);
	for (const struct async_job *job = jobs; job; job = job->next)
		nr += job->api == api && job->s == s && (!attempt || job->attempt == attempt);
	pthread_mutex_unlock(&lock);
	return nr;
}

static void forget(const struct vse_api *api, int s, int task)
{
	struct async_job *job;

	pthread_mutex_lock(&lock);
	for (;;) {
		for (job = jobs; job; job = job->next)
			if (api ? job->api == api && (s < 0 || job->s == s) : job->task == task)
				break;
		if (!job)
			break;
		(void)stop(job);
	}
	wake();
	pthread_mutex_unlock(&lock);
}

void async_forget(const struct vse_api *api, int s)
{
	forget(api, s, 0);
}

void async_forget_task(int task)
{
	forget(NULL, -1, task);
}
