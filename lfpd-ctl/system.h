/* SPDX-License-Identifier: Apache-2.0 */
/* system.h - what /proc and /sys say about this system */
#ifndef LFPD_CTL_SYSTEM_H
#define LFPD_CTL_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SYSTEM_NAME 64

/* Returns whether the file exists. Takes a printf() format of the path below LFP_SYSTEM. */
bool system_has(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The first line of a file without blanks around it; false, and "", if it cannot be read. */
bool system_line(char out[static SYSTEM_NAME], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Get the text after "LABEL:" at the beginning of a line; false, and "", if there is none. */
bool system_value(char out[static SYSTEM_NAME], const char *path, const char *label);

/* A HiperSockets or OSA device of the driver qeth. */
struct system_device {
	char id[SYSTEM_NAME];        /* as 0.0.f000 */
	char interface[SYSTEM_NAME]; /* "" while it is offline */
	bool hipersockets, layer2, online, up;
	unsigned long mtu; /* bytes, of the interface */
};

/* Finds the device with that hsuid; returns false if no device has it. @devices: number of
 * HiperSockets devices. */
bool system_find_hsuid(struct system_device *out, const char *hsuid, unsigned int *devices);

/* Does an interface have this address, in the form of inet_ntop()? */
bool system_has_address(int family, const char *text);

/* Returns whether the process has the effective capability. 0 is this process. */
bool system_has_capability(pid_t pid, unsigned int capability);

#endif
