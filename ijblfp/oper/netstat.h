/* SPDX-License-Identifier: Apache-2.0 */
/* netstat.h - an instance's answer to NETSTAT: its device, its sockets with their addresses */
#ifndef IJBLFP_OPER_NETSTAT_H
#define IJBLFP_OPER_NETSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfp/frame.h"

struct instance;

/* Writes lines KEY<TAB>VALUE for netstat_print_device(). */
void netstat_put_device(FILE *out, struct instance *inst);

/* Addresses that only lfpd knows: those of sockets that connected or listen. */
struct netstat_name {
	uint64_t sock;
	struct lfp_addr local, peer; /* family 0: not known */
};

/* One round of questions about these addresses. */
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

/* Writes lines for netstat_print_sockets(), with the results of the last round. */
void netstat_put_sockets(FILE *out, struct instance *inst);

void netstat_forget(struct netstat_round *round);

#endif
