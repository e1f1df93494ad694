/* SPDX-License-Identifier: Apache-2.0 */
/* errno.h - errors of the z/VSE interfaces, in the numbers that programs compare with */
#ifndef VSESOCK_VSE_ERRNO_H
#define VSESOCK_VSE_ERRNO_H

#include <errno.h>
#include <stddef.h>

/*
 * Inside, an error is Linux's number, as everywhere in this tree. An error that Linux does not have
 * is VSE_EXTRA plus its row in errno-map.csv. Programs see numbers of one of three spaces.
 * LFP_ERRNO=zvse, zos or linux chooses the space of EZASOKET and the SOCKET macro; the default is
 * zvse. LE/C always uses zvse.
 *
 * If the space zos or linux has no number for an error, it uses z/VSE's number.
 */
enum vse_space {
	VSE_ZVSE,
	VSE_ZOS,
	VSE_LINUX,
	VSE_SPACES,
};

#define VSE_EXTRA 4096 /* above all numbers of Linux, and below -4096 when negative */

/* The interface phase cannot be loaded: the system id does not lead to LFP. */
#define VSE_ELOAD (vse_errno_of("ELOAD"))
/* A CICS-style task calls EZASOKET while EZATRUE is inactive (ours; the instance answers ENOPKG).
 */
#define VSE_ETRUE ENOPKG

/* Returns the space that the environment names. */
enum vse_space vse_space(void);

/* Returns the number of a positive internal error; EIO's if the table does not have the error. */
int vse_errno(enum vse_space space, int error);

/* As vse_errno(), for calls that send, receive or accept, where EAGAIN means EWOULDBLOCK. */
int vse_errno_io(enum vse_space space, int error);

/* Returns the internal error with @number in @space; 0: none. */
int vse_errno_back(enum vse_space space, int number);

/* Returns the internal error of a symbol, 0 if it is unknown; the symbol of an internal error,
 * "EIO" if it is unknown. */
int vse_errno_of(const char *symbol);
const char *vse_errno_symbol(int error);

/* For tests and lists: returns row @row of the table as internal error, or 0 after the last row. */
int vse_errno_row(size_t row);

#endif
