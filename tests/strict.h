/* SPDX-License-Identifier: Apache-2.0 */
/* strict.h - the frame of the small programs that z/VSE would not like: strict.c of each interface
 *
 *	strict NAME	runs one, and prints the result and the error number of the call it is about
 */
#ifndef TESTS_STRICT_H
#define TESTS_STRICT_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct strict_program {
	const char *name;
	void (*run)(void);
};

#define STRICT_MAIN(argc, argv, programs, end)                                                     \
	strict_main(argc, argv, programs, sizeof(programs) / sizeof((programs)[0]), end)

/* Runs the program that the arguments name. Returns the exit code: that of @end, which prints the
 * result, or 64 for wrong arguments. */
static int strict_main(int argc, char **argv, const struct strict_program *programs, size_t nr,
		       int (*end)(void))
{
	for (size_t i = 0; i < nr; i++) {
		if (argc != 2 || strcmp(argv[1], programs[i].name) != 0)
			continue;
		programs[i].run();
		return end();
	}
	return 64;
}

#endif
