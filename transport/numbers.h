/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - are there numbers for all descriptors that one message can bring? */
#ifndef TRANSPORT_NUMBERS_H
#define TRANSPORT_NUMBERS_H

#include <stdbool.h>

/* The numbers below the limit of this process that have to be unused: the kernel's SCM_MAX_FD (253)
 * and some for descriptors that nobody notes. */
#define NUMBERS_KEPT 320u

/* Note a new descriptor. Makes a system call the first time only. */
void numbers_note(int fd);

/* Returns true unless the last NUMBERS_KEPT numbers are unused. Makes no system call until one of
 * them has been noted, and then looks at most once in 100 ms. For the thread that receives. */
bool numbers_are_short(void);

/* Read RLIMIT_NOFILE, and look again: for a process that has changed it. */
void numbers_start(void);

#endif
