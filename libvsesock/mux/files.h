/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - the multiplexer's files: the table of interface phases, and the host's sockets */
#ifndef VSESOCK_MUX_FILES_H
#define VSESOCK_MUX_FILES_H

#include <stddef.h>

/*
 * The table EDCTCPMC as vsejob(1) installs it: ETC/vselfp/edctcpmc, a line "nn PHASE" for each
 * system id. Without the file each system id is an LFP instance (ours).
 */
enum mux_phase {
	MUX_LFP,         /* IJBLFPLE, or there is no table */
	MUX_OTHER_STACK, /* $EDTCPV, BSTTTCP6: stacks that are known and not emulated */
	MUX_NO_ENTRY,    /* the table has no such id */
	MUX_NO_PHASE,    /* its phase is unknown and cannot be loaded */
};

#define MUX_TABLE_MAX 4096u /* bytes of the file; the rest is ignored */

/* Returns the phase of @sysid in the text of a table of @len bytes. */
enum mux_phase mux_look_up(const char *text, size_t len, const char *sysid);

/*
 * TCP/IP for VSE and IPv6/VSE are not emulated. To compare a program over "a stack" and over LFP, a
 * line of ETC/vselfp/mux.conf lets system ids of their phases use the host's sockets:
 * "HOST_SOCKETS = yes" (ours; the default is no). lfp-run(1), and so vsejob(1), follow it. A
 * program that chooses its system id by itself uses LFP or fails.
 *
 * Empty lines and lines that begin with '#' are skipped. There is no other keyword.
 */
enum mux_host {
	MUX_HOST_NO,
	MUX_HOST_YES,
	MUX_HOST_BAD,
};

/* Reads the text of the file; sets @line to the number of a wrong line. */
enum mux_host mux_read_host(const char *text, size_t len, unsigned int *line);

/* Reads the file; returns MUX_HOST_NO without a file. Sets @path, of @size bytes, for messages.
 */
enum mux_host mux_ask_host(char *path, size_t size, unsigned int *line);

#endif
