/* SPDX-License-Identifier: Apache-2.0 */
/* handles.h - the handles of an instance on its loop */
#ifndef IJBLFP_BASE_HANDLES_H
#define IJBLFP_BASE_HANDLES_H

#include <uv.h>

struct instance;

/* For handles that belong to the instance: the end of the instance waits for the counted ones. */
void handle_open(struct instance *inst);

/* Closes @handle and overwrites its data pointer. */
void handle_close(struct instance *inst, uv_handle_t *handle);

/* The close callback of members of the reactor; @data is the instance. */
void handle_let_go(void *data);

/* libuv's close callback. The last handle of an instance that stops calls inst->all_closed(), which
 * frees the instance. */
void handle_gone(struct instance *inst);

#endif
