/* SPDX-License-Identifier: Apache-2.0 */
/* display.h - D M=CPU: the processors of a system (IEE174I, form 23) */
#ifndef DEVEMU_ENGINE_DISPLAY_H
#define DEVEMU_ENGINE_DISPLAY_H

#include <stdbool.h>
#include <stdio.h>

struct cpu_machine {
	const char *machine, *model, *capacity; /* "2094", "S38", "730" */
	const char *serial;                     /* five hexadecimal digits */
	const char *cpc, *lpar;
	unsigned int lpar_id, css, mif;
};

/* @online: says for a processor whether it is, or NULL: all are. CPs come first. */
void cpu_display(const struct cpu_machine *machine, unsigned int cps, unsigned int ziips,
		 bool (*online)(const void *context, unsigned int cpu), const void *context,
		 FILE *out);

#endif
