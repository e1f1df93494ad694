/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h - the TCP/IP stack in the program's own partition: its directory and its processes */
#ifndef LFP_RUN_PARTITION_H
#define LFP_RUN_PARTITION_H

#include <limits.h>

#include "lfp/options.h"
#include "lfp/places.h"
#include "libvsesock/mux/files.h"

/*
 * Theory of operation
 *
 * A partition has an LFP instance of its own. The path of the instance leads to the process with
 * the sockets: lfpd for the sockets of this machine (MUX_STACK_HOST), lfp-stack for a stack of its
 * own (MUX_STACK_OWN). Both speak the protocol of the path, so each socket interface works as on
 * LFP. lfpd hosts the instance in its own process (TRANSPORT = local).
 *
 * The files of these processes are in the directory RUN/vselfp/stacks-UID/P.XXXXXX. Other users
 * cannot enter the directory, and it is LFP_ROOT for these processes. A keeper (keeper.c) starts
 * and ends them. The keeper is not a child of the program, and holds none of the program's
 * descriptors. Its parent, the sweeper, waits until the keeper and all processes of the partition
 * have ended, for whatever reason, and then removes the directory. The keeper makes the directory,
 * when the sweeper is there and knows its name, and holds its lock. The next start removes each
 * directory whose lock nobody holds.
 */
struct partition {
	char nn[3];
	enum mux_stack stack;
	char dir[LFP_PLACE_MAX];
	char conf[LFP_PLACE_MAX + 32];       /* of lfpd, or of lfp-stack */
	int lock;                            /* the lock of dir */
	const struct partition_rules *rules; /* NULL: none */
	int log;                             /* lfpd writes CONNECTION_LOG there; -1: none */
	int program;                         /* pidfd of the process that becomes the program */
};

/* Application name of lfpd and lfp-stack, and the z/VM user id of all processes of a partition. */
#define PARTITION_NAME "STACK"
#define PARTITION_VMID "STACKVM"

/**
 * partition_start() - start the stack of system id @nn for this process and its children
 * @stack:	MUX_STACK_HOST or MUX_STACK_OWN
 * @why:	set to the reason if it does not start
 *
 * Sets LFP_STACK. If an lfp-run around this one has started the stack of @nn, uses that stack.
 *
 * Return: 0 or -1.
 */
int partition_start(const char *nn, enum mux_stack stack, char why[static PATH_MAX]);

/* The rules of a private instance (lfpd-policy(5)). */
struct partition_rules {
	const char *file;         /* absolute path, or NULL */
	struct lfp_texts single;  /* used without a file: options "allow" and "deny" */
	struct lfp_texts publish; /* [ADDR:]PORT[:PORT] of options "publish" */
	const char *upstream;     /* URL of a proxy for what the options allow; NULL: none */
	const char *credentials;  /* absolute path of its credentials, or NULL */
};

/**
 * partition_start_private() - start an instance for one program, with the host's sockets
 * @rules:	without a file or an option everything is allowed
 * @log:	descriptor for the log of connections, closed here; -1: none
 *
 * An option is a rule without its first word, or a peer to connect to. If an option allows
 * something, everything that no option allows is denied. With an upstream, allowed connections of
 * TCP go through its proxy, and datagrams are denied; listening is as without.
 *
 * The system id is PARTITION_PRIVATE. Sets LFP_ROOT, too, so that the program finds no table and no
 * other instance of the system.
 */
int partition_start_private(const struct partition_rules *rules, int log,
			    char why[static PATH_MAX]);

/* Returns the first text of options "publish" that is wrong, or NULL. */
const char *partition_wrong_publish(const struct lfp_texts *publish);

/* The number of part->log in lfpd. */
#define PARTITION_LOG_FD 6

/* The default system id of all socket interfaces. */
#define PARTITION_PRIVATE "00"

/* Makes the directory, with the configurations in it, and takes its lock. Returns 0, or -1 with
 * @why filled. */
int partition_make(struct partition *part, char why[static PATH_MAX]);

/* Removes the directory and everything in it. */
void partition_remove(const char *dir);

/* keeper.c: starts the keeper, and waits for the stack. Returns 0, or -1 with @why filled. */
int keeper_start(struct partition *part, char why[static PATH_MAX]);

#endif
