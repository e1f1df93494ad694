/* SPDX-License-Identifier: Apache-2.0 */
/* operate.h - STOP, LIST, INFO and NETSTAT: commands about instances that are up */
#ifndef IJBLFP_OPER_OPERATE_H
#define IJBLFP_OPER_OPERATE_H

#include <stdbool.h>

/* All return an exit code (lfp/exit.h) and report errors. @id is two digits. */

/* Ends an instance and waits until it is gone. Without @immediate it waits for the end of tasks and
 * sockets. No new tasks begin meanwhile, even if the command is interrupted. */
int operate_stop(const char *id, bool immediate);

int operate_list(void);

/* NETSTAT: prints the device (-d) if its link is @link or @link is NULL; or (-a) the sockets of
 * @job, or all. */
int operate_netstat_device(const char *id, const char *link);
int operate_netstat_sockets(const char *id, const char *job);

/* @tasks: SHOWTASKS; @all: LOGALL. */
int operate_info(const char *id, bool tasks, bool all);

#endif
