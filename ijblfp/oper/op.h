/* SPDX-License-Identifier: Apache-2.0 */
/* op.h - the operator's socket of an instance */
#ifndef IJBLFP_OPER_OP_H
#define IJBLFP_OPER_OP_H

#include <uv.h>

#include "ijblfp/base/list.h"

struct instance;

/* Requests of the operator that are for the whole instance. */
struct op_ops {
	void (*stop)(struct instance *inst); /* when the last task has ended */
	void (*stop_now)(struct instance *inst);
};

/* lfp/admin.h says how it is asked; the requests are "info", "device", "sockets" (whose addresses
 * lfpd is asked for), "stop" (when the last task has ended) and "stop immediate". */
struct op_server {
	int listener;
	const struct op_ops *ops;
	uv_poll_t poll;
	struct list conns;
	unsigned int nr_conns;
	char path[108];
};

int op_server_init(struct instance *inst, const char *path, const struct op_ops *ops);

/* There may be descriptors again. */
void op_server_retry(struct instance *inst);
void op_server_finish(struct instance *inst);

#endif
