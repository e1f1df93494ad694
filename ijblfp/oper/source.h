/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - the source of START's statements: SYSIPT, a library member, a file */
#ifndef IJBLFP_OPER_SOURCE_H
#define IJBLFP_OPER_SOURCE_H

#include <stdio.h>

#include "lfp/places.h"

/*
 * DD:SYSIPT			IBM's: standard input, SYSIPT of a job; "-" is the same (ours)
 * DD:lib.sublib(name.type)	a member of a library (the form is that of LE/VSE's C for files, the
 *				place is ours): ETC/vselfp/libr/lib/sublib/name.type, as it is
 *				written, else in lower case
 * NN				two digits: ETC/vselfp/lfp-NN.conf (ours)
 * another word			a file of Linux (ours)
 */
struct source {
	FILE *in;
	char name[LFP_PLACE_MAX]; /* for messages */
};

/**
 * source_open() - open what START's operand means
 * @source:	filled, on failure its name only; to be closed with source_close()
 *
 * Return: 0; -EINVAL if it begins with "DD:" and is neither of the two; what opening gave, or
 * finding its place (lfp/places.h).
 */
int source_open(struct source *source, const char *word);
void source_close(struct source *source);

#endif
