/* SPDX-License-Identifier: Apache-2.0 */
/* notify.c - tells systemd about the state of this service */
#include "systemd/systemd.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include "lfp/log.h"

#define BARRIER_US 5000000u /* systemd answers at once, unless the machine is very busy */

bool notify_is_service(void)
{
	return getenv("NOTIFY_SOCKET") != NULL;
}

void notify_ready(const char *status)
{
	(void)sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1");
}

void notify_error(void)
{
	if (!*lfp_log_error())
		return;
	(void)sd_notifyf(0, "STATUS=%s", lfp_log_error());
	/* Whose message it is, systemd finds out while the process is there. */
	(void)sd_notify_barrier(0, BARRIER_US);
}
