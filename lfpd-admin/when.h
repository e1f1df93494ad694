/* SPDX-License-Identifier: Apache-2.0 */
/* when.h - times of reports, all UTC, as in the log of connections */
#ifndef LFPD_ADMIN_WHEN_H
#define LFPD_ADMIN_WHEN_H

#include <stdint.h>
#include <time.h>

/* From when to when, us since 1970. */
struct range {
	uint64_t from, to; /* @to is not included */
};

#define WHEN_EVER UINT64_MAX /* the end of a range without one */

/* Reads "2026-11-29T12:30:05" (also with a blank for the T, without the seconds, with a Z at the
 * end, or the date alone), or "12:30:05" of the day of @now. Returns 0, or -EINVAL. */
int when_read(const char *text, time_t now, uint64_t *us);

#define WHEN_TEXT 32

/* "2026-11-29 12:30:05", and with the fraction "2026-11-29T12:30:05.123456Z" for JSON */
const char *when_text(uint64_t us, char text[static WHEN_TEXT]);
const char *when_exact(uint64_t us, char text[static WHEN_TEXT]);

#endif
