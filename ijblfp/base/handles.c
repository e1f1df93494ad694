/* SPDX-License-Identifier: Apache-2.0 */
/* handles.c - the handles of an instance on its loop */
#include "ijblfp/base/handles.h"

#include "ijblfp/base/instance.h"

void handle_open(struct instance *inst)
{
	inst->handles++;
}

void handle_gone(struct instance *inst)
{
	if (--inst->handles == 0 && inst->stopping)
		inst->all_closed(inst);
}

void handle_let_go(void *data)
{
	handle_gone(data);
}

static void on_closed(uv_handle_t *handle)
{
	handle_gone(handle->data);
}

void handle_close(struct instance *inst, uv_handle_t *handle)
{
	handle->data = inst;
	uv_close(handle, on_closed);
}
