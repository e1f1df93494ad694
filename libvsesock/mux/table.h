/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - the multiplexer's table: which interface phase serves a system id */
#ifndef VSESOCK_MUX_TABLE_H
#define VSESOCK_MUX_TABLE_H

#include <stddef.h>

/*
 * The table EDCTCPMC as vsejob(1) installs it: ETC/vselfp/edctcpmc, a line "nn PHASE" for each
 * system id. Without the file each system id is an LFP instance (ours).
 */
enum mux_phase {
	MUX_LFP,         /* IJBLFPLE, or there is no table */
	MUX_OTHER_STACK, /* $EDTCPV, BSTTTCP6: stacks that are known and not emulated */
	MUX_NO_ENTRY,    /* the table has no such id */
	MUX_NO_PHASE,    /* its phase is none that is known: it cannot be loaded */
};

#define MUX_TABLE_MAX 4096u /* bytes of the file; what is behind is not looked at */

/* What the text of a table, @len bytes, says of @sysid. */
enum mux_phase mux_look_up(const char *text, size_t len, const char *sysid);

#endif
