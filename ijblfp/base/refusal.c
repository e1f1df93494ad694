/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.c - the instance's log lines about calls that lfpd's limits refuse */
#include "ijblfp/base/refusal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "ijblfp/base/instance.h"
#include "lfp/frame.h"
#include "lfp/log.h"

#define NAME_SHOWN 255u /* bytes of a program's text in a message */

void ijblfp_refusal_of_socket(struct instance *inst)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->socket, uv_now(inst->loop), more))
		lfp_msg("VLFB045W",
			"Too many open sockets: lfpd %s has refused one with ENFILE. See the "
			"messages of lfpd%s.",
			inst->config.st.iucv_dest_appname, more);
}

void refusal_of_descriptor(struct instance *inst, unsigned int limit)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->descriptor, uv_now(inst->loop), more))
		lfp_msg("VLFB058W",
			"Instance %s has no descriptor for another socket or task (limit %u): one "
			"was refused with ENFILE%s.",
			inst->config.st.id, limit, more);
}

void ijblfp_refusal_of_task(struct instance *inst, const char *program, long pid)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->task, uv_now(inst->loop), more))
		lfp_msg("VLFB046W",
			"Too many tasks: lfpd %s has refused the task of program %s, process %ld, "
			"with EAGAIN%s.",
			inst->config.st.iucv_dest_appname, program, pid, more);
}

void refusal_of_call(struct instance *inst, unsigned int uid, unsigned int most)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->call, uv_now(inst->loop), more))
		lfp_msg("VLFB066W",
			"User %u has %u calls that wait for an answer, the most for one user. Its "
			"further calls fail with EAGAIN%s.",
			uid, most, more);
}

void refusal_of_program_name(struct instance *inst, const char *name, size_t len)
{
	char more[LFP_RATELIMIT_TEXT], text[NAME_SHOWN + 1];
	size_t i;

	if (!lfp_ratelimit_due(&inst->refusals->name, uv_now(inst->loop), more))
		return;
	for (i = 0; i < len && i < NAME_SHOWN; i++)
		text[i] = (unsigned char)name[i] < ' ' || name[i] == 0x7f ? '?' : name[i];
	text[i] = '\0';
	lfp_msg("VLFB067W",
		"A program asks lfpd %s for the name %s, which has a character that VSE_CODEPAGE "
		"lacks. The call fails%s.",
		inst->config.st.iucv_dest_appname, text, more);
}

void ijblfp_refusal_of_frame(struct instance *inst, const struct lfp_frame *frame,
			     const char *program, const char *why)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	inst->disagreements++;
	if (lfp_ratelimit_due(&r->frame, uv_now(inst->loop), more))
		lfp_msg("VLFB065W",
			"%s of lfpd %s for socket 0x%" PRIx64 "%s%s was refused, and the socket is "
			"reset: %s%s.",
			lfp_message_name(frame->code), inst->config.st.iucv_dest_appname,
			frame->sock, program ? " of program " : "", program ? program : "", why,
			more);
}

void refusal_of_connection(struct instance *inst)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->connection, uv_now(inst->loop), more))
		lfp_msg("VLFB068W", "Instance %s has no memory for a connection, and resets it%s.",
			inst->config.st.id, more);
}

void refusal_of_process(struct instance *inst, unsigned int uid)
{
	struct refusals *r = inst->refusals;
	char more[LFP_RATELIMIT_TEXT];

	if (lfp_ratelimit_due(&r->process, uv_now(inst->loop), more))
		lfp_msg("VLFB093W",
			"Instance %s cannot identify a calling process of user %u, because the "
			"process is not in the instance's pid namespace and the kernel is older "
			"than 6.9. The call fails with EPERM%s.",
			inst->config.st.id, uid, more);
}
