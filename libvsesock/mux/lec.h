/* SPDX-License-Identifier: Apache-2.0 */
/* lec.h - the system id of an LE/C program; the preloaded library uses the same one */
#ifndef VSESOCK_MUX_LEC_H
#define VSESOCK_MUX_LEC_H

#include <stddef.h>

#include "libvsesock/mux/choose.h"
#include "libvsesock/mux/files.h"

/*
 * The sources of choose.h, here:
 *
 *   variable LFP$ID: the environment. LFP_ID is another name of it, as shells cannot export it.
 *
 *   SETPARM LFP$ID of the job: LFP_SETPARM="NAME=value,NAME=value" in the environment, which
 *   vsejob(1) sets. Of the system: a line NAME=value of RUN/vselfp/setparm.
 *
 *   SYSID, SYSPARM: the environment.
 */

/* Size of the texts with the NUL. Longer texts are cut and never are system ids. */
#define MUX_SYSID_MAX 16u

struct mux_lec {
	char sysid[MUX_SYSID_MAX];
	enum mux_source source;
	enum mux_phase phase; /* of the table, if it is two digits */
};

/* Finds the system id. @run is the run-time directory, "" without one. Needs no heap and no
 * standard I/O. */
void mux_ask_lec(struct mux_lec *lec, const char *run);

/* The same for any interface. @given is the text of TCPNAME or ID, or NULL. All interfaces use
 * LE/C's table. */
void mux_ask(enum mux_interface interface, const char *given, struct mux_lec *lec, const char *run);

/* Gets SETPARM @symbol of the job, else of the system; "" if neither sets it. */
void mux_setparm(const char *run, const char *symbol, char value[static MUX_SYSID_MAX]);

/* Returns the phase of a system id from elsewhere. */
enum mux_phase mux_ask_phase(const char *sysid);

/* Returns the reason why an id cannot be used, such as "its interface phase is that of another
 * stack"; NULL for MUX_LFP. */
const char *mux_phase_trouble(enum mux_phase phase);

#endif
