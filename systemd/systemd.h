/* SPDX-License-Identifier: Apache-2.0 */
/* systemd.h - signs of life for WatchdogSec=, and messages with fields for the journal */
#ifndef SYSTEMD_SYSTEMD_H
#define SYSTEMD_SYSTEMD_H

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
 *   VSELFPD_INSTANCE	name of the instance; VSELFP_INSTANCE for an LFP instance
 *   VSELFPD_ID		id of the message, VLFD012E; VSELFP_ID
 *   MESSAGE_ID		the same as journalctl --catalog wants it: 128 bits, of which the last
 *			64 are the eight letters of the id
 */

/* From now on, for the instance @name of @program. @fields begins the names of both fields:
 * "VSELFPD". The texts are not copied. */
void journal_open(const char *program, const char *fields, const char *name);

/* Returns true if this process is a service that systemd waits for. */
bool notify_is_service(void);

/* Lets systemd know that the service is ready, or that it ends, if it runs as a service. @status is
 * for systemctl status. */
void notify_ready(const char *status);
void notify_stopping(void);

/* Leaves the newest error (lfp_log_error()) as the status of the service, for lfp_unit_look(). */
void notify_error(void);

#endif
