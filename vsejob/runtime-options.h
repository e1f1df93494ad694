/* SPDX-License-Identifier: Apache-2.0 */
/* runtime-options.h - LE run-time options in PARM, before the slash */
#ifndef VSEJOB_RUNTIME_OPTIONS_H
#define VSEJOB_RUNTIME_OPTIONS_H

#include <stddef.h>

/*
 * PARM='ENVAR("LFP$ID=01") ALL31(ON)/arguments': options, apart by blanks or commas, a slash, and
 * what the program gets. ENVAR sets variables of the program's environment, each in double quotes
 * or not, apart by commas; other options mean nothing to a Linux program and are passed over. A
 * text before the first slash that does not look like options is no such thing, but part of the
 * arguments, and so is everything where there is no slash.
 */
#define RUNTIME_VARIABLES_MAX 16u

struct runtime_options {
	char *variable[RUNTIME_VARIABLES_MAX]; /* NAME=value; point into the text */
	size_t nr;
	char *arguments;
};

/* Take PARM's text apart, in place. NULL, or what is wrong, a half-sentence. */
const char *runtime_options_read(struct runtime_options *options, char *parm);

#endif
