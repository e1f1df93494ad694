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
	void (*known)(struct instance *inst);
};

/* Asks lfpd about all sockets that need it. Calls @known after the last answer, or when the path
 * has ended. A round that is under way keeps its own @known. Returns false if nothing has to be
 * asked. */
bool netstat_ask(struct instance *inst, void (*known)(struct instance *inst));

/* Lines for netstat_print_sockets(), with what the last round has found. */
void netstat_put_sockets(FILE *out, struct instance *inst);

void netstat_forget(struct netstat_round *round);

#endif
