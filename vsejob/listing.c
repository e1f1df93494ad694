/* SPDX-License-Identifier: Apache-2.0 */
/* listing.c - the lines of vsejob's own on the listing, which is standard output */
#include "vsejob/listing.h"

#include <stdio.h>

#define DATE_COLUMN 72 /* counted from 0 */

/* "DATE mm/dd/yyyy,CLOCK hh/mm/ss" behind @text. */
static void print_dated(const char *text, time_t now)
{
	char date[64] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "DATE %m/%d/%Y,CLOCK %H/%M/%S", &tm);
	printf("%-*s %s", DATE_COLUMN - 1, text, date);
}

void listing_job(const char *text, time_t now)
{
	print_dated(text, now);
	putchar('\n');
}

void listing_end(const char *name, unsigned int max_rc, time_t begun, time_t now)
{
	long long lasted = now > begun ? (long long)(now - begun) : 0;
	char text[64];

	snprintf(text, sizeof(text), "EOJ %s MAX.RETURN CODE=%04u", name, max_rc);
	print_dated(text, now);
	printf(",DURATION   %02lld/%02lld/%02lld\n", lasted / 3600, lasted / 60 % 60, lasted % 60);
}

void listing_step(unsigned int rc)
{
	printf("1S55I LAST RETURN CODE WAS %04u\n", rc);
}

void listing_end_procedure(const char *name)
{
	printf("EOP %s\n", name);
}

void listing_skipped(const char *text)
{
	printf("SKIPPED %s\n", text);
}
