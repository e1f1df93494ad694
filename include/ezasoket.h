/* SPDX-License-Identifier: Apache-2.0 */
/* ezasoket.h - EZASOKET, the call interface to sockets of z/VSE (IJBLFPEZ), for C programs */
#ifndef EZASOKET_H
#define EZASOKET_H

#ifdef __cplusplus
extern "C" {
#endif

/**
 * EZASOKET() - a function of the socket interface
 * @soc_function:	its name, ended by a blank or NUL, at most 16 characters
 *
 * Pointers to the parameters follow, in the order of IBM's documentation, then to ERRNO and RETCODE
 * (int). As in COBOL programs, S is a halfword (short) and other numbers are fullwords (int). In a
 * C program they are in the machine's own byte order. Structures are those of COBOL programs.
 * EZASMI is more convenient for C programs.
 *
 * Return: always 0.
 */
int EZASOKET(const void *soc_function, ...);

/*
 * Helper routines for COBOL programs. A program in another language passes the parameters of the
 * form without a token. Return: 0, or 8, 12 or 16 as in ezasoket(3).
 */
int EZACIC04(void *first, ...); /* EBCDIC -> ASCII: area, length (fullword) */
int EZACIC05(void *first, ...); /* ASCII -> EBCDIC */
int EZACIC06(void *first,
	     ...); /* bits <-> characters: command, bits, characters, length, retcode */
int EZACIC08(void *hostent, ...);
int EZACIC09(void *addrinfo, ...);
int EZACIC14(void *first, ...); /* IBM-1047 -> ISO 8859-1 */
int EZACIC15(void *first, ...); /* ISO 8859-1 -> IBM-1047 */

#ifdef __cplusplus
}
#endif

#endif
