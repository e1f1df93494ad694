/* SPDX-License-Identifier: Apache-2.0 */
/* lookup-log.c - what the log of connections says about look-ups */
#include "lfpd/names/lookup-log.h"

#include <string.h>

#include "lfp/addr.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

static struct log_record *begin(struct session *session, uint32_t number, uint32_t uid)
{
	const struct task *task = task_find(session, number);
	struct log_who who;

	task_who(task, task ? task->uid : uid, &who);
	return log_begin(session->instance, LOG_LOOKUP, &who);
}

void lookup_log_limit(struct session *session, const struct lfp_frame *frame,
		      const struct lfp_text *name, enum log_numbers numbers, int error)
{
	struct log_record *record;
	char text[NI_MAXHOST] = "";

	if (!log_is_on(session->instance))
		return;
	if (name && resolver_take_text(session, name, text, sizeof(text)) < 0)
		*text = '\0';
	record = begin(session, frame->task, UINT32_MAX);
	if (!record)
		return;
	snprintf(record->name, sizeof(record->name), "%.*s", LOG_NAME_MAX - 1, text);
	record->numbers = numbers;
	record->result = error;
	record->decision.refused_by = DECISION_LIMIT;
	log_end(session->instance);
}

static bool is_numeric(const char *name)
{
	const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
	struct addrinfo *list;

	if (getaddrinfo(name, NULL, &hints, &list))
		return false;
	freeaddrinfo(list);
	return true;
}

/* @first: as in lookup_log_end() */
static void put(const struct resolver_job *job, enum log_numbers numbers, int error,
		const struct decision *decision, const struct lfp_addr *first)
{
	struct log_record *record;

	if (!log_is_on(job->instance) ||
	    (job->has_name && ((job->hints.ai_flags & AI_NUMERICHOST) || is_numeric(job->name))))
		return;
	record = begin(job->session, job->reply.task, job->share->base.uid);
	if (!record)
		return;
	if (job->has_name || !error)
		snprintf(record->name, sizeof(record->name), "%.*s", LOG_NAME_MAX - 1, job->name);
	if (first)
		record->peer = *first;
	else if (job->addr_len)
		(void)lfp_addr_from(&record->peer, (const struct sockaddr *)&job->addr,
				    job->addr_len);
	record->peer.port = 0; /* of a getnameinfo(): no part of the question */
	record->numbers = numbers;
	record->result = error;
	record->decision = *decision;
	record->has_duration = true;
	record->duration = uv_hrtime() / 1000 - job->began;
	log_end(job->instance);
}

void lookup_log_rule(const struct resolver_job *job, enum log_numbers numbers, int error)
{
	put(job, numbers, error, &job->instance->decision, NULL);
}

void lookup_log_end(const struct resolver_job *job, enum log_numbers numbers,
		    const struct lfp_addr *first)
{
	put(job, numbers, job->error, &job->decision, first);
}
