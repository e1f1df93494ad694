/* SPDX-License-Identifier: Apache-2.0 */
/* service.h - start, stop and ask for one lfpd instance */
#ifndef LFPD_CTL_SERVICE_H
#define LFPD_CTL_SERVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "lfp/places.h"

/* Exit codes of init scripts (Linux Standard Base). */
enum lsb_exit {
	LSB_OK = 0,
	LSB_FAILURE = 1,
	LSB_USAGE = 2,
	LSB_NO_PERMISSION = 4,
	LSB_NOT_INSTALLED = 5,
	LSB_NOT_CONFIGURED = 6,
	LSB_NOT_RUNNING = 7,
};

/* Exit codes of "status". */
enum lsb_status {
	LSB_STATUS_RUNNING = 0,
	LSB_STATUS_DEAD = 1, /* not running, but its pid file exists */
	LSB_STATUS_STOPPED = 3,
	LSB_STATUS_UNKNOWN = 4,
};

/* These print their result and return an enum lsb_exit or lsb_status. */
int service_start(const char *name);
int service_status(const char *name);

/* Lets lfpd check a configuration file; lfpd prints the errors. */
int service_check(const char *name, const char *conf);

/* Fills @buf with the values in force, as lfpd prints them: lines "KEY = VALUE". */
int service_values(const char *name, const char *conf, char *buf, size_t size);

#define SERVICE_CALL_MAX 32 /* words */

/* Lets lfpd print what the rules would decide about a call: those of the instance's configuration
 * @conf, or those in the file @rules. @name is for messages. Returns an enum lsb_exit: LSB_FAILURE
 * if they refuse it. */
int service_would(const char *name, const char *conf, const char *rules, char *const call[]);

/* Sets @conf to the enabled configuration, or else to the available one. Returns an enum lsb_exit.
 */
int service_any_conf(char conf[static LFP_PLACE_MAX], const char *name);

#define SERVICE_VALUES_MAX 16384 /* bytes; room for all of them */

/* Gets the value of a key from these lines. Returns false, and "", if it is not set. */
bool service_value(const char *values, const char *key, char *out, size_t size);

/* Stops the instance. @patience: milliseconds from SIGTERM until a message announces SIGKILL. */
int service_stop(const char *name, int patience);

/* Sets @conf to the path of the enabled configuration. Returns 0, or an LSB code after a
 * message. */
int service_find_conf(char conf[static LFP_PLACE_MAX], const char *name);

/* Returns the milliseconds of a clock that is never set. */
long long service_now_ms(void);

/* Reports that lfpd has ended before it was ready, or has refused its configuration. @by_signal:
 * @code is a signal, else an exit code. Returns an enum lsb_exit. */
int service_tell_end(const char *name, int code, bool by_signal);

/* Reports that the pid file cannot be read. */
int service_tell_unknown(const char *name, int rc);

#endif
