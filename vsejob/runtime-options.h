/* SPDX-License-Identifier: Apache-2.0 */
/* runtime-options.h - LE run-time options in PARM, before the slash */
#ifndef VSEJOB_RUNTIME_OPTIONS_H
#define VSEJOB_RUNTIME_OPTIONS_H

#include <stddef.h>

/*
 * PARM='ENVAR("LFP$ID=01") ALL31(ON)/arguments': options, apart by blanks or commas, a slash, and
 * what the program gets. ENVAR sets variables of the program's environment, each in double quotes
 * or not, apart by commas; other options mean nothing to a Linux program and are ignored. Text
 * before the first slash that does not look like options is part of the arguments. Without a slash,
 * the whole text is.
 */
#define RUNTIME_VARIABLES_MAX 16u

struct runtime_options {
	char *variable[RUNTIME_VARIABLES_MAX]; /* NAME=value; point into the text */
	size_t nr;
	char *arguments;
};

/* Splits PARM's text in place. Returns NULL, or the error as a half-sentence. */
const char *runtime_options_read(struct runtime_options *options, char *parm);

#endif
