/* SPDX-License-Identifier: Apache-2.0 */
/* build-paths.c - links, trunks and the paths over them */
#include "devemu/fabric/build.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/preset.h"

/* The links of the configuration in their order, a trunk's one after the other; then one for each
 * path that names none. */
int build_links(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;
	size_t count = 0;

	for (size_t i = 0; i < config->links; i++) {
		for (size_t j = 0; j < i; j++)
			if (!strcmp(config->link[i].name, config->link[j].name))
				return build_fail(error, config->link[i].line,
						  "link %s is already defined",
						  config->link[i].name);
		count += config->link[i].count;
	}
	fabric->link = calloc(count + config->paths + 1, sizeof(*fabric->link));
	if (!fabric->link)
		return -ENOMEM;
	for (size_t i = 0; i < config->links; i++)
		for (unsigned int n = 0; n < config->link[i].count; n++) {
			int rc = fabric_link_init(&fabric->link[fabric->links], &config->link[i]);

			if (rc < 0)
				return rc;
			fabric->links++;
		}
	fabric->configured_links = fabric->links;
	return 0;
}

/* A channel has one port: all of its paths without "via" share one link. */
static int direct_link(struct fabric *fabric, struct fabric_path *path)
{
	const struct fabric_channel *channel = path->channel;
	const struct preset_speed *speed = speed_negotiate(
		channel->generation, channel->config->gbps ? channel->config->gbps : UINT_MAX,
		!channel->config->no_fec);
	struct link_config config = {
		.credits = channel->generation->credits,
		.credit_efficiency = 100,
		.count = 1,
	};
	size_t i;
	int rc;

	if (!speed)
		return 0; /* agree() reports it */
	config.gbps = speed->gbps;
	config.fec = speed->fec;
	snprintf(config.name, sizeof(config.name), "CHP%02X", path->config->chpid);
	for (i = fabric->configured_links; i < fabric->links; i++)
		if (!strcmp(fabric->link[i].name, config.name))
			break;
	if (i == fabric->links) {
		rc = fabric_link_init(&fabric->link[i], &config);
		if (rc < 0)
			return rc;
		fabric->links++;
	}
	path->hop[0] = (struct fabric_hop){&fabric->link[i], 1};
	path->hops = 1;
	return 0;
}

static int path_hops(struct fabric *fabric, struct fabric_path *path, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	for (unsigned int v = 0; v < path->config->via_count; v++) {
		const char *name = path->config->via[v];
		size_t link = 0, i;

		for (i = 0; i < config->links && strcmp(config->link[i].name, name); i++)
			link += config->link[i].count;
		if (i == config->links)
			return build_fail(error, path->config->line,
					  "path %02X %04X: unknown link %s", path->config->chpid,
					  path->config->cu, name);
		path->hop[v] = (struct fabric_hop){&fabric->link[link], config->link[i].count};
	}
	path->hops = path->config->via_count;
	return path->hops ? 0 : direct_link(fabric, path);
}

/* The channel agrees on a speed with the first link of its paths, which is one and the same port.
 */
static int agree(struct fabric_path *path, struct fabric_error *error)
{
	struct fabric_channel *channel = path->channel;
	const struct link *link = path->hop[0].link;
	const struct preset_speed *speed;
	unsigned int gbps;

	if (!link)
		return build_fail(error, channel->config->line,
				  "channel %02X: %s has no speed of up to %u Gbps%s",
				  channel->config->chpid, channel->generation->name,
				  channel->config->gbps,
				  channel->config->no_fec ? " without error correction" : "");
	gbps = link->gbps;
	if (channel->config->gbps && channel->config->gbps < gbps)
		gbps = channel->config->gbps;
	speed = speed_negotiate(channel->generation, gbps, link->fec && !channel->config->no_fec);
	if (!speed)
		return build_fail(
			error, path->config->line,
			"channel %02X: %s has no speed in common with link %s of %u Gbps%s",
			channel->config->chpid, channel->generation->name, link->name, link->gbps,
			link->fec ? "" : " without error correction");
	if (channel->speed && channel->speed != speed)
		return build_fail(
			error, path->config->line,
			"channel %02X: its paths start with links of different speeds, %u and %u Gbps",
			channel->config->chpid, channel->speed->gbps, speed->gbps);
	channel->speed = speed;
	/* The slower end decides for the whole link. */
	for (unsigned int n = 0; n < path->hop[0].count; n++)
		for (int d = 0; d < 2; d++)
			path->hop[0].link[n].direction[d].line.rate =
				speed->gbps * UINT64_C(106250);
	return 0;
}

int build_paths(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	fabric->path = calloc(config->paths + 1, sizeof(*fabric->path));
	if (!fabric->path)
		return -ENOMEM;
	for (size_t i = 0; i < config->paths; i++) {
		const struct path_config *from = &config->path[i];
		struct fabric_path *path = &fabric->path[i];
		int rc;

		path->config = from;
		path->channel = fabric_channel(fabric, from->chpid);
		if (!path->channel)
			return build_fail(error, from->line, "path: unknown channel %02X",
					  from->chpid);
		for (size_t c = 0; c < fabric->control_units; c++)
			if (fabric->control_unit[c].config->number == from->cu)
				path->control_unit = &fabric->control_unit[c];
		if (!path->control_unit)
			return build_fail(error, from->line, "path: unknown control unit %04X",
					  from->cu);
		if (from->port >= path->control_unit->config->ports)
			return build_fail(
				error, from->line,
				"path %02X %04X: the control unit has ports 0 to %u, not %u",
				from->chpid, from->cu, path->control_unit->config->ports - 1,
				from->port);
		for (size_t j = 0; j < i; j++)
			if (fabric->path[j].channel == path->channel &&
			    fabric->path[j].control_unit == path->control_unit)
				return build_fail(error, from->line,
						  "path %02X %04X is already defined", from->chpid,
						  from->cu);
		path->port = &path->control_unit->port[from->port];
		rc = path_hops(fabric, path, error);
		if (rc == 0)
			rc = agree(path, error);
		if (rc < 0)
			return rc;
		fabric->paths++;
	}
	return 0;
}
