/* SPDX-License-Identifier: Apache-2.0 */
/* instance.h - the instances of lfpd: start, readiness, end, and start again */
#ifndef VIA_INSTANCE_H
#define VIA_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "via/archive.h"
#include "via/boot.h"
#include "via/lines.h"
#include "via/loop.h"

#define VIA_INSTANCES_MAX VIA_USERS
#define VIA_LFPD          "/usr/sbin/lfpd"
#define VIA_REASON        256 /* bytes */

/* Nothing is started twice: a process runs in STARTING, RUNNING and STOPPING only. */
enum via_state {
	VIA_NONE,     /* the place is free */
	VIA_BAD,      /* no good configuration: can be started after a RELOAD */
	VIA_STOPPED,  /* by the controller, or at boot before the first start */
	VIA_STARTING, /* lfpd runs and is not ready */
	VIA_RUNNING,  /* lfpd has said that it is ready */
	VIA_STOPPING, /* lfpd got SIGTERM; SIGKILL follows */
	VIA_WAITING,  /* lfpd has ended by itself, and is started again soon */
};

struct via_instance {
	enum via_state state;
	char name[9];
	uid_t user;
	pid_t pid;               /* 0: none */
	char dir[64];            /* its configuration, its working directory */
	uint64_t generation;     /* of the configuration in @dir; 0: none is there */
	uint64_t refused;        /* generation of a bad one that was not taken; 0: none */
	char reason[VIA_REASON]; /* why it does not serve, or has kept an older configuration */
	int64_t started;         /* ms */
	unsigned int starts;     /* since it was RUNNING for a while */
	bool rereads;            /* STARTING: its configuration has changed meanwhile */
	bool goes;               /* STOPPING: its place becomes free */
	struct via_watch output;
	struct via_lines lines;
	struct via_timer timer;
};

extern struct via_instance via_instances[VIA_INSTANCES_MAX];

const char *via_state_text(enum via_state state);

/* Returns the instance, or NULL. */
struct via_instance *via_instance_find(const char *name);

/* Finds it, or makes it, BAD and without a configuration. NULL: there are VIA_INSTANCES_MAX. */
struct via_instance *via_instance_make(const char *name);

/* Takes over a configuration of that generation: writes its files, and lets the instance read them,
 * if it runs. lfpd looks at them before that; if it refuses, or they cannot be written, all stays
 * as it is, and
 * @reason and a message say why. Returns whether it was taken. */
bool via_instance_configure(struct via_instance *inst, const struct via_files *files,
			    uint64_t generation);

/* Starts it in BAD (if it has a configuration), STOPPED and WAITING. Returns 0, or -errno, which is
 * told. */
int via_instance_start(struct via_instance *inst);

/* Ends it. @goes: it is not configured any more. */
void via_instance_stop(struct via_instance *inst, bool goes);

/* A process has ended. Returns false if it is none of an instance. */
bool via_instance_ended(pid_t pid, int status);

/* Returns whether it is the process of an instance. */
bool via_instance_has(pid_t pid);

/* A process says READY=1. */
void via_instance_ready(pid_t pid);

/* True when no process of an instance is left. */
bool via_instances_ended(void);

#endif
