/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog.h - signs of life for systemd's WatchdogSec= */
#ifndef LFPD_WATCH_WATCHDOG_H
#define LFPD_WATCH_WATCHDOG_H

#include <stdbool.h>
#include <uv.h>

struct watchdog {
	uv_timer_t timer;
	bool runs;
};

/* Tell systemd three times in each interval that the loop goes round; nothing if it does not watch.
 */
void watchdog_start(struct watchdog *dog, uv_loop_t *loop);
void watchdog_stop(struct watchdog *dog);

#endif
