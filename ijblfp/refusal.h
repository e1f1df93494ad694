/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what lfpd's limits refuse goes to the instance's log, too */
#ifndef IJBLFP_REFUSAL_H
#define IJBLFP_REFUSAL_H

#include <stdint.h>

struct instance;

/* All zero at first: when each kind was told, in ms of the loop's clock, and how many there were
 * since. */
struct refusals {
	uint64_t socket_told, task_told;
	unsigned int sockets, tasks;
};

/* lfpd has answered ENFILE to SOCKET, EAGAIN to TASK_BEGIN: said at most once in ten seconds, with
 * the number of those in between. */
void refusal_of_socket(struct instance *inst);
void refusal_of_task(struct instance *inst, const char *program, long pid);

#endif
