/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the process of an LFP instance: START makes it, STOP ends it */
#ifndef IJBLFP_SERVER_H
#define IJBLFP_SERVER_H

#include <stdbool.h>

#include "ijblfp/base/statements.h"
#include "ijblfp/near/near-network.h"
#include "lfp/pidfile.h"

/* The instance is up already. A code between processes: ijblfpop's exit code is LFP_EXIT_FAILURE.
 */
#define SERVER_ALREADY_UP 2

struct server_options {
	bool foreground; /* stay in the foreground; messages go to standard error */
	bool tell;       /* the command says that the instance is up */
	bool log_all;    /* LOGALL: every message, and to the console log too */
	char vmid[9];    /* of this side */
};

/**
 * server_start() - start the instance that the statements describe
 *
 * Logs errors, and informational messages if the log is set up for them. Returns an exit code
 * (lfp/exit.h) or SERVER_ALREADY_UP when the first path to lfpd is there or could not be had; in
 * the process that stays (with @foreground the only one) when the instance has ended.
 */
int server_start(const struct ijblfp_statements *st, const struct server_options *options);

/**
 * server_network() - start the namespace for near ends, if the statements want it
 * @network:	filled
 * @use:	set to @network, or NULL; finish it with near_network_finish() when the instance is
 * gone
 *
 * Call it before other threads exist and before privileges are dropped. Logs errors. Returns an
 * exit code.
 */
int server_network(const struct ijblfp_statements *st, struct near_network *network,
		   struct near_network **use);

/* Locks the pid file of instance @id, and makes its directory if need be. Reports errors. Returns
 * an exit code or SERVER_ALREADY_UP. */
int server_lock(const char *id, struct lfp_pidfile *pidfile);

#endif
