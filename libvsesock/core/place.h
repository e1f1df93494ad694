/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - finds the LFP instance of a program, and its control channel */
#ifndef VSESOCK_PLACE_H
#define VSESOCK_PLACE_H

#include <sys/un.h>

#include "libvsesock/mux/lec.h"

/*
 * The environment is read once, when the program starts: programs may clear it, change their user
 * or their working directory later. The instance is that of mux/lec.h, the run-time directory
 * that of lfp/places.h; where LFP_ROOT is not set, LFP_RUN=DIR names it directly (lfp-run sets it
 * for a user without a root, whose own directory can't be told after unshare(1)).
 */

/* Reads the environment, unless that was done. Two threads may do it at the same time. */
void place_init(void);

/* Reads it again; for a program that has changed it and has no other threads yet. */
void place_again(void);

/* Returns the two digits of the program's instance; "" if LFP$ID or LFP_ID names none. */
const char *place_instance(void);

/*
 * For the z/VSE interfaces, each of which chooses by its own order (mux/choose.h): writes the
 * instance of @interface to @nn. @said: the id in TCPNAME or ID, or NULL. Returns 0, or -ELIBACC if
 * that is no system id of LFP's.
 */
int place_choose(enum mux_interface interface, const char *said, char nn[static 3]);

/* Sets @value to the value of @symbol in the SETPARM statements of the job, or of the system; ""
 * for none. */
void place_setparm(const char *symbol, char value[static MUX_SYSID_MAX]);

/* Instance of this thread's calls that name none; NULL: place_instance(). */
extern _Thread_local const char *place_of_thread;
const char *place_now(void);

/* Computes the address of an instance's control channel. Returns 0 or a negative errno. */
int place_ctl(struct sockaddr_un *addr, const char *nn);

#endif
