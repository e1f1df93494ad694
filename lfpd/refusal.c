/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - what was refused to z/VSE goes to the log */
#include "lfpd/refusal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lfp/log.h"
#include "lfpd/instance.h"

#define QUIET_MS  10000
#define BYTES_MAX 24u /* of a name that is shown */

/* Is it to be told? @more is then set to " (N more since the last message)", or to nothing. */
static bool is_due(struct instance *inst, enum refusal kind, char more[static 64])
{
	uint64_t now = uv_now(inst->loop);
	unsigned int since = inst->refusals.of[kind].more;

	if (inst->refusals.of[kind].told && now - inst->refusals.of[kind].told < QUIET_MS) {
		inst->refusals.of[kind].more++;
		return false;
	}
	inst->refusals.of[kind].told = now ? now : 1;
	inst->refusals.of[kind].more = 0;
	*more = '\0';
	if (since)
		snprintf(more, 64, " (%u more since the last such message)", since);
	return true;
}

void refusal_of_socket(struct instance *inst, int error)
{
	char more[64];

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

void refusal_of_task(struct instance *inst, unsigned int id, const char *partition)
{
	char more[64];

	if (is_due(inst, REFUSAL_TASK, more))
		lfp_msg("VLFD117W",
			"Too many tasks, %02X (%s) was refused with EAGAIN: all of MAX_VSE_TASKS "
			"(%u) are "
			"in use%s.",
			id, partition, inst->config.max_vse_tasks, more);
}

void refusal_of_bytes(struct instance *inst, const uint8_t *bytes, unsigned int len)
{
	char more[64], hex[2 * BYTES_MAX + 1] = "";

	if (!is_due(inst, REFUSAL_NAME, more))
		return;
	for (unsigned int i = 0; i < len && i < BYTES_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02X", bytes[i]);
	lfp_msg("VLFD118W", "The name X'%s'%s from z/VSE is none in VSE_CODEPAGE %s%s.", hex,
		len > BYTES_MAX ? "..." : "", inst->config.vse_codepage, more);
}

void refusal_of_name(struct instance *inst, const char *name)
{
	char more[64];

	if (is_due(inst, REFUSAL_NAME, more))
		lfp_msg("VLFD119W",
			"The name %.255s cannot be told to z/VSE: VSE_CODEPAGE %s lacks a "
			"character of it%s.",
			name, inst->config.vse_codepage, more);
}
