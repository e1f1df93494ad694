/* SPDX-License-Identifier: Apache-2.0 */
/* watchdog.c - signs of life for systemd's WatchdogSec= */
#include "systemd/systemd.h"

#include <systemd/sd-daemon.h>

#define PER_INTERVAL 3u /* two signals may be late */

static void on_time(uv_timer_t *timer)
{
	(void)timer;
	sd_notify(0, "WATCHDOG=1");
}

void watchdog_start(struct watchdog *dog, uv_loop_t *loop)
{
	uint64_t interval = 0; /* microseconds */

	dog->runs = sd_watchdog_enabled(0, &interval) > 0;
	if (!dog->runs)
		return;
	interval /= PER_INTERVAL * UINT64_C(1000);
	if (!interval)
		interval = 1;
	uv_timer_init(loop, &dog->timer);
	uv_timer_start(&dog->timer, on_time, interval, interval);
}

void watchdog_stop(struct watchdog *dog)
{
	if (dog->runs)
		uv_close((uv_handle_t *)&dog->timer, NULL);
	dog->runs = false;
}
