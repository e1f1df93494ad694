/* SPDX-License-Identifier: Apache-2.0 */
/* speak.h - supervisors: processes that call for others */
#ifndef IJBLFP_CTL_SPEAK_H
#define IJBLFP_CTL_SPEAK_H

#include "ijblfp/ctl/ctl-state.h"

/*
 * The seccomp supervisor of lfp-run makes the calls of programs that cannot make them themselves.
 * The sockets belong to these programs and not to the supervisor: task, end, and what the operator
 * sees. A supervisor may speak for processes whose real user id is its own; root's may speak for
 * all. The supervisor gains no right that the process does not have: a request on a socket carries
 * the descriptor.
 */

/**
 * speak_for() - the request is another process's
 * @conn:	its pid and uid are changed to those of the process
 *
 * A supervisor in another pid namespace counts processes in another way: then it is itself the
 * task.
 *
 * Return: 0; EPERM if the caller may not speak for the process or the process does not exist.
 */
int speak_for(struct ctl_conn *conn, const struct lfp_ctl_request *request);

/* Updates the user of a process that connected long ago. */
void speak_renew(struct ctl_conn *conn);

/* LFP_CTL_REFUSED: writes it to the log, at a limited rate. Returns 0 or a positive errno. */
int speak_refused(struct ctl_conn *conn, const struct lfp_ctl_request *request);

#endif
