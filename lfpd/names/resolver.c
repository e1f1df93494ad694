/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.c - questions about names become jobs of libuv's thread pool */
#include "lfpd/names/resolver.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/number.h"
#include "lfpd/names/resolver-job.h"
#include "lfpd/names/ruling.h"
#include "lfpd/policy/subject.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/* The user of a question whose task is unknown; no user has this number. */
#define UID_NONE UINT32_MAX

#define THREADS_MAX 1024u /* libuv's */

void resolver_job_free(struct resolver_job *job)
{
	if (job->list)
		freeaddrinfo(job->list);
	if (job->interfaces)
		freeifaddrs(job->interfaces);
	free(job->buf);
	free(job->question);
	if (job->share)
		share_drop(job->instance, job->share, SHARE_LOOKUPS);
	free(job);
}

/* The number of threads that libuv makes. */
static unsigned int nr_threads(void)
{
	const char *given = getenv("UV_THREADPOOL_SIZE");
	unsigned long nr = 4;

	if (given && lfp_number(given, 0, INT_MAX, &nr))
		nr = 1;
	return !nr ? 1 : nr > THREADS_MAX ? THREADS_MAX : (unsigned int)nr;
}

static void wait_in_line(struct resolver_job *job)
{
	struct share *share = job->share;

	if (lfp_list_empty(&share->jobs))
		lfp_list_append(&job->instance->turns, &share->turn);
	lfp_list_append(&share->jobs, &job->turn);
}

static void leave_line(struct resolver_job *job)
{
	struct share *share = job->share;

	lfp_list_del(&job->turn);
	/* The next turn is another user's. */
	if (lfp_list_empty(&share->jobs))
		lfp_list_del(&share->turn);
	else
		lfp_list_append(&job->instance->turns, &share->turn);
}

/* Returns whether the user may have one more thread. */
static bool may_run(const struct instance *inst, const struct share *share, unsigned int threads)
{
	unsigned int has = share->base.used[SHARE_THREADS];
	unsigned int left = threads - (inst->nr_looked_up - has); /* by others */

	return !lfp_share_is_spent(share->base.uid, has, lfp_share_of(left));
}

static struct resolver_job *next_job(const struct instance *inst)
{
	unsigned int threads = nr_threads();
	struct share *share;

	if (inst->nr_looked_up >= threads)
		return NULL;
	/* Those before it that may not have a thread each: they are not more than threads. */
	lfp_list_each(share, &inst->turns, turn)
		if (may_run(inst, share, threads))
			return lfp_list_first_entry(&share->jobs, struct resolver_job, turn);
	return NULL;
}

static void on_work(uv_work_t *work)
{
	struct resolver_job *job = work->data;

	job->run(job);
}

static void on_done(uv_work_t *work, int status);

static void go_on(struct instance *inst)
{
	struct resolver_job *job;

	/* The resumed session asks all these questions again. */
	if (inst->session && inst->session->phase == PHASE_SUSPENDED)
		return;
	while ((job = next_job(inst))) {
		leave_line(job);
		inst->nr_looked_up++;
		/* It has an entry already, so there is memory for it. */
		(void)share_take(inst, job->share->base.uid, SHARE_THREADS);
		/* Fails for wrong arguments only. */
		(void)uv_queue_work(inst->loop, &job->work, on_work, on_done);
	}
}

static void on_done(uv_work_t *work, int status)
{
	struct resolver_job *job = work->data;
	struct instance *inst = job->instance;

	inst->nr_looked_up--;
	share_drop(inst, job->share, SHARE_THREADS);
	if (job->session && job->session->phase == PHASE_SUSPENDED) {
		job->finished = true;
		return;
	}
	if (job->session) {
		lfp_list_del(&job->entry);
		job->session->nr_jobs--;
		if (!status)
			job->answer(job);
	}
	resolver_job_free(job);
	go_on(inst);
}

#define ENOUGH 65536 /* bytes; a look-up takes less */

int resolver_lack(void)
{
	int error = errno;
	void *some;

	if (error == ENOMEM || error == EMFILE || error == ENFILE)
		return error;
	/* Another error may have overwritten ENOMEM: look whether memory is still short. */
	some = malloc(ENOUGH);
	free(some);
	return some ? 0 : ENOMEM;
}

static void run_nothing(uv_work_t *work)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;

	(void)work;
	if (!getaddrinfo("localhost", NULL, &hints, &list))
		freeaddrinfo(list);
}

static void on_nothing(uv_work_t *work, int status)
{
	(void)work;
	(void)status;
}

void resolver_prepare(uv_loop_t *loop)
{
	static uv_work_t nothing;

	(void)uv_queue_work(loop, &nothing, run_nothing, on_nothing);
}

/* For a session that may be suspended. */
static int keep_question(struct resolver_job *job, const struct lfp_frame *frame)
{
	uint8_t buf[LFP_FRAME_HEADER + 2048];
	int n = lfp_frame_encode(frame, buf, sizeof(buf));

	job->question = n > 0 ? malloc((size_t)n) : NULL;
	if (!job->question)
		return -ENOMEM;
	memcpy(job->question, buf, (size_t)n);
	job->question_len = (uint32_t)n;
	return 0;
}

bool resolver_permits(const struct resolver_job *job, const char *name)
{
	const struct task *task = task_find(job->session, job->reply.task);

	return ruling_lookup(job->instance, job->uid, task ? task->who : NULL, name);
}

struct resolver_job *resolver_job_create(struct session *session, const struct lfp_frame *frame)
{
	const struct task *task = task_find(session, frame->task);
	struct instance *inst = session->instance;
	uint32_t uid = task ? task->uid : UID_NONE;
	struct resolver_job *job = NULL;

	if (session->nr_jobs < inst->config.max_lookups &&
	    !refusal_if_spent(inst, uid, SHARE_LOOKUPS))
		job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	lfp_list_init(&job->entry);
	lfp_list_init(&job->turn);
	job->instance = inst;
	job->uid = task && task->who ? task->who->uid : uid;
	job->share = share_take(inst, uid, SHARE_LOOKUPS);
	if (!job->share ||
	    ((session->features & LFP_FEATURE_RESUME) && keep_question(job, frame))) {
		resolver_job_free(job);
		return NULL;
	}
	job->session = session;
	job->reply = session_reply(frame);
	job->work.data = job;
	job->began = uv_hrtime() / 1000;
	session->instance->decision = (struct decision){.refused_by = DECISION_NONE};
	return job;
}

void resolver_job_start(struct resolver_job *job)
{
	job->decision = job->instance->decision;
	lfp_list_append(&job->session->jobs, &job->entry);
	job->session->nr_jobs++;
	wait_in_line(job);
	go_on(job->instance);
}

void resolver_drop_all(struct session *session)
{
	struct resolver_job *job;

	while ((job = lfp_list_first_entry(&session->jobs, struct resolver_job, entry))) {
		lfp_list_del(&job->entry);
		job->session = NULL;
		if (!lfp_list_empty(&job->turn))
			leave_line(job);
		else if (!job->finished) {
			uv_cancel((uv_req_t *)&job->work); /* on_done() comes in any case */
			continue;
		}
		resolver_job_free(job);
	}
	session->nr_jobs = 0;
}

int resolver_take_text(struct session *session, const struct lfp_text *text, char *out, size_t room)
{
	struct instance *inst = session->instance;
	int rc = lfp_codepage_from_path(inst->codepage, text->ptr, text->len, out, room);

	if (rc == -EILSEQ)
		refusal_of_bytes(inst, text->ptr, text->len);
	return rc;
}

bool resolver_put_text(struct session *session, const char *in, uint8_t *buf, size_t room,
		       struct lfp_text *out)
{
	int n = lfp_codepage_to_path(session->instance->codepage, in, strlen(in), (char *)buf,
				     room);

	if (n == -EILSEQ)
		refusal_of_name(session->instance, in);
	out->ptr = buf;
	out->len = n > 0 ? (uint16_t)n : 0;
	return n >= 0;
}

size_t resolver_room(const struct session *session, size_t fixed)
{
	return path_frame_max(session->path) - LFP_FRAME_HEADER - fixed;
}
