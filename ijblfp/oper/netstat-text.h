/* SPDX-License-Identifier: Apache-2.0 */
/* netstat-text.h - what NETSTAT prints */
#ifndef IJBLFP_OPER_NETSTAT_TEXT_H
#define IJBLFP_OPER_NETSTAT_TEXT_H

#include <stdio.h>

/*
 * The layouts are those of z/OS's NETSTAT DEVLINKS (-d) and ALLCONN (-a), to the byte, as IBM's
 * paper "Use of HiperSockets between WebSphere MQ on z/OS and WebSphere MQ on z/Linux" shows them.
 */

/* -d: @answer has lines with the keys of the template; what it lacks is n/a. The queue's own
 * statistics follow, in a section that is ours, if the answer has them. */
void netstat_print_device(FILE *out, const char *answer);

/* -a: the lines "socket" of @answer, "JOB ID STATE LOCAL FOREIGN", of @job (in either case) or, if
 * that is NULL, all. How many there were. */
unsigned int netstat_print_sockets(FILE *out, const char *answer, const char *job);

#endif
