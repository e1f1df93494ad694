/* SPDX-License-Identifier: Apache-2.0 */
/* drive.c - an I/O's beginning and end: aliases, paths, open exchanges, counters */

#include <errno.h>

#include "devemu/fabric/io.h"
#include "devemu/fabric/trace.h"
#include "devemu/fabric/volume.h"
#include "devemu/fabric/zhpf.h"

/* The next usable path in turn, from the one after the last used. */
static struct fabric_path *path_choose(struct fabric_device *device)
{
	for (unsigned int i = 0; i < device->paths; i++) {
		struct fabric_path *path = device->path[device->next_path];

		if (++device->next_path == device->paths)
			device->next_path = 0;
		if (path_usable(path))
			return path;
	}
	return NULL;
}

static void io_finish(struct io *io, int rc);
static void io_lost(struct io *io);

/* Events of an I/O between the opening and the closing of its exchange. */
static void on_event(struct sim *sim, struct sim_node *node)
{
	struct io *io = (struct io *)node;

	(void)sim;
	if (io->epoch != io->path->epoch)
		io_lost(io);
	else if (stages_step(io))
		io_finish(io, 0);
}

static void exchange_open(struct io *io)
{
	struct fabric_channel *channel = io->path->channel;
	struct operation_counters *operation = &channel->counters.operation[io->protocol];

	io->started_at = io->fabric->sim.now;
	operation->starts++;
	operation->active_sum += ++channel->active[io->protocol];
	io->node.handler = on_event;
	stages_begin(io);
}

/* Hand the I/O to a channel, or let it wait for an exchange there. */
static void channel_start(struct io *io)
{
	struct fabric *fabric = io->fabric;
	struct fabric_channel *channel;

	io->path = path_choose(io->device);
	if (!io->path) {
		io->device->counters.no_path++;
		eventlog_add(&fabric->sim.log, fabric->sim.now, TRACE_ERROR, io->device->number,
			     io->number);
		io_finish(io, -ENODEV);
		return;
	}
	channel = io->path->channel;
	io->epoch = io->path->epoch;
	if (channel->config->type == CHANNEL_FCP)
		io->protocol = OPERATION_FCP;
	else if (io->auto_program && zhpf_allowed(fabric, channel, io->device))
		io->protocol = OPERATION_ZHPF;
	else
		io->protocol = OPERATION_FICON;
	if (channel->active[io->protocol] >= channel->limit[io->protocol]) {
		channel->counters.operation[io->protocol].deferred++;
		io->stage = IO_QUEUED;
		eventlog_add(&fabric->sim.log, fabric->sim.now, TRACE_DEFER, channel->config->chpid,
			     io->number);
		io_queue_put(&channel->deferred[io->protocol], io);
		return;
	}
	exchange_open(io);
}

/* For the number of aliases in use: each I/O besides the first has one. */
static void count_aliases(struct fabric_device *device, int64_t now)
{
	if (device->active > 1)
		device->counters.alias_time +=
			(uint64_t)(now - device->active_since) / SIM_NS * (device->active - 1);
	device->active_since = now;
}

static void device_start(struct io *io)
{
	struct fabric *fabric = io->fabric;

	count_aliases(io->device, fabric->sim.now);
	io->device->active++;
	io->device->counters.starts++;
	io->accepted_at = fabric->sim.now;
	eventlog_add(&fabric->sim.log, fabric->sim.now, TRACE_START, io->device->number,
		     io->number);
	channel_start(io);
}

void io_start(struct io *io, enum load_program program)
{
	io->auto_program = program == PROGRAM_AUTO;
	io->number = io->fabric->io_numbers++;
	io->queued_at = io->fabric->sim.now;
	io->sent = 0;
	io->disc = 0;
	io->miss = false;
	io->path = NULL;
	if (io->device->active >= io->device->limit) {
		io->stage = IO_QUEUED;
		io_queue_put(&io->device->waiting, io);
		return;
	}
	device_start(io);
}

/* An exchange is free: the next that waits for one has it. Those whose path has failed meanwhile go
 * on another. */
static void exchange_close(struct io *io)
{
	struct fabric_channel *channel = io->path->channel;
	struct io *next;

	channel->active[io->protocol]--;
	if (!channel->up)
		return;
	next = io_queue_get(&channel->deferred[io->protocol]);
	if (!next)
		return;
	next->epoch = next->path->epoch;
	if (path_usable(next->path))
		exchange_open(next);
	else
		channel_start(next);
}

/* Drives an I/O of a failed path again, on another path. */
static void io_lost(struct io *io)
{
	if (io->exchange)
		volume_cancel(io);
	exchange_close(io);
	io->device->counters.path_switches++;
	io->sent = 0;
	io->disc = 0;
	io->miss = false;
	channel_start(io);
}

void channel_failed(struct fabric_channel *channel)
{
	for (int p = 0; p < OPERATIONS; p++) {
		struct io_queue queue = channel->deferred[p];
		struct io *io;

		channel->deferred[p] = (struct io_queue){NULL, NULL, 0};
		while ((io = io_queue_get(&queue)))
			channel_start(io);
	}
}

static void count_end(struct io *io)
{
	struct fabric *fabric = io->fabric;
	const int64_t now = fabric->sim.now;
	struct device_counters *device = &io->device->counters;
	struct channel_counters *channel = &io->path->channel->counters;
	struct operation_counters *operation = &channel->operation[io->protocol];

	device->ends++;
	device->iosq += (uint64_t)(io->accepted_at - io->queued_at);
	device->pend += (uint64_t)(io->command_at - io->accepted_at);
	device->disc += (uint64_t)io->disc;
	device->conn += (uint64_t)(now - io->command_at - io->disc);
	device->cmr += (uint64_t)io->cmr;
	operation->ends++;
	operation->response += (uint64_t)(now - io->queued_at);
	if (io->write) {
		device->bytes_written += io->bytes;
		channel->bytes_written += io->bytes;
	} else {
		device->bytes_read += io->bytes;
		channel->bytes_read += io->bytes;
		*(io->miss ? &device->misses : &device->hits) += 1;
	}
	eventlog_add(&fabric->sim.log, now, TRACE_END, io->device->number, io->number);
}

/* Ends the I/O: successfully (0), or because no path is left (-ENODEV). Counts it, starts the next
 * one, calls its owner. */
static void io_finish(struct io *io, int rc)
{
	struct fabric_device *device = io->device;
	struct io *next;

	if (rc == 0 && io->exchange && volume_lost(io)) {
		device->counters.lost++;
		io_lost(io);
		return;
	}
	if (rc == 0) {
		count_end(io);
		if (io->exchange)
			rc = volume_end(io);
		exchange_close(io);
	}
	count_aliases(device, io->fabric->sim.now);
	device->active--;
	next = io_queue_get(&device->waiting);
	if (next)
		device_start(next);
	io->stage = IO_IDLE;
	io->ended(io, rc);
}
