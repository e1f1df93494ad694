/* SPDX-License-Identifier: Apache-2.0 */
/* op.h - the operator's socket of an instance */
#ifndef IJBLFP_OP_H
#define IJBLFP_OP_H

#include <uv.h>

#include "ijblfp/list.h"

struct instance;

/* lfp/admin.h says how it is asked; the requests are "info", "stop" (when the last task has
 * ended) and "stop immediate". */
struct op_server {
	int listener;
	uv_poll_t poll;
	struct list conns;
	unsigned int nr_conns;
	char path[108];
};

int op_server_init(struct instance *inst, const char *path);

/* There may be descriptors again. */
void op_server_retry(struct instance *inst);
void op_server_finish(struct instance *inst);

#endif
