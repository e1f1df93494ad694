/* SPDX-License-Identifier: Apache-2.0 */
/* lec.h - the system id of an LE/C program, which the preloaded library follows */
#ifndef VSESOCK_MUX_LEC_H
#define VSESOCK_MUX_LEC_H

#include <stddef.h>

#include "libvsesock/mux/choose.h"
#include "libvsesock/mux/files.h"

/*
 * Where the sources of choose.h are here:
 *
 *   variable LFP$ID	the environment; LFP_ID is another name of it, as shells can't export it
 *   SETPARM LFP$ID	LFP_SETPARM="NAME=value,NAME=value" in the environment, set by vsejob(1) for
 * the job, else a line NAME=value of RUN/vselfp/setparm for the system variable SYSID, SYSPARM	the
 * environment
 */
#define MUX_SYSID_MAX                                                                              \
	16u /* bytes of the texts, with the NUL; longer ones are cut: they are none                \
	     */

struct mux_lec {
	char sysid[MUX_SYSID_MAX];
	enum mux_source source;
	enum mux_phase phase; /* of the table, if it is two digits */
};

/* Ask; @run is the run-time directory, "" if there is none. Needs no heap and no standard I/O. */
void mux_ask_lec(struct mux_lec *lec, const char *run);

/* The same for any interface, of which @given is what TCPNAME or ID says (NULL: nothing). The table
 * is that of LE/C. */
void mux_ask(enum mux_interface interface, const char *given, struct mux_lec *lec, const char *run);

/* SETPARM @symbol of the job, else of the system; "" if neither says anything. */
void mux_setparm(const char *run, const char *symbol, char value[static MUX_SYSID_MAX]);

/* The phase of a system id that was given otherwise. */
enum mux_phase mux_ask_phase(const char *sysid);

/* Why an id cannot be used: "its interface phase is that of another stack", ...; NULL for
 * MUX_LFP. */
const char *mux_phase_trouble(enum mux_phase phase);

#endif
