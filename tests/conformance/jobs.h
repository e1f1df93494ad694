/* SPDX-License-Identifier: Apache-2.0 */
/* jobs.h - calls that block, each in its own thread, and the events that wake them */
#ifndef TESTS_CONFORMANCE_JOBS_H
#define TESTS_CONFORMANCE_JOBS_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "tests/conformance/conform.h"
#include "tests/sleeps.h"

enum job_call {
	JOB_RECV,
	JOB_READ,
	JOB_RECVFROM,
	JOB_RECVMSG,
	JOB_RECVMMSG,
	JOB_WAITALL,
	JOB_SEND,
	JOB_SENDMSG,
	JOB_WRITE,
	JOB_ACCEPT,
	JOB_ACCEPT4,
	JOB_CONNECT,
	JOB_POLL,
	JOB_SELECT,
	JOB_EPOLL,
};

struct job {
	enum job_call call;
	int fd;
	const struct addr *to; /* for JOB_CONNECT */
	pthread_t thread;
	atomic_int tid;
	atomic_bool done;
	long result;
	int error;
};

/* More bytes than fit between two ends that do not read. */
enum { MUCH = 32 << 20 };

static inline long job_call(const struct job *job)
{
	static char much[MUCH];
	struct pollfd pfd = {.fd = job->fd, .events = POLLIN};
	struct epoll_event event;
	char buf[64];
	struct iovec iov = {buf, sizeof(buf)}, much_iov = {much, sizeof(much)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct mmsghdr messages = {.msg_hdr = msg};
	struct addr from = {.len = sizeof(from.storage)};
	fd_set set;

	switch (job->call) {
	case JOB_RECV:
		return recv(job->fd, buf, sizeof(buf), 0);
	case JOB_READ:
		return read(job->fd, buf, sizeof(buf));
	case JOB_RECVFROM:
		return recvfrom(job->fd, buf, sizeof(buf), 0, &from.sa, &from.len);
	case JOB_RECVMSG:
		return recvmsg(job->fd, &msg, 0);
	case JOB_RECVMMSG:
		return recvmmsg(job->fd, &messages, 1, 0, NULL);
	case JOB_WAITALL:
		return recv(job->fd, buf, sizeof(buf), MSG_WAITALL);
	case JOB_SEND:
		return send(job->fd, much, sizeof(much), 0);
	case JOB_SENDMSG:
		msg.msg_iov = &much_iov;
		return sendmsg(job->fd, &msg, 0);
	case JOB_WRITE:
		return write(job->fd, much, sizeof(much));
	case JOB_ACCEPT:
		return accept(job->fd, NULL, NULL);
	case JOB_ACCEPT4:
		return accept4(job->fd, &from.sa, &from.len, SOCK_CLOEXEC);
	case JOB_CONNECT:
		return connect(job->fd, ADDR(job->to));
	case JOB_POLL:
		return poll(&pfd, 1, -1);
	case JOB_SELECT:
		FD_ZERO(&set);
		FD_SET(job->fd, &set);
		return select(job->fd + 1, &set, NULL, NULL, NULL);
	case JOB_EPOLL:
		return epoll_wait(job->fd, &event, 1, -1);
	}
	return -1;
}

static inline void *job_main(void *arg)
{
	struct job *job = arg;

	job->tid = gettid();
	errno = 0;
	job->result = job_call(job);
	job->error = errno;
	job->done = true;
	return NULL;
}

/* Waits until the call sleeps and stays asleep for a while. Returns false if it does not block. A
 * connect() also sleeps earlier, until the instance has taken the call. */
static inline bool job_blocks(const struct job *job)
{
	const int enough = job->call == JOB_CONNECT ? 15 : 4;
	int64_t end = now_ms() + WAIT_MS;
	long before = -1;

	for (int same = 0; same < enough && now_ms() < end;) {
		long sleeps;

		pause_ms(10);
		if (job->done)
			return false;
		sleeps = job->tid ? sleeps_of(job->tid) : -1;
		same = sleeps >= 0 && sleeps == before ? same + 1 : 0;
		before = sleeps;
	}
	return !job->done;
}

static inline void job_start(struct job *job, enum job_call call, int fd, const struct addr *to)
{
	*job = (struct job){.call = call, .fd = fd, .to = to};
	if ((errno = pthread_create(&job->thread, NULL, job_main, job)))
		die("pthread_create");
}

/* Starts a job and waits until it blocks. */
static inline void job_block(struct job *job, enum job_call call, int fd, const struct addr *to)
{
	job_start(job, call, fd, to);
	if (!job_blocks(job))
		printf("%s: a call that must block does not (%d)\n", scope, (int)call);
}

/* Returns the call's result; -2 with errno EINPROGRESS if the call does not end. */
static inline long job_result(struct job *job)
{
	WAIT(job->done);
	if (!job->done) {
		errno = EINPROGRESS;
		return -2;
	}
	pthread_join(job->thread, NULL);
	errno = job->error;
	return job->result;
}

/* As a line: an accepted or a transferred number is "more than 0". */
static inline void job_say(const char *name, struct job *job)
{
	long result = job_result(job);

	if (result == -2)
		say(name, "it goes on");
	else if (result < 0)
		say(name, "%s", error_name(errno));
	else
		say(name, "%s", result ? "more than 0" : "0");
	if ((job->call == JOB_ACCEPT || job->call == JOB_ACCEPT4) && result >= 0)
		close((int)result);
}

static volatile sig_atomic_t signals_seen;

static void on_signal(int number)
{
	(void)number;
	signals_seen = signals_seen + 1;
}

static inline void catch_signal(int number, int flags)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};

	sigaction(number, &action, NULL);
	signals_seen = 0;
}

#endif
