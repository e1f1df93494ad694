/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - the process of an lfpd: its parts, its signals, and the ways that it ends */
#ifndef LFPD_PROGRAM_H
#define LFPD_PROGRAM_H

#include <stdbool.h>
#include <uv.h>

#include "lfp/daemon.h"
#include "lfp/pidfile.h"
#include "lfpd/conf/config.h"
#include "lfpd/restart/suspend.h"
#include "lfpd/state/instance.h"
#include "systemd/systemd.h"

struct hosted;

/* us that systemd gets to take what lfpd has sent to it */
#define PROGRAM_BARRIER_US (LFP_STORE_MS * 1000ull)

/*
 * How this process ends. Writer: on_signal(), with restart() and leave().
 *
 * NONE: the instance serves. It begins here.
 *   allowed: all signals
 *   next:    RESTART (SIGUSR2), LEAVE (SIGUSR1), STOP (SIGTERM, SIGINT)
 *
 * RESTART: the session is being suspended; then this process executes the program again.
 *   allowed: SIGUSR1, because exec() would not end the process that systemd waits for; SIGTERM and
 *            SIGINT, which do not wait until the session is suspended
 *   next:    LEAVE (SIGUSR1), STOP (SIGTERM, SIGINT)
 *
 * LEAVE: the session is being suspended; then systemd gets what is left, and the process ends.
 *   allowed: SIGTERM, SIGINT
 *   next:    STOP
 *
 * STOP: the process ends, and leaves nothing.
 *
 * Once stop() has stopped the instance, no signal has an effect.
 */
enum ending {
	ENDING_NONE,
	ENDING_RESTART,
	ENDING_LEAVE,
	ENDING_STOP,
};

struct program {
	struct arguments args;
	struct lfpd_config config;
	char *config_path; /* absolute, as the daemon leaves the directory it was started in */
	const char *name;  /* of the instance */
	char vmid[9];
	struct lfp_daemon daemon;
	struct lfp_pidfile pidfile;
	uv_loop_t loop;
	struct instance instance;
	struct hosted *hosted; /* the LFP instance in this process, or NULL */
	uv_signal_t signals[5];
	struct watchdog watchdog;
	struct suspended left; /* by the process before, or for the one after */
	bool goes_on;          /* this process was another lfpd's before: LFPD_RESTART */
	int kept_pidfile;      /* by that one, or -1 */
	unsigned int reloads;  /* signals that ask for one: under way, and since then */
	enum ending ending;    /* written by the handlers of signals */
	char *program;         /* executed by ENDING_RESTART */
};

/*
 * Blocks or unblocks (@how: pthread_sigmask()) the signals that ask for a reload or a restart.
 * Without a handler these signals would end the process, and with it the state it hands over.
 * Blocked they wait, also through exec(). Threads that are made meanwhile do not get them, either.
 */
void program_block_signals(int how);

/* Handles all signals from now on. The loop stops when the process is to end; prog->ending says
 * how. */
void program_watch_signals(struct program *prog);

/* ENDING_RESTART: executes the program as it is on the disk now. Returns only on failure, which is
 * told. */
void program_execute(struct program *prog);

/* ENDING_LEAVE: puts what is left into systemd's store. */
void program_leave_in_store(struct program *prog);

#endif
