/* SPDX-License-Identifier: Apache-2.0 */
/* sli.h - * $$ SLI: a member of a library in the place of a card */
#ifndef VSEJOB_SLI_H
#define VSEJOB_SLI_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/places.h"

/*
 *	* $$ SLI MEM=name.type,S=lib.sublib
 *	* $$ SLI MEM=name.type,S=(lib.sublib,lib.sublib)
 *
 * VSE/POWER has another form for members of ICCF libraries, as IBM's skeletons in ICCF library 2
 *use it: "* $$ SLI ICCF=(name,password),LIB=(number)". It is refused.
 *
 * The first sublibrary that has the member counts. MEM= and S= are VSE/POWER's; the need for S= and
 * for the type, and the place of libraries (lfp.conf(5)), are this project's.
 */
bool sli_is(const char *card);

/**
 * sli_open() - open the member that a card names
 * @card:	for which sli_is() holds
 * @in:		set to the open file
 * @name:	set to the member's name for messages, "lib.sublib(name.type)", or ""
 *
 * Return: NULL, or what is wrong, a half-sentence that is valid until the next call.
 */
const char *sli_open(const char *card, FILE **in, char name[static LFP_PLACE_MAX]);

#endif
