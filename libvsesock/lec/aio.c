/* SPDX-License-Identifier: Apache-2.0 */
/* aio.c - aio_read, aio_write, aio_error, aio_return, aio_suspend, aio_cancel */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "include/vsesock.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/lec/lec.h"
#include "libvsesock/vse/connect.h"
#include "libvsesock/vse/fork.h"

/*
 * Theory of operation
 *
 * A request is a thread with a copy of the near end. It waits until the near end is readable or
 * writable, or until an eventfd reports that the request is cancelled. Then it makes one call that
 * does not wait. So a cancelled request has moved nothing. One list has all requests, by the
 * program's control block, until aio_return() removes them. A thread works for the task of its
 * request only where the shim asks the instance why a connection has ended, which needs a key.
 */

/* struct aiocb of include/lec/aio.h */
struct lec_aiocb {
	int fildes;
	off_t offset;
	void *buf;
	size_t nbytes;
	int reqprio;
	struct sigevent sigevent;
	int lio_opcode;
};

EXPORT int lec_aio_read(struct lec_aiocb *cb);
EXPORT int lec_aio_write(struct lec_aiocb *cb);
EXPORT int lec_aio_error(const struct lec_aiocb *cb);
EXPORT ssize_t lec_aio_return(struct lec_aiocb *cb);
EXPORT int lec_aio_suspend(const struct lec_aiocb *const cbs[], int nr,
			   const struct timespec *timeout);
EXPORT int lec_aio_cancel(int s, struct lec_aiocb *cb);

enum {
	CANCELED = 1,
	NOTCANCELED = 2,
	ALLDONE = 3,
};

struct request {
	struct request *next;
	const struct lec_aiocb *cb;
	int s, fd, cancel; /* fd: the thread's copy */
	bool writes;
	void *buf;
	size_t len;
	struct sigevent sigevent;
	int task;
	int pins;  /* number of aio_cancel() calls that wait for it */
	int error; /* EINPROGRESS until it is done */
	ssize_t result;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static struct request *requests;

static struct request *find(const struct lec_aiocb *cb)
{
	struct request *at = requests;

	while (at && at->cb != cb)
		at = at->next;
	return at;
}

static void finish(struct request *request, ssize_t result, int error)
{
	struct sigevent event = request->sigevent;

	pthread_mutex_lock(&lock);
	raw_close(request->fd);
	raw_close(request->cancel);
	request->result = result;
	request->error = error;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	/* The request may be gone by now. */
	if (event.sigev_notify == SIGEV_SIGNAL && event.sigev_signo)
		(void)sigqueue(getpid(), event.sigev_signo, event.sigev_value);
}

static void *work(void *data)
{
	struct request *request = data;
	struct pollfd polls[2] = {
		{.fd = request->fd, .events = request->writes ? POLLOUT : POLLIN},
		{.fd = request->cancel, .events = POLLIN},
	};
	struct vse_api *api = NULL;
	ssize_t n;

	(void)vse_task_switch(request->task);
	(void)lec_enter(&api);
	for (;;) {
		while (poll(polls, 2, -1) < 0 && errno == EINTR)
			;
		if (polls[1].revents) {
			finish(request, -1, ECANCELED);
			return NULL;
		}
		n = request->writes ? send(request->fd, request->buf, request->len,
					   MSG_DONTWAIT | MSG_NOSIGNAL)
				    : recv(request->fd, request->buf, request->len, MSG_DONTWAIT);
		if (n >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	if (n < 0 && request->writes)
		errno = (int)-vse_sent(api, request->s, n);
	finish(request, n, n < 0 ? errno : 0);
	return NULL;
}

/* Starts the thread of a request, with all signals blocked. */
static int start(struct request *request)
{
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&thread, &attr, work, request);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

static int submit(struct lec_aiocb *cb, bool writes)
{
	struct request *request;
	struct vse_api *api;
	int fd, rc;

	if (lec_enter(&api))
		return -1;
	if (memory_check_read(cb, sizeof(*cb)))
		return lec_fail(EFAULT);
	if (cb->sigevent.sigev_notify == SIGEV_THREAD || cb->nbytes > SSIZE_MAX)
		return lec_fail(EINVAL);
	fd = vse_fd(api, cb->fildes);
	if (fd < 0)
		return lec_fail(-fd);
	request = calloc(1, sizeof(*request));
	if (!request)
		return lec_fail(EAGAIN);
	*request = (struct request){
		.cb = cb,
		.s = cb->fildes,
		.fd = raw_fcntl(fd, F_DUPFD_CLOEXEC, 0),
		.cancel = eventfd(0, EFD_CLOEXEC),
		.writes = writes,
		.buf = cb->buf,
		.len = cb->nbytes,
		.sigevent = cb->sigevent,
		.task = vse_task_current(),
		.error = EINPROGRESS,
	};
	pthread_mutex_lock(&lock);
	rc = find(cb) ? EINVAL : request->fd < 0 || request->cancel < 0 ? EAGAIN : start(request);
	if (!rc) {
		request->next = requests;
		requests = request;
	}
	pthread_mutex_unlock(&lock);
	if (!rc)
		return 0;
	if (request->fd >= 0)
		raw_close(request->fd);
	if (request->cancel >= 0)
		raw_close(request->cancel);
	free(request);
	return lec_fail(rc);
}

/* The child has no requests, but has copies of their descriptors. */
static void in_child(void)
{
	struct request *at;

	while ((at = requests)) {
		requests = at->next;
		if (at->error == EINPROGRESS) {
			raw_close(at->fd);
			raw_close(at->cancel);
		}
		free(at);
	}
	pthread_cond_init(&done, NULL);
}

static void __attribute__((constructor)) init(void)
{
	vse_fork_lock(VSE_LOCK_AIO, &lock, in_child);
}

int lec_aio_read(struct lec_aiocb *cb)
{
	return submit(cb, false);
}

int lec_aio_write(struct lec_aiocb *cb)
{
	return submit(cb, true);
}

/* Returns an errno of the program, or -1 with errno. */
int lec_aio_error(const struct lec_aiocb *cb)
{
	struct request *request;
	int error = -1;

	pthread_mutex_lock(&lock);
	request = find(cb);
	if (request)
		error = request->error;
	pthread_mutex_unlock(&lock);
	if (error < 0)
		return lec_fail(EINVAL);
	return error ? vse_errno_io(VSE_ZVSE, error) : 0;
}

ssize_t lec_aio_return(struct lec_aiocb *cb)
{
	struct request **at = &requests, *request;
	ssize_t result = -1;
	int error = EINVAL;

	pthread_mutex_lock(&lock);
	while ((request = find(cb)) && request->pins)
		pthread_cond_wait(&done, &lock);
	while (*at && (*at)->cb != cb)
		at = &(*at)->next;
	request = *at;
	if (request && request->error != EINPROGRESS) {
		error = request->error;
		result = request->result;
		*at = request->next;
	} else {
		request = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(request);
	if (!error)
		return result;
	errno = error;
	return lec_fail_io();
}

/* Returns whether a request is done, or none is left. */
static bool any_done(const struct lec_aiocb *const cbs[], int nr)
{
	bool any = false;

	for (int i = 0; i < nr; i++) {
		const struct request *request = cbs[i] ? find(cbs[i]) : NULL;

		any |= cbs[i] != NULL;
		if (cbs[i] && (!request || request->error != EINPROGRESS))
			return true;
	}
	return !any;
}

int lec_aio_suspend(const struct lec_aiocb *const cbs[], int nr, const struct timespec *timeout)
{
	struct timespec end;
	int rc = 0;

	if (nr < 0)
		return lec_fail(EINVAL);
	if ((nr && memory_check_pages(cbs, (size_t)nr * sizeof(*cbs))) ||
	    (timeout && memory_check_read(timeout, sizeof(*timeout))))
		return lec_fail(EFAULT);
	clock_gettime(CLOCK_REALTIME, &end);
	if (timeout) {
		end.tv_sec += timeout->tv_sec;
		end.tv_nsec += timeout->tv_nsec;
		if (end.tv_nsec >= 1000000000) {
			end.tv_sec++;
			end.tv_nsec -= 1000000000;
		}
	}
	pthread_mutex_lock(&lock);
	while (!rc && !any_done(cbs, nr))
		rc = timeout ? pthread_cond_timedwait(&done, &lock, &end)
			     : pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
	return rc ? lec_fail(EAGAIN) : 0;
}

/* Cancels the request @cb, or all of the socket if it is NULL. Returns when their state agrees with
 * the result. */
static int cancel(int task, int s, const struct lec_aiocb *cb)
{
	const uint64_t one = 1;
	int result = ALLDONE;

	pthread_mutex_lock(&lock);
	for (struct request *at = requests; at; at = at->next) {
		if (at->task != task || at->s != s || (cb && at->cb != cb) ||
		    at->error != EINPROGRESS)
			continue;
		if (raw_call(SYS_write, at->cancel, (long)&one, sizeof(one), 0, 0, 0) < 0)
			continue;
		at->pins++;
		while (at->error == EINPROGRESS)
			pthread_cond_wait(&done, &lock);
		at->pins--;
		pthread_cond_broadcast(&done);
		if (at->error == ECANCELED && result == ALLDONE)
			result = CANCELED;
		else if (at->error != ECANCELED)
			result = NOTCANCELED;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int lec_aio_cancel(int s, struct lec_aiocb *cb)
{
	return lec_fd(s) < 0 ? -1 : cancel(vse_task_current(), s, cb);
}

void lec_forget_requests(int s)
{
	(void)cancel(vse_task_current(), s, NULL);
}
