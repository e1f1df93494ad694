/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - the system id that a socket interface uses: IBM's table */
#ifndef VSESOCK_MUX_CHOOSE_H
#define VSESOCK_MUX_CHOOSE_H

/* The interfaces that choose. The preloaded library follows LE/C. */
enum mux_interface {
	MUX_LEC, /* LE/C socket interface, IJBLFPLE */
	MUX_EZA, /* EZASOKET and EZASMI, IJBLFPEZ */
	MUX_CSI, /* SOCKET macro */
};

/* Where a system id may come from, in the order in which they are looked at. */
enum mux_source {
	MUX_VARIABLE_LFP_ID, /* variable LFP$ID; LFP_ID is another name of it (ours) */
	MUX_SETPARM_LFP_ID,  /* SETPARM of the job, else of the system (that order is ours) */
	MUX_VARIABLE_SYSID,
	MUX_TCPNAME, /* IDENT.TCPNAME of INITAPI */
	MUX_ID,      /* ID= of the SOCKET macro */
	MUX_SYSPARM, /* // OPTION SYSPARM */
	MUX_DEFAULT, /* '00' */
	MUX_SOURCES,
};

/* What each source says; NULL or "" if nothing. [MUX_DEFAULT] is not looked at. */
struct mux_said {
	const char *text[MUX_SOURCES];
};

/* Does @source count for @interface? */
int mux_counts(enum mux_interface interface, enum mux_source source);

/**
 * mux_choose() - the first that counts and says something
 * @source:	set to where it is from
 *
 * SYSID and SYSPARM are names that other software uses too: there only two digits say something.
 *
 * Return: the text, of @said or constant. It is no system id if it is not two digits.
 */
const char *mux_choose(enum mux_interface interface, const struct mux_said *said,
		       enum mux_source *source);

/* "variable LFP$ID", "// SETPARM LFP$ID" ..., for messages. */
const char *mux_source_name(enum mux_source source);

#endif
