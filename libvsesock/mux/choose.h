/* SPDX-License-Identifier: Apache-2.0 */
/* choose.h - chooses the system id for a socket interface, by IBM's table */
#ifndef VSESOCK_MUX_CHOOSE_H
#define VSESOCK_MUX_CHOOSE_H

/* The interfaces. The preloaded library follows LE/C. */
enum mux_interface {
	MUX_LEC, /* LE/C socket interface, IJBLFPLE */
	MUX_EZA, /* EZASOKET and EZASMI, IJBLFPEZ */
	MUX_CSI, /* SOCKET macro */
};

/* Sources of a system id, in the order of the search. */
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

/* Text of each source; NULL or "" if the source has none. [MUX_DEFAULT] is ignored. */
struct mux_said {
	const char *text[MUX_SOURCES];
};

/* Returns true if @interface uses @source. */
int mux_counts(enum mux_interface interface, enum mux_source source);

/**
 * mux_choose() - choose the first text among the interface's sources
 * @source:	set to the source of the text
 *
 * Other software also uses the names SYSID and SYSPARM. Their texts count only if they are two
 * digits.
 *
 * Return: the text, of @said or constant. It is a system id only if it is two digits.
 */
const char *mux_choose(enum mux_interface interface, const struct mux_said *said,
		       enum mux_source *source);

/* Returns "variable LFP$ID", "// SETPARM LFP$ID" ..., for messages. */
const char *mux_source_name(enum mux_source source);

#endif
