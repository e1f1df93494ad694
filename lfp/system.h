/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - what /proc and /sys say about this system */
#ifndef LFP_SYSTEM_H
#define LFP_SYSTEM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LFP_SYSTEM_NAME 64

/* Makes the path of a file below LFP_SYSTEM, which is "" or, in tests, a folder. Takes a printf()
 * format. Returns false if it is too long. */
bool lfp_system_path(char path[static PATH_MAX], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns whether the file exists. Takes a printf() format of the path below LFP_SYSTEM. */
bool lfp_system_has(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first line of a file without blanks around it; false, and "", if it cannot be read. */
bool lfp_system_line(char out[static LFP_SYSTEM_NAME], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Gets the text after "LABEL:" at the beginning of a line. Returns false, and sets "", if no line
 * has the label. */
bool lfp_system_value(char out[static LFP_SYSTEM_NAME], const char *path, const char *label);

/* Returns true if an interface has this address, in the form of inet_ntop(). */
bool lfp_system_has_address(int family, const char *text);

/* Returns true if the process has the effective capability. @pid 0 is this process. */
bool lfp_system_has_capability(pid_t pid, unsigned int capability);

#endif
