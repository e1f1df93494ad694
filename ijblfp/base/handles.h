/* SPDX-License-Identifier: Apache-2.0 */
/* handles.h - the handles of an instance on its loop */
#ifndef IJBLFP_BASE_HANDLES_H
#define IJBLFP_BASE_HANDLES_H

#include <uv.h>

struct instance;

/* For handles that belong to the instance: those counted are waited for at the end. */
void handle_open(struct instance *inst);

/* Closes @handle, whose data is overwritten. */
void handle_close(struct instance *inst, uv_handle_t *handle);

/* libuv has closed one. The last one of an instance that stops calls inst->all_closed(), which
 * frees it. */
void handle_gone(struct instance *inst);

#endif
