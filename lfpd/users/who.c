/* SPDX-License-Identifier: Apache-2.0 */
/* who.c - asks the LFP instance about the processes of tasks */
#include "lfpd/users/who.h"

#include "lfpd/log/log.h"
#include "lfpd/policy/rules.h"

/* Returns true if the user is needed. Each more fact costs system calls of the instance for each
 * socket, so only what is needed is asked for. */
static bool is_needed(const struct instance *inst, unsigned int *parts)
{
	bool logs = log_is_on(inst);

	*parts = 0;
	if (inst->rules && rules_name_group(inst->rules))
		*parts |= LFP_WHO_GROUPS;
	if (logs || (inst->rules && rules_name_program(inst->rules)))
		*parts |= LFP_WHO_PROGRAM;
	return logs || inst->rules || inst->config.privileged_ports == LFPD_PORTS_OF_ROOT;
}

void who_ask(struct session *session)
{
	struct lfp_frame frame = {.code = LFP_ASK_WHO};
	unsigned int parts;

	if (!(session->features & LFP_FEATURE_WHO) || session->phase != PHASE_RUNS ||
	    !is_needed(session->instance, &parts))
		return;
	/* An older instance tells of no change of the user if it is asked for nothing else. */
	if (!parts && !(session->features & LFP_FEATURE_USER))
		parts = LFP_WHO_GROUPS;
	if (session->asked_who && !(parts & ~session->asked))
		return;
	session->asked_who = true;
	session->asked |= parts;
	frame.ask_who.parts = (uint16_t)session->asked;
	session_send(session, &frame);
}
