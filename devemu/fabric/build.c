/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - cards, channels, control units, devices and loads from a configuration */
#include "devemu/fabric/build.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int build_fail(struct fabric_error *error, int line, const char *fmt, ...)
{
	va_list ap;

	error->line = line;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static struct fabric_fanout *fanout_of(struct fabric *fabric, unsigned int number)
{
	size_t i;

	for (i = 0; i < fabric->fanouts && fabric->fanout[i].number != number; i++)
		;
	if (i == fabric->fanouts) {
		fabric->fanout[i].number = number;
		cap_init(&fabric->fanout[i].cap, &preset_subsystem()->fanout);
		fabric->fanouts++;
	}
	return &fabric->fanout[i];
}

static struct fabric_domain *domain_of(struct fabric *fabric, unsigned int number)
{
	const struct preset_subsystem *preset = preset_subsystem();
	size_t i;

	for (i = 0; i < fabric->domains && fabric->domain[i].number != number; i++)
		;
	if (i == fabric->domains) {
		fabric->domain[i].number = number;
		fabric->domain[i].up = true;
		fabric->domain[i].fanout = fanout_of(fabric, number / preset->domains_per_fanout);
		cap_init(&fabric->domain[i].cap, &preset->domain);
		cap_init(&fabric->domain[i].alternate, &preset->alternate);
		fabric->domains++;
	}
	return &fabric->domain[i];
}

/* Cards are numbers that channels name; the first channel of a card says which domain it is in. */
int build_cards(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;
	const size_t room = config->channels + 1;

	fabric->card = calloc(room, sizeof(*fabric->card));
	fabric->domain = calloc(room, sizeof(*fabric->domain));
	fabric->fanout = calloc(room, sizeof(*fabric->fanout));
	if (!fabric->card || !fabric->domain || !fabric->fanout)
		return -ENOMEM;
	for (size_t i = 0; i < config->channels; i++) {
		const struct channel_config *from = &config->channel[i];
		const struct preset_generation *generation = preset_generation(from->preset);
		struct fabric_card *card = NULL;
		unsigned int channels = 1, cards = 0;

		if (!generation)
			return build_fail(error, from->line, "channel %02X: unknown preset %s",
					  from->chpid, from->preset);
		for (size_t j = 0; j < i; j++)
			channels += config->channel[j].card == from->card;
		if (channels > 2)
			return build_fail(error, from->line,
					  "channel %02X: card %u already has two channels",
					  from->chpid, from->card);
		for (size_t c = 0; c < fabric->cards; c++) {
			if (fabric->card[c].number == from->card)
				card = &fabric->card[c];
			cards += fabric->card[c].domain->number == from->domain;
		}
		if (card && card->domain->number != from->domain)
			return build_fail(
				error, from->line, "channel %02X: card %u is in domain %u, not %u",
				from->chpid, from->card, card->domain->number, from->domain);
		if (card)
			continue;
		if (cards == preset_subsystem()->cards_per_domain)
			return build_fail(error, from->line,
					  "channel %02X: domain %u already has %u cards",
					  from->chpid, from->domain, cards);
		card = &fabric->card[fabric->cards++];
		card->number = from->card;
		card->domain = domain_of(fabric, from->domain);
		cap_init(&card->cap,
			 from->type == CHANNEL_FCP ? &generation->fcp_card : &generation->card);
	}
	return 0;
}

int build_channels(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	fabric->channel = calloc(config->channels + 1, sizeof(*fabric->channel));
	if (!fabric->channel)
		return -ENOMEM;
	for (size_t i = 0; i < config->channels; i++) {
		const struct channel_config *from = &config->channel[i];
		struct fabric_channel *channel = &fabric->channel[i];

		if (fabric_channel(fabric, from->chpid))
			return build_fail(error, from->line, "channel %02X is already defined",
					  from->chpid);
		channel->config = from;
		channel->generation = preset_generation(from->preset);
		channel->up = true;
		channel->bus.rate = (from->type == CHANNEL_FCP ? channel->generation->fcp_bus
							       : channel->generation->bus) *
				    UINT64_C(1000);
		channel->limit[OPERATION_FICON] = channel->generation->open_ficon;
		channel->limit[OPERATION_ZHPF] = channel->generation->open_zhpf;
		channel->limit[OPERATION_FCP] = UINT_MAX;
		processor_init(&channel->processor, from->discipline, from->quantum);
		for (size_t c = 0; c < fabric->cards; c++)
			if (fabric->card[c].number == from->card)
				channel->card = &fabric->card[c];
		fabric->channels++;
	}
	return 0;
}

int build_control_units(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	fabric->control_unit = calloc(config->control_units + 1, sizeof(*fabric->control_unit));
	if (!fabric->control_unit)
		return -ENOMEM;
	for (size_t i = 0; i < config->control_units; i++) {
		const struct control_unit_config *from = &config->control_unit[i];
		struct fabric_control_unit *unit = &fabric->control_unit[i];

		for (size_t j = 0; j < i; j++)
			if (config->control_unit[j].number == from->number)
				return build_fail(error, from->line,
						  "control unit %04X is already defined",
						  from->number);
		unit->config = from;
		unit->lcu = from->lcu == UINT_MAX ? (unsigned int)i : from->lcu;
		unit->storage = preset_storage(from->preset);
		if (!unit->storage)
			return build_fail(error, from->line, "control unit %04X: unknown preset %s",
					  from->number, from->preset);
		unit->port = calloc(from->ports, sizeof(*unit->port));
		unit->lane = calloc((size_t)from->ports * unit->storage->fcp_lanes + 1,
				    sizeof(*unit->lane));
		fabric->control_units++;
		if (!unit->port || !unit->lane)
			return -ENOMEM;
	}
	return 0;
}

static int device_paths(struct fabric *fabric, struct fabric_device *device,
			struct fabric_error *error)
{
	for (size_t p = 0; p < fabric->paths; p++) {
		if (fabric->path[p].control_unit != device->control_unit)
			continue;
		if (device->paths == CONFIG_PATHS_MAX)
			return build_fail(error, fabric->path[p].config->line,
					  "path %02X %04X: a control unit has at most %u paths",
					  fabric->path[p].config->chpid, fabric->path[p].config->cu,
					  CONFIG_PATHS_MAX);
		device->path[device->paths++] = &fabric->path[p];
	}
	if (!device->paths)
		return build_fail(error, device->config->line,
				  "device %04X: its control unit %04X has no path", device->number,
				  device->config->cu);
	return 0;
}

int build_devices(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;
	size_t count = 0;

	for (size_t i = 0; i < config->devices; i++)
		count += config->device[i].count;
	if (count > 0x10000)
		return build_fail(error, 0, "%zu devices: at most 65536 are possible", count);
	fabric->device = calloc(count + 1, sizeof(*fabric->device));
	fabric->by_number = calloc(0x10000, sizeof(struct fabric_device *));
	if (!fabric->device || !fabric->by_number)
		return -ENOMEM;
	for (size_t i = 0; i < config->devices; i++) {
		const struct device_config *from = &config->device[i];

		for (unsigned int n = 0; n < from->count; n++) {
			struct fabric_device *device = &fabric->device[fabric->devices];
			int rc;

			if (from->number + n > 0xFFFF)
				return build_fail(error, from->line,
						  "device %04X: its number is above FFFF",
						  from->number + n);
			if (fabric_device(fabric, from->number + n))
				return build_fail(error, from->line,
						  "device %04X is already defined",
						  from->number + n);
			device->config = from;
			device->number = from->number + n;
			device->cylinders = from->cylinders;
			device->limit = from->aliases == UINT_MAX ? UINT_MAX : from->aliases + 1;
			for (size_t c = 0; c < fabric->control_units; c++)
				if (fabric->control_unit[c].config->number == from->cu)
					device->control_unit = &fabric->control_unit[c];
			if (!device->control_unit)
				return build_fail(error, from->line,
						  "device %04X: unknown control unit %04X",
						  device->number, from->cu);
			rc = device_paths(fabric, device, error);
			if (rc < 0)
				return rc;
			fabric->by_number[device->number] = device;
			fabric->devices++;
		}
	}
	return 0;
}
