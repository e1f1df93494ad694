/* SPDX-License-Identifier: Apache-2.0 */
/* status.h - the layout of lfpd-admin --status */
#ifndef LFPD_ADMIN_STATUS_H
#define LFPD_ADMIN_STATUS_H

#include <stdio.h>

/* Print lfpd's answer to "status" (lfp/admin.h) in IBM's three blocks. */
void status_print(const char *answer, FILE *out);

#endif
