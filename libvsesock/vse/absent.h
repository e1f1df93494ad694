/* SPDX-License-Identifier: Apache-2.0 */
/* absent.h - says once that the LFP instance of a program does not answer */
#ifndef VSESOCK_VSE_ABSENT_H
#define VSESOCK_VSE_ABSENT_H

/*
 * By IBM's table only LE/C uses the variable LFP$ID, which lfp-run -i sets. So EZASOKET asks
 * instance 00 in a program that lfp-run has started with -i 01, and its user sees ENETDOWN only.
 * The line names both instances then, and otherwise the one that does not answer.
 */

/**
 * vse_absent() - note that an instance has not answered
 * @nn:	the instance that the interface has chosen
 * @rc:	the result of a call; nothing happens unless it is -ENETDOWN
 *
 * Writes one line to the program's standard error, once.
 * Writes nothing if descriptor 2 is a socket, which may be a connection.
 *
 * Return: @rc.
 */
int vse_absent(const char *nn, int rc);

#endif
