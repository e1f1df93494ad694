/* SPDX-License-Identifier: Apache-2.0 */
/* listing.h - the lines of vsejob's own on the listing, which is standard output */
#ifndef VSEJOB_LISTING_H
#define VSEJOB_LISTING_H

#include <time.h>

/*
 * z/VSE's listing has the date and the time with // JOB and with EOJ, and 1S55I with the return
 * code of each step. No public page shows the columns: they are this project's.
 */

/* Prints the statement @text, // JOB, with the date and the time @now. */
void listing_job(const char *text, time_t now);

/* Prints the end of the job @name, which began at @begun. */
void listing_end(const char *name, unsigned int max_rc, time_t begun, time_t now);

/* Prints the return code of a step. */
void listing_step(unsigned int rc);

/* Prints a card that is passed over. */
/* The line at the end of a procedure. */
void listing_end_procedure(const char *name);

void listing_skipped(const char *text);

#endif
