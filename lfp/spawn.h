/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.h - run another program and wait for it */
#ifndef LFP_SPAWN_H
#define LFP_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* Runs a program, which is looked for in PATH, and waits for it; @quiet discards its standard
 * output. Returns its wait status, or a negative errno if the program cannot be run. */
int lfp_spawn(const char *program, char *const argv[], bool quiet);

/* Reads the beginning of a program's output, "" if it can't be run. Returns its wait status, or a
 * negative errno. */
int lfp_spawn_read(const char *program, char *const argv[], char *buf, size_t size);

#endif
