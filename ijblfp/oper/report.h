/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - the output of LIST and INFO */
#ifndef IJBLFP_OPER_REPORT_H
#define IJBLFP_OPER_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Titles, lines and order follow IBM's presentation to the letter. The lines in the places of its
 * "..." are this project's.
 */

struct report_instance {
	char id[3];
	uint64_t tasks;
};

/* LIST: LFPB025I to LFPB026I. */
void report_list(FILE *out, const struct report_instance *instances, unsigned int nr);

/**
 * report_info() - INFO: LFPB023I to LFPB024I
 * @answer:	of the instance to "info"
 * @tasks:	with the tasks (SHOWTASKS)
 * @all:	with the lines for those who look closer (LOGALL)
 */
void report_info(FILE *out, const char *answer, bool tasks, bool all);

/* Formats 65535 as "65,535". Returns @buf. */
#define REPORT_NUMBER 28
const char *report_number(uint64_t value, char buf[static REPORT_NUMBER]);

#endif
