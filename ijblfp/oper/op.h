/* SPDX-License-Identifier: Apache-2.0 */
/* op.h - the operator's socket of an instance */
#ifndef IJBLFP_OPER_OP_H
#define IJBLFP_OPER_OP_H

#include <uv.h>

#include "ijblfp/base/list.h"
#include "ijblfp/oper/netstat.h"

struct instance;

/* lfp/admin.h says how it is asked; the requests are "info", "device", "sockets" (whose addresses
 * lfpd is asked for), "stop" (when the last task has ended) and "stop immediate". */
struct op_server {
	int listener;
	uv_poll_t poll;
	struct list conns;
	unsigned int nr_conns;
	struct netstat_round names; /* for those who have asked for sockets, and wait */
	char path[108];
};

int op_server_init(struct instance *inst, const char *path);

/* The round of questions is over: who waits for the sockets is answered. */
void op_server_names_known(struct instance *inst);

/* There may be descriptors again. */
void op_server_retry(struct instance *inst);
void op_server_finish(struct instance *inst);

#endif
