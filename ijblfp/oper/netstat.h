/* SPDX-License-Identifier: Apache-2.0 */
/* netstat.h - what an instance says for NETSTAT: its device, its sockets with their addresses */
#ifndef IJBLFP_OPER_NETSTAT_H
#define IJBLFP_OPER_NETSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfp/frame.h"

struct instance;

/* Lines KEY<TAB>VALUE for netstat_print_device(). */
void netstat_put_device(FILE *out, struct instance *inst);

/* Addresses that only lfpd knows: of sockets that connected or listen. */
struct netstat_name {
	uint64_t sock;
	struct lfp_addr local, peer; /* family 0: not known */
};

/* A round of questions about them. */
struct netstat_round {
	unsigned int pending;
	struct netstat_name *names; /* with the ids of sockets in ascending order */
	size_t nr;
};

/* Ask lfpd about all sockets that need it. When the last answer is there, or the path has ended,
 * op_server_names_known() is called; or nothing has to be asked: false. */
bool netstat_ask(struct instance *inst);

/* Lines for netstat_print_sockets(), with what the last round has found. */
void netstat_put_sockets(FILE *out, struct instance *inst);

void netstat_forget(struct netstat_round *round);

#endif
