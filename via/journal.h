/* SPDX-License-Identifier: Apache-2.0 */
/* journal.h - the newest messages, in memory and on the console */
#ifndef VIA_JOURNAL_H
#define VIA_JOURNAL_H

#include <stddef.h>

#define VIA_JOURNAL_LINES 1024
#define VIA_JOURNAL_LINE  320 /* bytes, with the NUL; longer ones are cut */

/* The console, a descriptor that does not block; -1: none. What it does not take is only in memory.
 */
void via_journal_console(int fd);

/* A message of the appliance itself. @id as for lfp_msg(). Control characters become '?'. */
void via_say(const char *id, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A line of @len bytes that a program, such as an lfpd, has written. */
void via_journal_line(const char *source, const char *text, size_t len);

/* The newest @nr lines, or as many as there are, from the older to the newer ones. */
size_t via_journal_count(void);
const char *via_journal_get(size_t back); /* @back: 0 is the newest one */

#endif
