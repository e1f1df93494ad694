/* SPDX-License-Identifier: Apache-2.0 */
/* op.h - the operator's socket of an instance */
#ifndef IJBLFP_OPER_OP_H
#define IJBLFP_OPER_OP_H

#include <uv.h>

#include "lfp/list.h"

struct instance;

/* Requests of the operator that are for the whole instance. */
struct op_ops {
	void (*stop)(struct instance *inst); /* when the last task has ended */
	void (*stop_now)(struct instance *inst);
};

/* lfp/admin.h describes the form of requests. They are "info", "device", "sockets" (for which lfpd
 * is asked for addresses), "stop" (after the end of the last task) and "stop immediate". */
struct op_server {
	int listener;
	const struct op_ops *ops;
	uv_poll_t poll;
	struct lfp_list conns;
	unsigned int nr_conns;
	char path[108];
};

int op_server_init(struct instance *inst, const char *path, const struct op_ops *ops);

/* Descriptors may be free again. */
void op_server_retry(struct instance *inst);
void op_server_finish(struct instance *inst);

#endif
