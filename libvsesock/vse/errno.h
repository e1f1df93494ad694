/* SPDX-License-Identifier: Apache-2.0 */
/* errno.h - errors of the z/VSE interfaces, in the numbers that programs compare with */
#ifndef VSESOCK_VSE_ERRNO_H
#define VSESOCK_VSE_ERRNO_H

#include <errno.h>
#include <stddef.h>

/*
 * Inside, an error is Linux's number, as everywhere in this tree. Those that Linux does not have
 * are VSE_EXTRA and their place in errno-map.csv. Numbers of programs are in one of three spaces;
 * LFP_ERRNO=zvse, zos or linux chooses for EZASOKET and the SOCKET macro, zvse if it is not set.
 * LE/C is always zvse.
 *
 * What a space has no number for: zos says z/VSE's number, so does linux.
 */
enum vse_space {
	VSE_ZVSE,
	VSE_ZOS,
	VSE_LINUX,
	VSE_SPACES,
};

#define VSE_EXTRA 4096 /* above all of Linux's, below -4096 when negative */

/* The interface phase cannot be loaded: the system id is none of LFP's. */
#define VSE_ELOAD (vse_errno_of("ELOAD"))
/* A CICS-style task calls EZASOKET while EZATRUE is not active (ours; the instance says ENOPKG). */
#define VSE_ETRUE ENOPKG

/* The space that the environment names. */
enum vse_space vse_space(void);

/* The number of a positive internal error, EIO's for one that the table does not have. */
int vse_errno(enum vse_space space, int error);

/* As vse_errno(), of a call that sends, receives or accepts: EAGAIN is EWOULDBLOCK there. */
int vse_errno_io(enum vse_space space, int error);

/* The internal error that has @number in @space; 0 if there is none. */
int vse_errno_back(enum vse_space space, int number);

/* The internal error of a symbol, 0 if there is none; the symbol of an internal error, "EIO" if
 * there is none. */
int vse_errno_of(const char *symbol);
const char *vse_errno_symbol(int error);

/* For tests and lists: row @row of the table as internal error, or 0 behind its end. */
int vse_errno_row(size_t row);

#endif
