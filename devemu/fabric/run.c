/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - a fabric as a whole: built, run, taken down */
#include "devemu/fabric/fabric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/build.h"
#include "devemu/fabric/io.h"
#include "devemu/fabric/login.h"
#include "devemu/fabric/volume.h"

int fabric_create(struct fabric **result, const struct config *config, struct fabric_error *error)
{
	static int (*const parts[])(struct fabric *, struct fabric_error *) = {
		build_links,   build_cards,       build_channels, build_control_units, build_paths,
		build_devices, build_zhyperlinks, build_loads,    build_actions,
	};
	struct fabric *fabric = calloc(1, sizeof(*fabric));
	int rc;

	memset(error, 0, sizeof(*error));
	if (!fabric)
		return -ENOMEM;
	fabric->config = config;
	fabric->zhpf = config->zhpf;
	rc = sim_init(&fabric->sim, config->seed, 1024);
	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(parts[0]); i++)
		rc = parts[i](fabric, error);
	if (rc < 0) {
		fabric_destroy(fabric);
		return rc;
	}
	*result = fabric;
	return 0;
}

void fabric_destroy(struct fabric *fabric)
{
	if (!fabric)
		return;
	for (size_t i = 0; i < fabric->links; i++)
		fabric_link_finish(&fabric->link[i]);
	for (size_t i = 0; i < fabric->control_units; i++) {
		free(fabric->control_unit[i].port);
		free(fabric->control_unit[i].lane);
	}
	for (size_t i = 0; i < fabric->devices; i++)
		volume_close(fabric->device[i].volume);
	io_blocks_free(fabric);
	fces_logout(fabric);
	free(fabric->link);
	free(fabric->channel);
	free(fabric->control_unit);
	free(fabric->device);
	free(fabric->by_number);
	free(fabric->path);
	free(fabric->card);
	free(fabric->domain);
	free(fabric->fanout);
	free(fabric->load);
	free(fabric->action);
	free(fabric->zhyperlink);
	sim_finish(&fabric->sim);
	free(fabric);
}

int fabric_begin(struct fabric *fabric)
{
	actions_begin(fabric);
	return loads_begin(fabric);
}

int fabric_run_until(struct fabric *fabric, int64_t at)
{
	return sim_run(&fabric->sim, at);
}

int fabric_run(struct fabric *fabric)
{
	const struct config *config = fabric->config;
	int rc = fabric_begin(fabric);

	if (rc == 0)
		rc = sim_run(&fabric->sim, config->warmup);
	if (rc < 0)
		return rc;
	fabric_reset_counters(fabric);
	return sim_run(&fabric->sim, config->warmup + config->time);
}

void fabric_reset_counters(struct fabric *fabric)
{
	fabric->interval_start = fabric->sim.now;
	for (size_t i = 0; i < fabric->channels; i++) {
		struct fabric_channel *channel = &fabric->channel[i];

		memset(&channel->counters, 0, sizeof(channel->counters));
		channel->processor.busy = 0;
		channel->bus.busy = server_ahead(&channel->bus, fabric->sim.now);
	}
	for (size_t i = 0; i < fabric->links; i++)
		for (int d = 0; d < 2; d++) {
			struct link_direction *direction = &fabric->link[i].direction[d];

			memset(&direction->counters, 0, sizeof(direction->counters));
		}
	for (size_t i = 0; i < fabric->devices; i++) {
		memset(&fabric->device[i].counters, 0, sizeof(fabric->device[i].counters));
		memset(&fabric->device[i].sync, 0, sizeof(fabric->device[i].sync));
		fabric->device[i].active_since = fabric->sim.now;
		if (fabric->device[i].volume)
			memset(&fabric->device[i].volume->counters, 0,
			       sizeof(struct volume_counters));
	}
	for (size_t i = 0; i < fabric->loads; i++) {
		struct fabric_load *load = &fabric->load[i];

		load->started = load->ended = load->failed = load->errors = load->response = 0;
	}
}
