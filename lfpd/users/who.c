/* SPDX-License-Identifier: Apache-2.0 */
/* who.c - asks the LFP instance about the processes of tasks */
#include "lfpd/users/who.h"

#include "lfpd/log/log.h"
#include "lfpd/policy/rules.h"

/* Each fact costs system calls of the instance for each socket, so only what is needed is asked
 * for. */
static unsigned int needed(const struct instance *inst)
{
	unsigned int parts = 0;

	if (inst->rules || inst->config.privileged_ports == LFPD_PORTS_OF_ROOT)
		parts |= LFP_WHO_GROUPS;
	if ((inst->rules && rules_name_program(inst->rules)) || log_is_on(inst))
		parts |= LFP_WHO_PROGRAM;
	return parts;
}

void who_ask(struct session *session)
{
	unsigned int parts = needed(session->instance);
	struct lfp_frame frame = {.code = LFP_ASK_WHO};

	if (!(session->features & LFP_FEATURE_WHO) || session->phase != PHASE_RUNS ||
	    !(parts & ~session->asked))
		return;
	session->asked |= parts;
	frame.ask_who.parts = (uint16_t)session->asked;
	session_send(session, &frame);
}
