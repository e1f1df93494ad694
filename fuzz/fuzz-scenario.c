/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-scenario.c - any bytes as a scenario: read, built, and, if small, run for a moment and
 * reported on
 *
 * Files that it names are not opened: its first devices get volumes of their own instead.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/volume.h"
#include "devemu/report/display.h"
#include "devemu/report/report.h"
#include "devemu/scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Few enough I/Os at once, and events far enough apart, for a run of 1 ms to be short. */
static bool small(const struct config *config)
{
	uint64_t work = 0;

	for (size_t i = 0; i < config->loads; i++)
		work += config->load[i].streams + config->load[i].rate_micro / 1000000000;
	return work < 200;
}

static void open_volumes(struct fabric *fabric, struct config *config)
{
	struct fabric_error error = {0};
	unsigned int left = 2;
	int rc;

	for (size_t i = 0; i < config->devices; i++) {
		struct device_config *device = &config->device[i];

		if (device->file[0] && device->count <= left) {
			left -= device->count;
			strcpy(device->file, VOLUME_SCRATCH);
			device->cylinders = 1;
		} else {
			device->file[0] = '\0';
		}
	}
	rc = volumes_open(fabric, NULL, &error);
	if (rc < 0 && (rc != -EINVAL || !error.text[0]))
		abort();
}

static void show(struct fabric *fabric)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "we");
	if (!nowhere)
		abort();
	for (int format = REPORT_TEXT; format <= REPORT_CSV; format++)
		if (report_print(fabric, (1U << REPORTS) - 1, (enum report_format)format, nowhere) <
		    0)
			abort();
	for (size_t i = 0; i < fabric->config->commands; i++) {
		char why[120] = "";

		if (display_command(fabric, fabric->config->command[i].text, 1, nowhere, why) < 0 &&
		    !why[0])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lfp_reader_error err;
	struct fabric_error error;
	struct fabric *fabric;
	struct config config;
	FILE *file;

	if (size == 0)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!file)
		abort();
	err.text[0] = '\0';
	if (scenario_read(&config, "fuzz", file, &err) < 0) {
		if (!err.text[0] || strchr(err.text, '\n'))
			abort();
	} else if (fabric_create(&fabric, &config, &error) == 0) {
		if (small(&config)) {
			open_volumes(fabric, &config);
			if (fabric_begin(fabric) < 0 || fabric_run_until(fabric, SIM_MS) < 0)
				abort();
		}
		show(fabric);
		fabric_destroy(fabric);
	} else if (!error.text[0]) {
		abort();
	}
	config_finish(&config);
	fclose(file);
	return 0;
}
