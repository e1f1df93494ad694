/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - lists of a configuration */
#include "devemu/fabric/config.h"

#include <stdlib.h>
#include <string.h>

#include "devemu/clock/sim.h"

void config_init(struct config *config)
{
	memset(config, 0, sizeof(*config));
	config->seed = 1;
	config->time = SIM_SEC;
	config->hipersockets_frame = 65536;
	config->fces_frame_bytes = 32;
	config->fces_key_frames = 1 << 30;
	config->system = (struct system_config){
		.id = "ZDEV",
		.year = 2022,
		.month = 1,
		.day = 1,
		.cpus = 1,
		.machine = "3931",
		.model = "A01",
		.capacity = "701",
		.serial = "00001",
		.cpc = "ZDEV",
		.lpar = "ZDEV",
		.lpar_id = 1,
	};
}

void config_finish(struct config *config)
{
	free(config->link);
	free(config->channel);
	free(config->control_unit);
	free(config->device);
	free(config->path);
	free(config->load);
	free(config->fault);
	free(config->setios);
	free(config->zhyperlink);
	free(config->command);
	free(config->key_server);
	free(config->profile);
	memset(config, 0, sizeof(*config));
}

void *config_add(void *list, size_t *count, size_t size)
{
	/* A list starts with room for one and doubles: its room is the power of two at or above its
	 * count. */
	char *items = *(char **)list;

	if ((*count & (*count - 1)) == 0) {
		items = reallocarray(items, *count ? 2 * *count : 1, size);
		if (!items)
			return NULL;
		*(char **)list = items;
	}
	items += (*count)++ * size;
	return memset(items, 0, size);
}
