/* SPDX-License-Identifier: Apache-2.0 */
/* fabric.c - looks up parts of a fabric, and their state */
#include "devemu/fabric/fabric.h"

struct channel_counters fabric_channel_counters(const struct fabric *fabric,
						const struct fabric_channel *channel)
{
	struct channel_counters counters = channel->counters;

	counters.processor_busy = channel->processor.busy;
	counters.bus_busy = channel->bus.busy - server_ahead(&channel->bus, fabric->sim.now);
	return counters;
}

struct fabric_device *fabric_device(struct fabric *fabric, unsigned int number)
{
	return number <= 0xFFFF && fabric->by_number ? fabric->by_number[number] : NULL;
}

struct fabric_channel *fabric_channel(struct fabric *fabric, unsigned int chpid)
{
	for (size_t i = 0; i < fabric->channels; i++)
		if (fabric->channel[i].config->chpid == chpid)
			return &fabric->channel[i];
	return NULL;
}

bool path_usable(const struct fabric_path *path)
{
	if (!path->channel->up || path->barred)
		return false;
	for (unsigned int h = 0; h < path->hops; h++) {
		bool up = false;

		for (unsigned int n = 0; n < path->hop[h].count; n++)
			up |= path->hop[h].link[n].up;
		if (!up)
			return false;
	}
	return true;
}
