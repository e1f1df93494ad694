/* SPDX-License-Identifier: Apache-2.0 */
/* load.c - starts I/Os: streams (closed) and arrivals (open) */

#include <errno.h>
#include <stdlib.h>

#include "devemu/fabric/build.h"
#include "devemu/fabric/io.h"
#include "devemu/fabric/volume.h"
#include "devemu/fabric/zhyperlink.h"

/* A stream whose device has no path left tries again this much later. */
#define NO_PATH_WAIT (10 * SIM_MS)

static void next_of(struct fabric_load *load, struct io *io)
{
	const struct load_config *config = load->config;

	io->device = load->first + load->next;
	if (++load->next == config->devices)
		load->next = 0;
	io->bytes = config->bytes;
	io->write =
		config->read < 100 &&
		(config->read == 0 || random_below(&load->fabric->sim.random, 100) >= config->read);
	io->asked_at = load->fabric->sim.now;
	io->align = config->align;
	if (io->device->volume) {
		io->place = volume_place(io->device->volume, &load->places, config->bytes);
		io->serial = load->serial++;
	}
	load->started++;
	if (config->sync)
		zhyperlink_start(io, config->program);
	else
		io_start(io, config->program);
}

static void on_again(struct sim *sim, struct sim_node *node)
{
	struct io *io = (struct io *)node;

	(void)sim;
	next_of(io->load, io);
}

static void count(struct io *io, int rc)
{
	struct fabric_load *load = io->load;

	if (rc < 0) {
		*(rc == -ENODEV ? &load->failed : &load->errors) += 1;
		return;
	}
	load->ended++;
	load->response += (uint64_t)(load->fabric->sim.now - io->asked_at);
}

static void on_stream_end(struct io *io, int rc)
{
	const int64_t wait = rc == -ENODEV ? NO_PATH_WAIT : io->load->config->think;

	count(io, rc);
	if (wait) {
		io->node.handler = on_again;
		sim_after(&io->fabric->sim, wait, &io->node);
		return;
	}
	next_of(io->load, io);
}

static void on_arrival_end(struct io *io, int rc)
{
	count(io, rc);
	io_release(io);
}

static struct io *take(struct fabric_load *load)
{
	struct io *io = io_take(load->fabric);

	if (!io) {
		load->fabric->sim.error = -ENOMEM;
		return NULL;
	}
	io->load = load;
	io->ended = load->config->rate_micro ? on_arrival_end : on_stream_end;
	return io;
}

static int64_t time_to_next(struct fabric_load *load)
{
	/* A million seconds of picoseconds, divided by arrivals in them; what is left goes on. */
	const int64_t rate = (int64_t)load->config->rate_micro;
	const int64_t whole = INT64_C(1000000) * SIM_SEC + load->arrival_left;
	const int64_t mean = whole / rate;

	load->arrival_left = whole % rate;
	return load->config->fixed ? mean : random_exponential(&load->fabric->sim.random, mean);
}

static void on_arrival(struct sim *sim, struct sim_node *node)
{
	struct fabric_load *load = (struct fabric_load *)node;
	struct io *io = take(load);

	if (!io)
		return;
	sim_after(sim, time_to_next(load), &load->node);
	next_of(load, io);
}

int build_loads(struct fabric *fabric, struct fabric_error *error)
{
	const struct config *config = fabric->config;

	fabric->load = calloc(config->loads + 1, sizeof(*fabric->load));
	if (!fabric->load)
		return -ENOMEM;
	for (size_t i = 0; i < config->loads; i++) {
		const struct load_config *from = &config->load[i];
		struct fabric_load *load = &fabric->load[fabric->loads++];

		load->config = from;
		load->fabric = fabric;
		random_seed(&load->places, config->seed ^ fabric->loads << 48);
		load->node.handler = on_arrival;
		load->first = fabric_device(fabric, from->device);
		for (unsigned int n = 0; n < from->devices; n++)
			if (!load->first ||
			    fabric_device(fabric, from->device + n) != load->first + n)
				return build_fail(error, from->line, "load %s: unknown device %04X",
						  from->name, from->device + n);
	}
	return 0;
}

int loads_begin(struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->loads; i++) {
		struct fabric_load *load = &fabric->load[i];

		if (load->config->rate_micro)
			sim_at(&fabric->sim, time_to_next(load), &load->node);
		for (unsigned int s = 0; s < load->config->streams; s++) {
			struct io *io = take(load);

			if (!io)
				return -ENOMEM;
			next_of(load, io);
		}
	}
	return fabric->sim.error;
}
