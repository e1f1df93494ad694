/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - the status line for the owner: is z/VSE connected? */
#include "lfpd/state/instance.h"

#include <stdio.h>

#include "lfpd/state/session.h"

void instance_tell_status(struct instance *inst)
{
	char text[128];

	if (!inst->on_status)
		return;
	if (inst->session)
		snprintf(text, sizeof(text), "z/VSE instance %s of %s is connected",
			 inst->session->hello.appname, inst->session->hello.vmid);
	else
		snprintf(text, sizeof(text), "z/VSE instance is not connected");
	inst->on_status(inst, text);
}
