/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - the layout of lfpd-admin --status */
#ifndef LFPD_ADMIN_STATUS_H
#define LFPD_ADMIN_STATUS_H

#include <jansson.h>
#include <stdio.h>

/* Print lfpd's answer to "status" (lfp/admin.h) in IBM's three blocks. */
void status_print(const char *answer, FILE *out);

/* Prints the state of a trace, in one or more lines, from an answer to "status" or
 * "trace-status". */
void status_trace(const char *answer, FILE *out);

/* Returns an object of JSON. Keys of the configuration are strings in one of their own,
 * "configuration". */
json_t *status_json(const char *answer);

/* "TESTV of VSER05", the connected z/VSE instance; "" if none is */
#define STATUS_ZVSE 72
const char *status_zvse(const char *answer, char text[static STATUS_ZVSE]);

/* "3 days, 01:02:03" */
const char *status_uptime(const char *answer, char text[static 32]);

#endif
