/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - what lfpd's limits refuse goes to the instance's log, too */
#include "ijblfp/refusal.h"

#include <stdbool.h>
#include <stdio.h>

#include "ijblfp/instance.h"
#include "lfp/log.h"

#define QUIET_MS 10000

static bool is_due(struct instance *inst, uint64_t *told, unsigned int *nr, char more[static 64])
{
	uint64_t now = uv_now(inst->loop);
	unsigned int since = *nr;

	if (*told && now - *told < QUIET_MS) {
		(*nr)++;
		return false;
	}
	*told = now ? now : 1;
	*nr = 0;
	*more = '\0';
	if (since)
		snprintf(more, 64, " (%u more since the last such message)", since);
	return true;
}

void refusal_of_socket(struct instance *inst)
{
	struct refusals *r = &inst->refusals;
	char more[64];

	if (is_due(inst, &r->socket_told, &r->sockets, more))
		lfp_msg("VLFB045W",
			"Too many open sockets, one was refused with ENFILE by lfpd %s: its "
			"messages say "
			"why%s.",
			inst->config.st.iucv_dest_appname, more);
}

void refusal_of_task(struct instance *inst, const char *program, long pid)
{
	struct refusals *r = &inst->refusals;
	char more[64];

	if (is_due(inst, &r->task_told, &r->tasks, more))
		lfp_msg("VLFB046W",
			"Too many tasks, that of program %s, process %ld, was refused with EAGAIN "
			"by lfpd "
			"%s%s.",
			program, pid, inst->config.st.iucv_dest_appname, more);
}
