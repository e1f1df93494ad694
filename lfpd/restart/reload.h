/* SPDX-License-Identifier: Apache-2.0 */
/* reload.h - the configuration file is read again while the instance runs */
#ifndef LFPD_RESTART_RELOAD_H
#define LFPD_RESTART_RELOAD_H

#include <stdio.h>

#include "lfpd/state/instance.h"

/* @rc: 0, -EINVAL for a wrong file, or another negative errno. @text: @len bytes of the answer, as
 * in lfp/admin.h: "ok", then "changed<TAB>KEY" for what has changed and "kept<TAB>KEY" for what
 * differs in the file and cannot change while the instance runs; or "error<TAB>TEXT". It is the
 * callee's, who frees it. NULL without memory. */
typedef void (*reload_done)(void *data, int rc, char *text, size_t len);

/**
 * reload() - apply the changes in the file
 * @done:	called at the end, maybe before this returns, also when the instance stops
 *
 * A file that is wrong, or that asks for an address which the host lacks, changes nothing. All of
 * the answer appears in messages, too. A thread reads the rules, and the loop goes on meanwhile. A
 * reload that is asked for during another one follows it.
 *
 * Restrictions hold for sockets that are made from then on, names of peers for the next LFP
 * instance that connects. Return: 0, or -ENOMEM without a call of @done.
 */
int reload(struct instance *inst, reload_done done, void *data);

bool reload_is_under_way(const struct instance *inst);

/* Returns whether so many wait for the one under way that clients should not add another one. */
#define RELOADS_WAITING_MAX 16u
bool reload_is_full(const struct instance *inst);

/* How a reload moves METRICS_LISTEN. The functions are in lfpd/watch/metrics.c. */
struct metrics_ops {
	/* Listens at @where beside the old place. Sets *@next, NULL for no place (""), the old one
	 * for the same place. Returns 0 or a negative errno. */
	int (*open)(struct instance *inst, const char *where, struct metrics **next);
	/* Closes the old place and keeps @next. */
	void (*use)(struct instance *inst, struct metrics *next);
	/* Closes @next and keeps the old place. */
	void (*drop)(struct instance *inst, struct metrics *next);
	/* Gives a UNIX socket to a group; does nothing about a port. Returns 0 or a negative errno.
	 */
	int (*give)(const struct instance *inst, gid_t gid);
};

/* Apply LOG_INFO_MSG and LOG_LEVEL. */
void reload_log(const struct instance *inst);

/* Give the admin socket, and METRICS_LISTEN if it is one, to ADMIN_GROUP. 0 or a negative errno. */
int reload_admin_group(struct instance *inst);

/* Sets the mode of the path's socket: with PEER_USER or PEER_GROUP, which check the connecting
 * process, any user may open it; otherwise only lfpd's user and group. Logs failures. */
void reload_path_mode(const struct instance *inst);

/* Sockets that are bound from now on follow PUBLISH. */
void reload_publish(struct instance *inst);

#endif
