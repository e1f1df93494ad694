/* SPDX-License-Identifier: Apache-2.0 */
/* isolation.h - privileges that lfpd drops, in three stages */
#ifndef LFPD_POLICY_ISOLATION_H
#define LFPD_POLICY_ISOLATION_H

#include <stdbool.h>
#include <sys/types.h>

#include "lfpd/conf/config.h"

/*
 * Each stage takes away what nothing after it needs:
 *
 *   isolate_early()   before anything is read: all capabilities but those that the next stage
 * needs, from the bounding set all but CAP_NET_BIND_SERVICE, for good (before
 * Linux 5.7 also CAP_NET_RAW, for HOST_INTERFACE); gaining privileges by
 * executing a file (no_new_privs) isolate_config()  the configuration is read: root's user and
 * groups, all capabilities but CAP_NET_BIND_SERVICE. Files made from now on belong to the user.
 *   isolate_run()     the instance is ready: system calls that it never makes
 *
 * For a process that is not root's the first two have nothing to take but no_new_privs. In a
 * private tree (LFP_ROOT) lfpd keeps what it has, unless USER is set.
 *
 * A process that restarts in its own (SIGUSR2) is what it was before, and skips the first two.
 */
#define ISOLATION_USER "lfpd" /* user of root's lfpd, without USER */

/* Return 0, or a negative errno after a message. */
int isolate_early(void);

/**
 * isolate_config() - become the user that serves
 * @config:	USER, ADMIN_GROUP, and the run-time directories that the user shall have
 * @file:	the configuration, which the user should be able to read again
 *
 * No other thread may be there yet. Sets LFP_ROOT to "/" for the system's own tree, as the places
 * of a user without root would be others.
 *
 * Return: LFP_EXIT_OK, or another exit code (lfp/exit.h) after a message with the reason.
 */
int isolate_config(const struct lfpd_config *config, const char *file);

/* For all threads. Return 0, or a negative errno, said: the instance can go on. */
int isolate_run(const struct lfpd_config *config);

/* Makes system calls that lfpd never needs fail with EPERM, in all threads and in executed
 * programs. Sets no_new_privs. Adds nothing if another filter is present, unless @more. Returns 0,
 * or a negative errno; then nothing is refused. */
int system_calls_refuse(bool more);

/* Makes the directories of the instance and of the LFP instance in this process. Changes their
 * owner, and that of files that an lfpd of root left there. Returns 0 or a negative errno. */
int isolation_give_places(const struct lfpd_config *config, uid_t uid, gid_t gid);

#endif
