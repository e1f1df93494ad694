/* SPDX-License-Identifier: Apache-2.0 */
/* member.h - members of libraries, which are files (lfp.conf(5)) */
#ifndef VSEJOB_MEMBER_H
#define VSEJOB_MEMBER_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/places.h"

#define MEMBER_NAME_LEN 8u

/* Is @text lib.sublib? Folds it to upper case. */
bool member_is_place(char *text);

/* Is @text name.type? Folds it to upper case. */
bool member_is_name(char *text);

/* Is @text a name of 1 to 8 characters? Folds it to upper case. */
bool member_is_word(char *text);

/* Removes the parentheses around a list of places. */
char *member_strip_list(char *places);

/**
 * member_open() - open a member in the first place that has it
 * @in:		set to the open file
 * @places:	"lib.sublib,lib.sublib", and changed
 * @member:	"NAME.TYPE" in upper case; the file may have its name in lower case
 * @name:	set to the name for messages, "LIB.SUBLIB(NAME.TYPE)", of the last place that was
 * tried
 *
 * Return: 0, -EINVAL if a place is not lib.sublib, -ENOENT, or another negative errno.
 */
int member_open(FILE **in, char *places, const char *member, char name[static LFP_PLACE_MAX]);

#endif
