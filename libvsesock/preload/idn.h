/* SPDX-License-Identifier: Apache-2.0 */
/* idn.h - names with other letters than ASCII's, and what they are in the DNS */
#ifndef VSESOCK_IDN_H
#define VSESOCK_IDN_H

/*
 * libidn2 does it, in the encoding of the program's locale. As libc does, it is loaded when it is
 * needed, and the program may well be on a machine without it.
 */

/* The form for the DNS, to be freed, in *@out; @name itself if it is ASCII. Return: 0 or an EAI_.
 */
int idn_to_dns(const char *name, char **out);

/* The form for people; without libidn2, or if it has none, @name itself. 0 or an EAI_. */
int idn_from_dns(const char *name, char **out);

#endif
