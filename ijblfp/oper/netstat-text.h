/* SPDX-License-Identifier: Apache-2.0 */
/* netstat-text.h - the output of NETSTAT */
#ifndef IJBLFP_OPER_NETSTAT_TEXT_H
#define IJBLFP_OPER_NETSTAT_TEXT_H

#include <stdio.h>

/*
 * The layouts are those of z/OS's NETSTAT DEVLINKS (-d) and ALLCONN (-a), to the byte, as IBM's
 * paper "Use of HiperSockets between WebSphere MQ on z/OS and WebSphere MQ on z/Linux" shows them.
 */

/* -d: @answer has lines with the keys of the template; a missing key is printed as n/a. The queue's
 * own statistics follow in a section of this project's, if the answer has them. */
void netstat_print_device(FILE *out, const char *answer);

/* -a: prints the lines "socket" of @answer, "JOB ID STATE LOCAL FOREIGN", of @job (in either case)
 * or all if @job is NULL. Returns their number. */
unsigned int netstat_print_sockets(FILE *out, const char *answer, const char *job);

#endif
