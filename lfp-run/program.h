/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - find a program and tell whether the shim would be loaded into it */
#ifndef LFP_RUN_PROGRAM_H
#define LFP_RUN_PROGRAM_H

#include <limits.h>

/* Why the dynamic linker would ignore LD_PRELOAD. */
enum program_fault {
	PROGRAM_FINE,
	PROGRAM_STATIC,  /* has no dynamic linker */
	PROGRAM_SETID,   /* is set-user-id or set-group-id for the caller */
	PROGRAM_CAPABLE, /* has file capabilities */
	PROGRAM_FOREIGN, /* is for another machine */
	PROGRAM_OTHER_LIBC,
};

/**
 * program_find() - look for a program as execvp() does
 * @path:	the result
 * @name:	what the user gave
 *
 * Return: 0, -ENOENT if there is none, or another negative errno if what is there can't be
 * executed.
 */
int program_find(char path[static PATH_MAX], const char *name);

/**
 * program_judge() - would the shim be loaded?
 * @path:	the program; replaced by that of the interpreter that is at fault, where it is a
 * script
 *
 * A file that can't be read or is neither ELF nor a script is fine: what it is shows when it is
 * started.
 */
enum program_fault program_judge(char path[static PATH_MAX]);

#endif
