/* SPDX-License-Identifier: Apache-2.0 */
/* systemd.h - lfpd instances as services of systemd */
#ifndef LFPD_CTL_SYSTEMD_H
#define LFPD_CTL_SYSTEMD_H

#include <stdbool.h>

/* All but the last three return an enum lsb_exit, and report failures. */

/* Lets systemd read its units again. */
int systemd_daemon_reload(const char *name);

/* Runs systemctl VERB lfpd@NAME.service. */
int systemd_do(const char *verb, const char *name);

/* Start or restart the service with the configuration @conf. After a failure they print lfpd's own
 * error, as lfpd does where it is started directly. */
int systemd_start(const char *name, const char *conf);
int systemd_restart(const char *name, const char *conf);

/* Prints that the service is starting, or why it is not running. Returns false without a word if it
 * is simply stopped. */
bool systemd_status(const char *name);

/* Returns a word for the list of instances: "starting", "failed" or "stopped". */
const char *systemd_state(const char *name);

/* Ask systemd whether the service is active, and whether it is about to start again. */
bool systemd_is_active(const char *name);
bool systemd_is_restarting(const char *name);

#endif
