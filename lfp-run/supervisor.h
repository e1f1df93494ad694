/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor.h - the process that serves the calls which the seccomp filter stops */
#ifndef LFP_RUN_SUPERVISOR_H
#define LFP_RUN_SUPERVISOR_H

#include <stdbool.h>

#include "lfp-run/join.h"

/*
 * Theory of operation
 *
 * lfp-run becomes the program by exec. So process id, parent, terminal and exit status are as
 * without lfp-run. The supervisor is a separate process. It is a grandchild, because the program
 * must not get an unknown child. It has its own session, so signals of the terminal do not reach
 * it. The supervisor holds no descriptor of the program and ends with the last process under the
 * filter.
 */

/**
 * supervisor_start() - start the supervisor, before the filter is installed
 * @self:	its answer to join.h's question
 * @strict: fails with -ENOPROTOOPT if it cannot guard connections (guard.h)
 *
 * The environment must be the program's already.
 * Return: a descriptor for supervisor_hand(), or a negative errno; -EPERM if it would not be
 * allowed to look into programs.
 */
int supervisor_start(const struct join *self, bool strict);

/* Give it the filter's listener; it serves when this returns 0. @conn is closed. With a @listener
 * of -1 it ends. */
int supervisor_hand(int conn, int listener);

#endif
