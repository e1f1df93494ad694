/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - the multiplexer's files: the table of interface phases, and the stacks behind them */
#ifndef VSESOCK_MUX_FILES_H
#define VSESOCK_MUX_FILES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The table EDCTCPMC as vsejob(1) installs it: ETC/vselfp/edctcpmc, a line "nn PHASE" for each
 * system id. Without the file each system id is an LFP instance (ours).
 */
enum mux_phase {
	MUX_LFP,      /* IJBLFPLE, or there is no table */
	MUX_EDTCPV,   /* $EDTCPV: TCP/IP for VSE, a stack in a partition */
	MUX_BSTTTCP6, /* IPv6/VSE, another one */
	MUX_NO_ENTRY, /* the table has no such id */
	MUX_NO_PHASE, /* its phase is unknown and cannot be loaded */
};

#define MUX_TABLE_MAX 4096u /* bytes of the file; the rest is ignored */

/* Returns the phase of @sysid in the text of a table of @len bytes. */
enum mux_phase mux_look_up(const char *text, size_t len, const char *sysid);

/* Is it the phase of a stack other than LFP? */
bool mux_is_other_stack(enum mux_phase phase);

/*
 * The stacks of other phases (ours): ETC/vselfp/mux.conf has a line "PHASE = STACK" for $EDTCPV and
 * BSTTTCP6. "HOST_SOCKETS = yes" is both lines with "host", "no" with "none". The last line for a
 * phase counts. lfp-run(1), and so vsejob(1), follow the file and start what it names.
 *
 * Empty lines and lines that begin with '#' are skipped. There is no other keyword.
 */
enum mux_stack {
	MUX_STACK_NONE, /* programs of its system ids are refused */
	MUX_STACK_HOST, /* the sockets of this machine */
	MUX_STACK_OWN,  /* "stack": a TCP/IP stack in the program's own partition */
	MUX_STACK_BAD,
};

/* Reads the text of the file for a phase of another stack; sets @line to the number of a wrong
 * line. */
enum mux_stack mux_read_stack(const char *text, size_t len, enum mux_phase phase,
			      unsigned int *line);

/* Reads the file; returns MUX_STACK_NONE without a file. Sets @path, of @size bytes, for messages.
 */
enum mux_stack mux_ask_stack(enum mux_phase phase, char *path, size_t size, unsigned int *line);

/*
 * lfp-run(1) starts a stack for one program and its children, and names it in their environment:
 * LFP_STACK="NN:DIR". DIR/run stands for the run-time directory of the LFP instance NN that is the
 * front of this stack.
 */
#define MUX_STACK_VARIABLE "LFP_STACK"

/* Returns DIR if LFP_STACK names the stack of @nn, else NULL. */
const char *mux_stack_place(const char *nn);

#endif
