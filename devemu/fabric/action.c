/* SPDX-License-Identifier: Apache-2.0 */
/* action.c - parts that fail and come back, and SETIOS, each at its time */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/build.h"
#include "devemu/fabric/io.h"
#include "devemu/fabric/trace.h"

/* I/Os in progress over a failed path are lost: the path's new epoch marks them. */
static void paths_lost(struct fabric *fabric)
{
	for (size_t p = 0; p < fabric->paths; p++)
		if (!path_usable(&fabric->path[p]))
			fabric->path[p].epoch++;
}

static void set_link(struct fabric *fabric, const char *name, bool up)
{
	for (size_t l = 0; l < fabric->links; l++)
		if (!strcmp(fabric->link[l].name, name))
			fabric->link[l].up = up;
}

static void on_action(struct sim *sim, struct sim_node *node)
{
	const struct fabric_action *action = (struct fabric_action *)node;
	struct fabric *fabric = action->fabric;
	const struct fault_config *fault = action->fault;
	struct fabric_channel *channel = NULL;

	if (!fault) {
		fabric->zhpf = action->setios->zhpf;
		eventlog_add(&sim->log, sim->now, TRACE_SETIOS, 0, fabric->zhpf);
		return;
	}
	eventlog_add(&sim->log, sim->now, fault->up ? TRACE_RESTORE : TRACE_FAIL, fault->target,
		     fault->number);
	switch (fault->target) {
	case FAULT_CHANNEL:
		channel = fabric_channel(fabric, fault->number);
		channel->up = fault->up;
		break;
	case FAULT_DOMAIN:
		for (size_t d = 0; d < fabric->domains; d++)
			if (fabric->domain[d].number == fault->number)
				fabric->domain[d].up = fault->up;
		break;
	case FAULT_LINK:
		set_link(fabric, fault->name, fault->up);
		break;
	}
	if (!fault->up)
		paths_lost(fabric);
	if (channel && !channel->up)
		channel_failed(channel);
}

static bool fault_known(const struct fabric *fabric, const struct fault_config *fault)
{
	switch (fault->target) {
	case FAULT_CHANNEL:
		return fabric_channel((struct fabric *)fabric, fault->number) != NULL;
	case FAULT_DOMAIN:
		for (size_t d = 0; d < fabric->domains; d++)
			if (fabric->domain[d].number == fault->number)
				return true;
		return false;
	case FAULT_LINK:
		for (size_t l = 0; l < fabric->links; l++)
			if (!strcmp(fabric->link[l].name, fault->name))
				return true;
	}
	return false;
}

int build_actions(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	fabric->action = calloc(config->faults + config->setioses + 1, sizeof(*fabric->action));
	if (!fabric->action)
		return -ENOMEM;
	for (size_t i = 0; i < config->faults; i++) {
		const struct fault_config *fault = &config->fault[i];

		if (!fault_known(fabric, fault))
			return build_fail(error, fault->line, "%s: unknown channel, domain or link",
					  fault->up ? "restore" : "fail");
		fabric->action[fabric->actions++] =
			(struct fabric_action){{on_action}, fabric, fault, NULL};
	}
	for (size_t i = 0; i < config->setioses; i++)
		fabric->action[fabric->actions++] =
			(struct fabric_action){{on_action}, fabric, NULL, &config->setios[i]};
	return 0;
}

void actions_begin(struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->actions; i++) {
		struct fabric_action *action = &fabric->action[i];

		sim_at(&fabric->sim, action->fault ? action->fault->at : action->setios->at,
		       &action->node);
	}
}
