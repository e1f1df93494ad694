/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - which LFP instance a program uses, and where its control channel is */
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

/* Read the environment, unless that was done. Doing it twice at a time does no harm. */
void place_init(void);

/* Read it once more; for a program that has set it by itself and has no other threads yet. */
void place_again(void);

/* The two digits of the program's instance; "" if LFP$ID or LFP_ID is no instance. */
const char *place_instance(void);

/*
 * For the z/VSE interfaces, each of which chooses by its own order (mux/choose.h): the instance of
 * @interface, whose TCPNAME or ID says @said, NULL if nothing, into @nn. 0, or -ELIBACC if that is
 * no system id of LFP's.
 */
int place_choose(enum mux_interface interface, const char *said, char nn[static 3]);

/* What of NAME=value the SETPARM statements of the job, or of the system, say; "" if nothing. */
void place_setparm(const char *symbol, char value[static MUX_SYSID_MAX]);

/* The instance of the calls of this thread that name none; NULL: place_instance(). */
extern _Thread_local const char *place_of_thread;
const char *place_now(void);

/* The address of an instance's control channel; 0 or a negative errno. */
int place_ctl(struct sockaddr_un *addr, const char *nn);

#endif
