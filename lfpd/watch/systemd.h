/* SPDX-License-Identifier: Apache-2.0 */
/* systemd.h - signs of life for WatchdogSec=, and messages with fields for the journal */
#ifndef LFPD_WATCH_SYSTEMD_H
#define LFPD_WATCH_SYSTEMD_H

#include <stdbool.h>
#include <uv.h>

struct watchdog {
	uv_timer_t timer;
	bool runs;
};

/* Sends systemd three signs of life in each interval while the loop runs. Does nothing if systemd
 * does not watch.
 */
void watchdog_start(struct watchdog *dog, uv_loop_t *loop);
void watchdog_stop(struct watchdog *dog);

/*
 * Messages that go to the journal or to syslog carry, beside MESSAGE, PRIORITY and
 * SYSLOG_IDENTIFIER:
 *
 *   VSELFPD_INSTANCE	name of the instance
 *   VSELFPD_ID		id of the message, VLFD012E
 *   MESSAGE_ID		the same as journalctl --catalog wants it: 128 bits, of which the last
 *			64 are the eight letters of the id
 */

/* From now on, for the instance @name, which is not copied. */
void journal_open(const char *name);

#endif
