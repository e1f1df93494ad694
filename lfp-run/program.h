/* SPDX-License-Identifier: Apache-2.0 */
/* program.h - find a program, and tell whether the shim would be loaded into it and after which
 * library */
#ifndef LFP_RUN_PROGRAM_H
#define LFP_RUN_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

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
 * Return: 0, -ENOENT if no file is found, or another negative errno if the file can't be executed.
 */
int program_find(char path[static PATH_MAX], const char *name);

/**
 * program_judge() - would the shim be loaded?
 * @path:	the program; replaced by that of the interpreter that is at fault, where it is a
 * script
 *
 * A file that can't be read, or is neither ELF nor a script, passes: the kernel judges it at the
 * start.
 */
enum program_fault program_judge(char path[static PATH_MAX]);

/* needed.c: */

#define NEEDED_NAME 128u

/**
 * needed_first() - look for the shared run-time library of an address sanitizer
 * @path:	an ELF file of this machine
 * @name:	set to the library's name, as the program has it (DT_NEEDED)
 *
 * That library ends the program if another one is loaded before it.
 *
 * Return: true if the program needs one.
 */
bool needed_first(const char *path, char name[static NEEDED_NAME]);

#endif
