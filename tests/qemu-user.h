/* SPDX-License-Identifier: Apache-2.0 */
/* qemu-user.h - for unit tests: features that the user-mode emulator lacks, see tests/cross/user */
#ifndef TESTS_QEMU_USER_H
#define TESTS_QEMU_USER_H

#include <stdio.h>
#include <stdlib.h>

/* Skips the test there, with what it would need. */
#define QEMU_USER_LACKS(what)                                                                      \
	do {                                                                                       \
		if (getenv("VSELFPD_QEMU_USER")) {                                                 \
			print_message("skipped: qemu-user lacks " what "\n");                      \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* For main(): the whole program is skipped there. */
#define QEMU_USER_CANNOT(what)                                                                     \
	do {                                                                                       \
		if (getenv("VSELFPD_QEMU_USER")) {                                                 \
			puts("skipped: qemu-user lacks " what);                                    \
			return 77;                                                                 \
		}                                                                                  \
	} while (0)

/* This program, for execv(): the emulator starts no program of another machine by itself. */
static inline const char *this_program(void)
{
	const char *wrapper = getenv("VSELFPD_QEMU_USER");

	return wrapper ? wrapper : "/proc/self/exe";
}

#endif
