/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - what was refused to z/VSE goes to the log */
#include "lfpd/users/refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lfp/interface.h"
#include "lfp/log.h"
#include "lfpd/policy/rules.h"
#include "lfpd/state/instance.h"
#include "lfpd/state/session.h"
#include "lfpd/users/task.h"

#define SHARES_TOLD 8u  /* lines about users in that time */
#define BYTES_MAX   24u /* of a name that is shown */

static bool is_due(struct instance *inst, enum refusal kind, char more[static LFP_RATELIMIT_TEXT])
{
	return lfp_ratelimit_due(&inst->refusals.of[kind], uv_now(inst->loop), more);
}

void refusal_of_socket(struct instance *inst, int error)
{
	char more[LFP_RATELIMIT_TEXT];

	if (!is_due(inst, REFUSAL_SOCKET, more))
		return;
	if (error)
		lfp_msg("VLFD116W", "Too many open sockets, one was refused with ENFILE: %s%s.",
			strerror(error), more);
	else
		lfp_msg("VLFD115W",
			"Too many open sockets, one was refused with ENFILE: all of MAX_SOCKETS "
			"(%u) "
			"are in use%s.",
			inst->config.max_sockets, more);
}

void refusal_of_interface(struct instance *inst, int error)
{
	char more[LFP_RATELIMIT_TEXT];

	if (is_due(inst, REFUSAL_INTERFACE, more))
		lfp_msg("VLFD163W",
			"A socket was refused with ENETDOWN, because of HOST_INTERFACE = %s: %s%s.",
			inst->policy.interface, lfp_interface_strerror(error), more);
}

/* Returns the place of a reason in @refusals: its own, else the oldest one. */
static struct refusals_reason *reason_of(struct refusals *refusals, unsigned int key)
{
	struct refusals_reason *oldest = refusals->reasons;

	for (unsigned int i = 0; i < REFUSAL_REASONS; i++) {
		struct refusals_reason *reason = &refusals->reasons[i];

		if (reason->key == key && reason->limit.told)
			return reason;
		if (reason->limit.told < oldest->limit.told)
			oldest = reason;
	}
	return oldest;
}

/* A line of POLICY_FILE that refuses much does not hide the first refusal by another one. If all
 * places have been told about in ten seconds, the oldest one counts what the reason has refused. */
static bool is_reason_due(struct instance *inst, unsigned int key,
			  char more[static LFP_RATELIMIT_TEXT])
{
	struct refusals_reason *reason = reason_of(&inst->refusals, key);

	if (!lfp_ratelimit_due(&reason->limit, uv_now(inst->loop), more))
		return false;
	reason->key = key;
	return true;
}

void refusal_of_hostid(struct instance *inst, const struct rules_question *question,
		       const char *text, const char *why)
{
	char more[LFP_RATELIMIT_TEXT];

	if (is_reason_due(inst, REFUSAL_HOSTID - question->act, more))
		lfp_msg("VLFD170W", "User %u was refused %s, by %s%s.", question->uid, text, why,
			more);
}

void refusal_of_rule(struct instance *inst, uint32_t uid, const char *text, unsigned int line)
{
	char more[LFP_RATELIMIT_TEXT];

	inst->counters.rules_refused++;
	if (!is_reason_due(inst, line, more))
		return;
	if (line)
		lfp_msg("VLFD170W", "User %u was refused %s, by line %u of %s%s.", uid, text, line,
			inst->config.policy_file, more);
	else
		lfp_msg("VLFD170W", "User %u was refused %s%s.", uid, text, more);
}

void refusal_of_upstream(struct instance *inst, uint32_t uid, const char *upstream, const char *why,
			 unsigned int code)
{
	char more[LFP_RATELIMIT_TEXT], number[16] = "";

	if (!is_due(inst, REFUSAL_UPSTREAM, more))
		return;
	if (code)
		snprintf(number, sizeof(number), " %u", code);
	lfp_msg("VLFD171W",
		"A connection of user %u through the proxy of upstream %s failed: %s%s%s.", uid,
		upstream, why, number, more);
}

void refusal_of_task(struct instance *inst, unsigned int id, const char *partition)
{
	char more[LFP_RATELIMIT_TEXT];

	if (is_due(inst, REFUSAL_TASK, more))
		lfp_msg("VLFD117W",
			"Too many tasks, %02X (%s) was refused with EAGAIN: all of MAX_VSE_TASKS "
			"(%u) are "
			"in use%s.",
			id, partition, inst->config.max_vse_tasks, more);
}

/* The same for one user. */
static bool is_share_due(struct instance *inst, struct share_log *log,
			 char more[static LFP_RATELIMIT_TEXT])
{
	struct refusals *refusals = &inst->refusals;
	uint64_t now = uv_now(inst->loop);

	log->more++;
	if (log->told && now - log->told < LFP_RATELIMIT_MS)
		return false;
	if (!refusals->shares_since || now - refusals->shares_since >= LFP_RATELIMIT_MS) {
		refusals->shares_since = now ? now : 1;
		refusals->shares_told = 0;
	}
	if (refusals->shares_told >= SHARES_TOLD)
		return false;
	refusals->shares_told++;
	*more = '\0';
	if (log->more > 1)
		snprintf(more, LFP_RATELIMIT_TEXT, " (%u times since the last such message)",
			 log->more);
	log->told = now ? now : 1;
	log->more = 0;
	return true;
}

void refusal_of_share(struct instance *inst, uint32_t uid, unsigned int kind, unsigned int most)
{
	struct share *share = (struct share *)lfp_share_find(&inst->shares, uid);
	char more[LFP_RATELIMIT_TEXT];

	if (!share || !is_share_due(inst, &share->log[kind], more))
		return;
	switch ((enum share_kind)kind) {
	case SHARE_SOCKETS:
		lfp_msg("VLFD160W",
			"User %u has too many open sockets, all of MAX_SOCKETS_USER (%u). Its "
			"socket calls fail with ENFILE, and its connections wait%s.",
			uid, most, more);
		break;
	case SHARE_TASKS:
		lfp_msg("VLFD161W",
			"User %u has too many tasks, all of MAX_TASKS_USER (%u). Its new tasks "
			"get EAGAIN%s.",
			uid, most, more);
		break;
	case SHARE_LOOKUPS:
		lfp_msg("VLFD162W",
			"User %u has too many pending look-ups, three quarters of MAX_LOOKUPS "
			"(%u). Its look-ups fail with EAI_AGAIN%s.",
			uid, most, more);
		break;
	case SHARE_THREADS:
		break;
	}
}

void refusal_of_bytes(struct instance *inst, const uint8_t *bytes, unsigned int len)
{
	char more[LFP_RATELIMIT_TEXT], hex[2 * BYTES_MAX + 1] = "";

	if (!is_due(inst, REFUSAL_NAME, more))
		return;
	for (unsigned int i = 0; i < len && i < BYTES_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02X", bytes[i]);
	lfp_msg("VLFD118W", "The name X'%s'%s from z/VSE is not valid in VSE_CODEPAGE %s%s.", hex,
		len > BYTES_MAX ? "..." : "", inst->config.vse_codepage, more);
}

void refusal_of_name(struct instance *inst, const char *name)
{
	char more[LFP_RATELIMIT_TEXT];

	if (is_due(inst, REFUSAL_NAME, more))
		lfp_msg("VLFD119W",
			"The name %.255s cannot be sent to z/VSE: VSE_CODEPAGE %s lacks one of "
			"its characters%s.",
			name, inst->config.vse_codepage, more);
}

void refusal_of_frame(struct instance *inst, const struct lfp_frame *frame, const struct task *task,
		      const char *why)
{
	char more[LFP_RATELIMIT_TEXT], whose[128] = "";

	inst->counters.disagreements++;
	if (!is_due(inst, REFUSAL_FRAME, more))
		return;
	if (task)
		snprintf(whose, sizeof(whose), " of task %02X (%s), program %s,", task->id,
			 task->partition, task->program);
	lfp_msg("VLFD127W",
		"%s for socket 0x%" PRIx64 "%s was refused, and the socket is reset: %s%s.",
		lfp_message_name(frame->code), frame->sock, whose, why, more);
}

void refusal_answer(struct session *session, const struct lfp_frame *frame, int status,
		    const char *why)
{
	struct lfp_frame reset = {
		.code = LFP_RESET, .status = EPROTO, .sock = frame->sock, .epoch = frame->epoch};

	refusal_of_frame(session->instance, frame, task_find(session, frame->task), why);
	if (frame->request)
		session_answer(session, frame, status);
	else
		session_send(session, &reset);
}

bool refusal_if_spent(struct instance *inst, uint32_t uid, enum share_kind kind)
{
	if (!share_is_spent(inst, uid, kind))
		return false;
	inst->counters.refused_users[kind]++;
	refusal_of_share(inst, uid, kind, share_most(inst, kind));
	return true;
}
