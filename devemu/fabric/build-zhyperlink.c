/* SPDX-License-Identifier: Apache-2.0 */
/* build-zhyperlink.c - zHyperLinks from a configuration */
#include "devemu/fabric/build.h"

#include <errno.h>
#include <stdlib.h>

static struct fabric_control_unit *control_unit_of(struct fabric *fabric, unsigned int number)
{
	for (size_t c = 0; c < fabric->control_units; c++)
		if (fabric->control_unit[c].config->number == number)
			return &fabric->control_unit[c];
	return NULL;
}

static bool has_ficon_path(const struct fabric *fabric, const struct fabric_control_unit *unit)
{
	for (size_t p = 0; p < fabric->paths; p++)
		if (fabric->path[p].control_unit == unit &&
		    fabric->path[p].channel->config->type == CHANNEL_FC)
			return true;
	return false;
}

static struct zhyperlink *link_of(struct fabric *fabric, const struct zhyperlink_config *from)
{
	struct zhyperlink *link;

	for (size_t i = 0; i < fabric->zhyperlinks; i++)
		if (fabric->zhyperlink[i].adapter == from->adapter &&
		    fabric->zhyperlink[i].port == from->port)
			return &fabric->zhyperlink[i];
	link = &fabric->zhyperlink[fabric->zhyperlinks++];
	*link = (struct zhyperlink){
		.adapter = from->adapter,
		.port = from->port,
		.metres = from->metres,
		.propagation = (int64_t)from->metres * 5000,
	};
	return link;
}

static int add(struct fabric *fabric, const struct zhyperlink_config *from,
	       struct fabric_error *error)
{
	struct fabric_control_unit *unit = control_unit_of(fabric, from->cu);
	struct zhyperlink *link;

	if (!unit)
		return build_fail(error, from->line, "zhyperlink: unknown control unit %04X",
				  from->cu);
	if (from->adapter >= ZHYPERLINK_ADAPTERS || from->port >= ZHYPERLINK_PORTS)
		return build_fail(error, from->line,
				  "zhyperlink %04X: a system has adapters 0 to %d with ports 0 to "
				  "%d, not port %u of adapter %u",
				  from->cu, ZHYPERLINK_ADAPTERS - 1, ZHYPERLINK_PORTS - 1,
				  from->port, from->adapter);
	if (from->metres > ZHYPERLINK_METRES)
		return build_fail(error, from->line,
				  "zhyperlink %04X: %lu m is more than the maximum of %d m",
				  from->cu, from->metres, ZHYPERLINK_METRES);
	if (!has_ficon_path(fabric, unit))
		return build_fail(error, from->line,
				  "zhyperlink %04X: the control unit has no FICON path; "
				  "zHyperLink needs one for ECKD devices and for retries",
				  from->cu);
	link = link_of(fabric, from);
	if (link->metres != from->metres)
		return build_fail(
			error, from->line,
			"zhyperlink %04X: port %u of adapter %u already has a link of %lu m",
			from->cu, from->port, from->adapter, link->metres);
	link->functions += from->functions;
	if (link->functions > ZHYPERLINK_FUNCTIONS)
		return build_fail(error, from->line,
				  "zhyperlink %04X: port %u of adapter %u would have %u virtual "
				  "functions, at most %d are possible",
				  from->cu, from->port, from->adapter, link->functions,
				  ZHYPERLINK_FUNCTIONS);
	for (unsigned int i = 0; i < unit->zhyperlinks; i++)
		if (unit->zhyperlink[i] == link)
			return build_fail(error, from->line,
					  "zhyperlink %04X: port %u of adapter %u is already "
					  "connected to it",
					  from->cu, from->port, from->adapter);
	unit->zhyperlink[unit->zhyperlinks++] = link;
	return 0;
}

int build_zhyperlinks(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;
	int rc = 0;

	fabric->zhyperlink = calloc(config->zhyperlinks + 1, sizeof(*fabric->zhyperlink));
	if (!fabric->zhyperlink)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && i < config->zhyperlinks; i++)
		rc = add(fabric, &config->zhyperlink[i], error);
	return rc;
}
