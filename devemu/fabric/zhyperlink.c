/* SPDX-License-Identifier: Apache-2.0 */
/* zhyperlink.c - a synchronous request from its start to its end or to its second try */
#include "devemu/fabric/zhyperlink.h"

#include "devemu/fabric/io.h"
#include "devemu/fabric/trace.h"
#include "devemu/fabric/volume.h"

static bool has_path(const struct fabric_device *device)
{
	for (unsigned int p = 0; p < device->paths; p++)
		if (device->path[p]->channel->config->type == CHANNEL_FC &&
		    path_usable(device->path[p]))
			return true;
	return false;
}

static bool is_eckd(const struct fabric_device *device)
{
	for (unsigned int p = 0; p < device->paths; p++)
		if (device->path[p]->channel->config->type == CHANNEL_FC)
			return true;
	return false;
}

enum zhyperlink_outcome zhyperlink_check(const struct fabric_device *device, uint32_t bytes,
					 uint64_t address)
{
	if (!is_eckd(device))
		return ZHYPERLINK_NOT_ECKD;
	if (!device->control_unit->zhyperlinks)
		return ZHYPERLINK_NO_LINK;
	if (!has_path(device))
		return ZHYPERLINK_NO_PATH;
	return zhyperlink_check_record(bytes, address);
}

static struct zhyperlink *next_link(struct fabric_control_unit *unit)
{
	struct zhyperlink *link = unit->zhyperlink[unit->next_zhyperlink];

	if (++unit->next_zhyperlink == unit->zhyperlinks)
		unit->next_zhyperlink = 0;
	return link;
}

static void log_outcome(struct io *io, enum zhyperlink_outcome outcome)
{
	struct fabric *fabric = io->fabric;

	io->outcome = (uint8_t)outcome;
	eventlog_add(&fabric->sim.log, fabric->sim.now, TRACE_SYNC, io->device->number, outcome);
}

static void second_try(struct io *io, enum zhyperlink_outcome outcome)
{
	struct sync_counters *counters = &io->device->sync;

	log_outcome(io, outcome);
	counters->failed_time += (uint64_t)(io->fabric->sim.now - io->asked_at);
	if (outcome == ZHYPERLINK_LINK_BUSY)
		counters->link_busy++;
	else if (outcome == ZHYPERLINK_CACHE_MISS)
		counters->cache_miss++;
	else if (io->write)
		counters->write_rejects++;
	else
		counters->read_rejects++;
	io_start(io, (enum load_program)io->program);
}

static void on_busy(struct sim *sim, struct sim_node *node)
{
	(void)sim;
	second_try((struct io *)node, ZHYPERLINK_LINK_BUSY);
}

static void on_answer(struct sim *sim, struct sim_node *node)
{
	struct io *io = (struct io *)node;
	struct sync_counters *counters = &io->device->sync;
	const uint64_t time = (uint64_t)(sim->now - io->asked_at);

	if (io->known_miss) {
		second_try(io, ZHYPERLINK_CACHE_MISS);
		return;
	}
	if (io->device->volume) {
		const int outcome = volume_sync(io);

		if (outcome < 0) {
			sim->error = outcome;
			return;
		}
		if (outcome != ZHYPERLINK_DONE) {
			second_try(io, (enum zhyperlink_outcome)outcome);
			return;
		}
	}
	log_outcome(io, ZHYPERLINK_DONE);
	if (io->write) {
		counters->writes++;
		counters->bytes_written += io->bytes;
		counters->write_time += time;
	} else {
		counters->reads++;
		counters->bytes_read += io->bytes;
		counters->read_time += time;
	}
	io->ended(io, 0);
}

void zhyperlink_start(struct io *io, unsigned int program)
{
	struct sim *sim = &io->fabric->sim;
	const struct device_config *device = io->device->config;
	const enum zhyperlink_outcome outcome = zhyperlink_check(io->device, io->bytes, io->align);
	struct zhyperlink *link;

	io->asked_at = sim->now;
	io->program = (uint8_t)program;
	io->known_miss = false;
	if (outcome != ZHYPERLINK_DONE) {
		second_try(io, outcome);
		return;
	}
	link = next_link(io->device->control_unit);
	if (link->held_until > sim->now) {
		io->node.handler = on_busy;
		sim_after(sim, preset_zhyperlink.busy, &io->node);
		return;
	}
	link->held_until = sim->now + preset_zhyperlink.held + 2 * link->propagation;
	io->known_miss =
		!io->write && device->hit < 100 && random_below(&sim->random, 100) >= device->hit;
	io->node.handler = on_answer;
	sim_after(sim,
		  (io->write ? preset_zhyperlink.write : preset_zhyperlink.read) +
			  2 * link->propagation,
		  &io->node);
}
