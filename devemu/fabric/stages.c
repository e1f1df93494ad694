/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c - the way of an I/O over its path
 *
 * Theory of operation
 *
 * An I/O with an open exchange is always in one stage (enum io_stage in io.h) and waits for exactly
 * one event: its own node in the queue of the simulation, or the end of its job at the channel
 * processor, which has the same handler. drive.c passes that event to stages_step(), which goes on
 * until the I/O has to wait again. Nothing polls, and no stage keeps state outside of the I/O.
 *
 * Hops and servers (links, bus, card, domain, fan-out) are passed one a step: each takes the burst
 * (the times of its first and last byte) and computes when these leave it. The next step begins
 * when the first byte arrives, at once if the way was free. So a burst is cut through and may lie
 * on several parts at the same time. A command, which has no data, waits for its last byte.
 *
 * Servers are held in the order of events, never ahead of the present: two I/Os at the same server
 * are served in the order in which their first bytes come. A change of that order, or one more or
 * one less random number, changes every later event (tests/devemu/test-golden.c).
 *
 * Presets give the times. They are fitted to transfers of 4 KB (SMALL); each further byte has a
 * cost. A device with a volume runs its channel program when the I/O begins (volume.h), which gives
 * the number of information units. Without a volume, an I/O has those of a 4 KB transfer.
 *
 * A failing path changes its epoch. drive.c checks that before each step, so no stage has to undo
 * anything.
 */
#include "devemu/fabric/io.h"

#include "devemu/fabric/fabric.h"
#include "devemu/fabric/link.h"
#include "devemu/fabric/trace.h"
#include "devemu/fabric/volume.h"

enum {
	FICON_COMMANDS = 3, /* Define Extent, Locate Record, Read or Write */
	FICON_ANSWERS = 2,  /* command response and status */
	SMALL = 4096,       /* the fits of presets are to transfers of this size */
};

static inline uint32_t data_units(uint32_t bytes)
{
	return (bytes + FICON_IU - 1) / FICON_IU;
}

/* ps of what grows with the size, at @fs femtoseconds a byte. */
static inline int64_t beyond_small(const struct io *io, int64_t fs)
{
	return io->bytes > SMALL ? (int64_t)(io->bytes - SMALL) * fs / 1000 : 0;
}

/* A program that runs has its own number of units. An I/O without a program has those of a 4 KB
 * read. */
static inline bool has_units(const struct io *io)
{
	return io->exchange && io->exchange->ius;
}

static inline uint32_t ficon_commands(const struct io *io)
{
	return has_units(io) ? io->exchange->commands : FICON_COMMANDS;
}

static inline uint32_t ficon_answers(const struct io *io)
{
	return has_units(io) ? io->exchange->answers : FICON_ANSWERS;
}

static uint32_t write_window(const struct io *io, bool first)
{
	return window_bytes(io, io->bytes - io->sent, first);
}

/* The processor works on @controls units without data and on those of @bytes of data. */
static void processor_work(struct io *io, uint32_t controls, uint32_t bytes)
{
	struct fabric_channel *channel = io->path->channel;
	const struct preset_generation *generation = channel->generation;
	const uint32_t units =
		has_units(io) && !io->write && bytes ? io->exchange->units_in : data_units(bytes);
	int64_t left = 0;

	if (io->protocol == OPERATION_FICON)
		left = controls * generation->ficon_control + units * generation->ficon_data;
	else if (io->protocol == OPERATION_ZHPF)
		left = generation->zhpf + beyond_small(io, channel->speed->router_fs);
	else
		left = generation->fcp;
	processor_submit(&io->fabric->sim, &channel->processor, &io->job, left,
			 io->protocol == OPERATION_FICON ? left / (controls + units) : left);
}

static void send_hop(struct io *io, const struct fabric_hop *hop, bool from_cu)
{
	struct link *link = hop->link;

	if (hop->count > 1) {
		unsigned int n = (unsigned int)(io->number % hop->count);

		while (!hop->link[n].up)
			n = n + 1 < hop->count ? n + 1 : 0;
		link = &hop->link[n];
	}
	fabric_link_send(link, from_cu, &io->burst, io->data, io->controls, io->path->frame_extra);
}

static void arrive_at_cu(struct io *io);
static void arrive_at_channel(struct io *io);

/* Passes one more hop, or ends them. The next event is the arrival of the first byte. */
static void travel(struct io *io)
{
	const bool from_cu = io->stage != IO_OUTBOUND;
	const struct fabric_path *path = io->path;

	if (io->step == path->hops) {
		if (from_cu)
			arrive_at_channel(io);
		else
			arrive_at_cu(io);
		return;
	}
	send_hop(io, &path->hop[from_cu ? path->hops - 1 - io->step : io->step], from_cu);
	io->step++;
	/* A command is handled when it has arrived completely; data continues while more of it
	 * arrives.
	 */
	if (!io->data)
		io->burst.first = io->burst.last;
	sim_at(&io->fabric->sim, io->burst.first, &io->node);
}

static void send(struct io *io, enum io_stage stage, uint32_t data, unsigned int controls)
{
	io->stage = (uint8_t)stage;
	io->step = 0;
	io->data = data;
	io->controls = (uint16_t)controls;
	travel(io);
}

/* The servers between link and memory, one a step; NULL after the last. */
static struct server *server_at(const struct io *io)
{
	struct fabric_channel *channel = io->path->channel;
	struct fabric_domain *domain = channel->card->domain;
	struct cap *cap = domain->up ? &domain->cap : &domain->alternate;

	switch (io->step) {
	case 0:
		return &channel->bus;
	case 1:
		return &channel->card->cap.direction[io->write];
	case 2:
		return &channel->card->cap.total;
	case 3:
		return &cap->direction[io->write];
	case 4:
		return &cap->total;
	case 5:
		return &domain->fanout->cap.direction[io->write];
	case 6:
		return &domain->fanout->cap.total;
	}
	return NULL;
}

/* Pass servers as far as that is possible without waiting; true when it is behind all of them. */
static bool pass_servers(struct io *io)
{
	struct sim *sim = &io->fabric->sim;
	struct server *server;

	while ((server = server_at(io))) {
		server_pass(server, &io->burst, io->data);
		io->step++;
		if (io->burst.first > sim->now) {
			sim_at(sim, io->burst.first, &io->node);
			return false;
		}
	}
	return true;
}

static void end_of_io(struct io *io)
{
	io->stage = IO_END;
	sim_at(&io->fabric->sim, io->burst.last, &io->node);
}

static void store(struct io *io)
{
	if (pass_servers(io))
		end_of_io(io);
}

static void outbound(struct io *io)
{
	const uint32_t data = io->data;
	unsigned int controls = 0, units;

	if (!io->granted)
		controls = io->protocol == OPERATION_FICON ? ficon_commands(io) : 1;
	io->sent += data;
	if (has_units(io))
		units = volume_units(io, true);
	else if (io->protocol == OPERATION_FICON) /* the first data go with their command */
		units = controls + data_units(data) - (controls && data);
	else
		units = controls + (data > 0);
	io->path->channel->counters.ius_out += units;
	send(io, IO_OUTBOUND, data, controls);
}

static void fetch(struct io *io)
{
	if (pass_servers(io))
		outbound(io);
}

/* The command, and data of a write, are made: get the data, or send at once. */
static void command_made(struct io *io)
{
	struct sim *sim = &io->fabric->sim;

	io->burst = (struct burst){sim->now, sim->now};
	io->data = io->write ? write_window(io, !io->granted) : 0;
	if (!io->granted)
		io->sent_at = sim->now;
	if (!io->data) {
		outbound(io);
		return;
	}
	io->stage = IO_FETCH;
	io->step = 0;
	if (io->protocol == OPERATION_FCP) {
		const struct preset_generation *generation = io->path->channel->generation;

		io->burst.first =
			server_hold(&io->path->channel->fcp_write, sim->now, generation->fcp_write);
		io->burst.last = io->burst.first;
		if (io->burst.first > sim->now) {
			sim_at(sim, io->burst.first, &io->node);
			return;
		}
	}
	fetch(io);
}

/* When a port's lane has done its part, which it begins at @at (the present, as for any server). */
static int64_t lane_end(const struct io *io, int64_t at)
{
	const struct fabric_control_unit *unit = io->path->control_unit;
	const struct preset_storage *storage = unit->storage;
	struct random *random = &io->fabric->sim.random;
	const size_t first = (size_t)(io->path->port - unit->port) * storage->fcp_lanes;
	/* In this order: C does not define the order of arguments. */
	struct server *lane = &unit->lane[first + random_below(random, storage->fcp_lanes)];
	const int64_t time = random_exponential(random, storage->fcp_lane);

	return server_hold(lane, at, time);
}

static void arrive_at_cu(struct io *io)
{
	struct fabric *fabric = io->fabric;
	const struct fabric_control_unit *unit = io->path->control_unit;
	const struct preset_storage *storage = unit->storage;
	const int64_t now = fabric->sim.now;
	int64_t ready = io->burst.last;
	int64_t work;

	if (!io->granted) {
		io->command_at = now + storage->accept;
		io->cmr = now - io->sent_at;
		eventlog_add(&fabric->sim.log, now, TRACE_COMMAND, io->device->number, io->number);
	}
	if (io->write && io->sent < io->bytes) {
		io->granted = true;
		io->stage = IO_CU;
		sim_at(&fabric->sim, ready, &io->node);
		return;
	}
	work = io->protocol == OPERATION_FICON  ? storage->ficon
	       : io->protocol == OPERATION_ZHPF ? storage->zhpf
						: storage->fcp;
	work += beyond_small(io, io->write ? storage->write_fs : storage->read_fs);
	if (storage->port_io) {
		const int64_t end = server_hold(io->path->port, now, SIM_SEC / storage->port_io);

		ready = ready > end ? ready : end;
	}
	if (io->protocol == OPERATION_FCP && storage->fcp_lanes) {
		const int64_t end = lane_end(io, now);

		ready = ready > end ? ready : end;
	}
	if (!io->write && (io->known_miss ||
			   (io->device->config->hit < 100 &&
			    random_below(&fabric->sim.random, 100) >= io->device->config->hit))) {
		io->miss = true;
		io->disc = io->device->config->miss_time;
	}
	io->stage = IO_CU;
	sim_at(&fabric->sim, ready + storage->accept + work + io->disc, &io->node);
}

/* The control unit has done its part, or wants more of a write's data. */
static void cu_done(struct io *io)
{
	const int64_t now = io->fabric->sim.now;
	struct channel_counters *counters = &io->path->channel->counters;
	const uint32_t answers = io->protocol == OPERATION_FICON ? ficon_answers(io) : 1;
	const bool more = io->write && io->sent < io->bytes;
	uint32_t units = has_units(io) ? volume_units(io, false) : 0;

	/* Pacing, and a first burst that was not all, are no units of the program. */
	if (more && !units)
		units = 1;
	else if (!has_units(io))
		units = answers + (io->write                         ? 0
				   : io->protocol == OPERATION_FICON ? data_units(io->bytes)
								     : 1);
	counters->ius_in += units;
	io->burst = (struct burst){now, now};
	if (more)
		send(io, IO_GRANT, 0, 1);
	else if (io->write)
		send(io, IO_INBOUND, 0, answers);
	else
		send(io, IO_INBOUND, io->bytes, 2);
}

static void arrive_at_channel(struct io *io)
{
	if (io->stage == IO_GRANT) {
		if (io->protocol == OPERATION_FICON) {
			io->stage = IO_COMMAND;
			processor_work(io, 0, write_window(io, false));
		} else {
			command_made(io);
		}
		return;
	}
	if (io->data)
		eventlog_add(&io->fabric->sim.log, io->fabric->sim.now, TRACE_DATA,
			     io->device->number, io->data);
	if (io->protocol == OPERATION_FICON) {
		io->stage = IO_RETURNED;
		processor_work(io, ficon_answers(io), io->data);
		return;
	}
	if (!io->data) {
		end_of_io(io);
		return;
	}
	io->stage = IO_STORE;
	io->step = 0;
	store(io);
}

static void returned(struct io *io)
{
	const int64_t now = io->fabric->sim.now;

	io->burst.first = now;
	if (io->burst.last < now)
		io->burst.last = now;
	if (!io->data) {
		end_of_io(io);
		return;
	}
	io->stage = IO_STORE;
	io->step = 0;
	store(io);
}

bool stages_step(struct io *io)
{
	switch ((enum io_stage)io->stage) {
	case IO_COMMAND:
		command_made(io);
		break;
	case IO_FETCH:
		fetch(io);
		break;
	case IO_OUTBOUND:
	case IO_GRANT:
	case IO_INBOUND:
		travel(io);
		break;
	case IO_CU:
		cu_done(io);
		break;
	case IO_RETURNED:
		returned(io);
		break;
	case IO_STORE:
		store(io);
		break;
	case IO_END:
		return true;
	case IO_IDLE:
	case IO_QUEUED:
		break; /* no event is pending in these */
	}
	return false;
}

void stages_begin(struct io *io)
{
	io->job.done = &io->node;
	io->granted = false;
	io->stage = IO_COMMAND;
	if (io->device->volume) {
		const int rc = volume_start(io);

		if (rc < 0) {
			io->fabric->sim.error = rc;
			return;
		}
	}
	processor_work(io, ficon_commands(io), io->write ? write_window(io, true) : 0);
}
