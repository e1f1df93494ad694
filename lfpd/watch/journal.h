/* SPDX-License-Identifier: Apache-2.0 */
/* journal.h - messages with fields of their own, where systemd's journal is */
#ifndef LFPD_WATCH_JOURNAL_H
#define LFPD_WATCH_JOURNAL_H

/*
 * Messages that go to the journal or to syslog carry, beside MESSAGE, PRIORITY and
 * SYSLOG_IDENTIFIER:
 *
 *   VSELFPD_INSTANCE	name of the instance
 *   VSELFPD_ID		id of the message, VLFD012E
 *   MESSAGE_ID		the same as journalctl --catalog wants it: 128 bits, of which the last 64
 * are the eight letters of the id
 */

/* From now on, for the instance @name, which is not copied. */
void journal_open(const char *name);

#endif
