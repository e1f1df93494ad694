/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what LIST and INFO print */
#ifndef IJBLFP_OPER_REPORT_H
#define IJBLFP_OPER_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The titles, the lines and their order that IBM's presentation shows are kept to the letter; the
 * lines in the places of its "..." are ours.
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

/* 65535 -> "65,535"; returns @buf. */
#define REPORT_NUMBER 28
const char *report_number(uint64_t value, char buf[static REPORT_NUMBER]);

#endif
