/* SPDX-License-Identifier: Apache-2.0 */
/* resolver.c - questions about names become jobs of libuv's thread pool */
#include "lfpd/resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/resolver-job.h"

void resolver_job_free(struct resolver_job *job)
{
	if (job->list)
		freeaddrinfo(job->list);
	if (job->interfaces)
		freeifaddrs(job->interfaces);
	free(job->buf);
	free(job->question);
	free(job);
}

static void on_work(uv_work_t *work)
{
	struct resolver_job *job = work->data;

	job->run(job);
}

static void on_done(uv_work_t *work, int status)
{
	struct resolver_job *job = work->data;

	if (job->session && job->session->phase == PHASE_SUSPENDED) {
		job->finished = true;
		return;
	}
	if (job->session) {
		TAILQ_REMOVE(&job->session->jobs, job, entry);
		job->session->nr_jobs--;
		if (!status)
			job->answer(job);
	}
	resolver_job_free(job);
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

struct resolver_job *resolver_job_create(struct session *session, const struct lfp_frame *frame)
{
	struct resolver_job *job = NULL;

	if (session->nr_jobs < session->instance->config.max_lookups)
		job = calloc(1, sizeof(*job));
	if (job && (session->features & LFP_FEATURE_RESUME) && keep_question(job, frame)) {
		free(job);
		job = NULL;
	}
	if (!job)
		return NULL;
	job->session = session;
	job->reply = session_reply(frame);
	job->work.data = job;
	return job;
}

void resolver_job_start(struct resolver_job *job, int error)
{
	struct session *session = job->session;

	if (uv_queue_work(session->instance->loop, &job->work, on_work, on_done)) {
		job->error = error;
		job->answer(job);
		resolver_job_free(job);
		return;
	}
	TAILQ_INSERT_TAIL(&session->jobs, job, entry);
	session->nr_jobs++;
}

void resolver_drop_all(struct session *session)
{
	struct resolver_job *job;

	while ((job = TAILQ_FIRST(&session->jobs))) {
		TAILQ_REMOVE(&session->jobs, job, entry);
		job->session = NULL;
		if (job->finished) {
			resolver_job_free(job);
			continue;
		}
		uv_cancel((uv_req_t *)&job->work); /* on_done() comes in any case */
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
