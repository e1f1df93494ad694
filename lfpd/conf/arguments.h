/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.h - the command line of lfpd */
#ifndef LFPD_CONF_ARGUMENTS_H
#define LFPD_CONF_ARGUMENTS_H

#include <stdbool.h>

struct arguments {
	bool foreground, check, verbose;
	const char *file;
	const char *vmid;
};

/* Texts are argv's. Return: -1 to go on, or an exit code, when all is said. */
int arguments_parse(struct arguments *args, int argc, char **argv);

#endif
