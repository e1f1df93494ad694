/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - TASK= of EZASMI: storage that belongs to one task from INITAPI to TERMAPI */
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/ezasmi/ezasmi.h"

/* The first bytes of the storage. */
struct tie {
	char eye[8];
	int task;
};

static const struct tie cleared;

static const char eye[8] = {'E', 'Z', 'A', 'S', 'M', 'T', 'I', 'E'};

int smi_check_task(const struct smi_call *call)
{
	struct tie tie;

	if (!call->said.TASK)
		return 0;
	if (memory_check_result(call->said.TASK, EZASMI_TIE))
		return -EFAULT;
	memcpy(&tie, call->said.TASK, sizeof(tie));
	if (!memcmp(&tie, &cleared, sizeof(tie)))
		return 0;
	if (memcmp(tie.eye, eye, sizeof(eye)) || tie.task != vse_task_current())
		return eza_error("EIBMBADPARM");
	return 0;
}

void smi_note_task(const struct smi_call *call)
{
	const struct vse_api *api = vse_api_find(MUX_EZA);
	struct tie tie = {.task = vse_task_current()};

	if (!call->said.TASK || !call->function || smi_check_task(call))
		return;
	memcpy(tie.eye, eye, sizeof(eye));
	memcpy(call->said.TASK, api && api->set_up ? &tie : &cleared, sizeof(tie));
}
