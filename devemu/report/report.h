/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - reports on the counters of a fabric, as text, JSON or CSV */
#ifndef DEVEMU_REPORT_H
#define DEVEMU_REPORT_H

#include <stdio.h>

#include "devemu/report/table.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/*
 * Print the reports of which @kinds has the bit (1 << enum report_kind), in their order. The text
 * has the names of columns that z/OS prints; widths, the marks for guidelines, a dash for what is
 * not modelled, and the lines with an explanation are ours. Return: 0 or -ENOMEM.
 */
int report_print(const struct fabric *fabric, unsigned int kinds, enum report_format format,
		 FILE *out);

/* The date and time of day of the simulated system at @at ps. */
void report_clock(const struct fabric *fabric, int64_t at, char date[11], char time[9]);

/* One table as text, in text.c, without its head. */
void channel_text(const struct report_table *table, FILE *out);
void device_text(const struct report_table *table, FILE *out);
void sync_text(const struct report_table *table, FILE *out);

/* "0.087" as ".087", as RMF has it: three digits after the point, fewer from 10 ms on. */
void report_ms(char text[16], double ms);

/* All of @kinds in one JSON object; each table with a head as CSV. */
int report_json(const struct fabric *fabric, unsigned int kinds, FILE *out);
int report_csv(const struct fabric *fabric, unsigned int kinds, FILE *out);

#endif
