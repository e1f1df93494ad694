/* SPDX-License-Identifier: Apache-2.0 */
/* needed.h - does a program need a library that has to be loaded before the shim? */
#ifndef LFP_RUN_NEEDED_H
#define LFP_RUN_NEEDED_H

#include <stdbool.h>

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
