/* SPDX-License-Identifier: Apache-2.0 */
/* verb-run.c - zdev run: a scenario to its end, then its counters */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "devemu/fabric/volume.h"
#include "devemu/fces/connection.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "zdev/verb.h"

static double rate(const struct fabric *fabric, uint64_t count)
{
	return (double)count * SIM_SEC / (double)fabric_interval(fabric);
}

static void print_channels(const struct fabric *fabric)
{
	static const char *const names[OPERATIONS] = {"FICON", "zHPF", "FCP"};

	for (size_t i = 0; i < fabric->channels; i++) {
		const struct fabric_channel *channel = &fabric->channel[i];
		const struct channel_counters counters = fabric_channel_counters(fabric, channel);
		char g[12] = "--"; /* unknown for earlier generations (devemu/fabric/preset.c) */

		if (channel->speed && channel->speed->g)
			snprintf(g, sizeof(g), "%02X", channel->speed->g);
		printf("channel %02X: %s, G %s, %u Gbps, processor %.2f %%, bus %.2f %%, "
		       "read %.2f MB/s, written %.2f MB/s\n",
		       channel->config->chpid, channel->generation->name, g,
		       channel->speed ? channel->speed->gbps : 0,
		       rate(fabric, counters.processor_busy) * 100 / SIM_SEC,
		       rate(fabric, counters.bus_busy) * 100 / SIM_SEC,
		       rate(fabric, counters.bytes_read) / 1e6,
		       rate(fabric, counters.bytes_written) / 1e6);
		for (int o = 0; o < OPERATIONS; o++) {
			const struct operation_counters *operation = &counters.operation[o];

			if (operation->starts)
				printf("  %s: rate %.1f/s, active %.1f, deferred %.1f/s, "
				       "response %.3f us\n",
				       names[o], rate(fabric, operation->starts),
				       (double)operation->active_sum / (double)operation->starts,
				       rate(fabric, operation->deferred),
				       operation->ends ? (double)operation->response /
								 (double)operation->ends / SIM_US
						       : 0);
		}
	}
}

static void print_sync(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->devices; i++) {
		const struct fabric_device *device = &fabric->device[i];
		const struct sync_counters *sync = &device->sync;

		if (!(sync->reads + sync->writes + sync->link_busy + sync->cache_miss +
		      sync->read_rejects + sync->write_rejects))
			continue;
		printf("device %04X: synchronous reads %.1f/s, writes %.1f/s; link busy %.1f/s, "
		       "cache miss %.1f/s, rejected %.1f/s\n",
		       device->number, rate(fabric, sync->reads), rate(fabric, sync->writes),
		       rate(fabric, sync->link_busy), rate(fabric, sync->cache_miss),
		       rate(fabric, sync->read_rejects + sync->write_rejects));
	}
}

/* Prints the frame counts of each encrypted path. */
static void print_security(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->paths; i++) {
		const struct fabric_path *path = &fabric->path[i];
		struct fces_counters channel, unit;

		if (!path->fces)
			continue;
		channel = fces_end_counters(&path->fces->channel);
		unit = fces_end_counters(&path->fces->control_unit);
		printf("path %02X %04X: encrypted, %" PRIu64 " frames sealed, %" PRIu64
		       " opened, %" PRIu64 " dropped, keys %" PRIu32 "\n",
		       path->config->chpid, path->config->cu, channel.sealed + unit.sealed,
		       channel.opened + unit.opened, fces_dropped(&channel) + fces_dropped(&unit),
		       path->fces->channel.changes);
	}
}

static void print_volumes(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->devices; i++) {
		const struct volume *volume = fabric->device[i].volume;

		if (!volume)
			continue;
		printf("volume of device %04X: %" PRIu64 " reads, hash %016" PRIx64 "; %" PRIu64
		       " writes, hash %016" PRIx64 "; %" PRIu64 " errors",
		       fabric->device[i].number, volume->counters.reads, volume->counters.read_hash,
		       volume->counters.writes, volume->counters.written_hash,
		       volume->counters.errors);
		if (volume->counters.errors)
			printf(", the last with sense %02X %02X", volume->counters.sense[0],
			       volume->counters.sense[1]);
		putchar('\n');
	}
}

static void print_loads(const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->loads; i++) {
		const struct fabric_load *load = &fabric->load[i];

		printf("load %s: %.1f I/Os a second, %.2f MB/s, response %.3f us, %" PRIu64
		       " without a path",
		       load->config->name, rate(fabric, load->ended),
		       rate(fabric, load->ended) * load->config->bytes / 1e6,
		       load->ended ? (double)load->response / (double)load->ended / SIM_US : 0,
		       load->failed);
		if (load->errors)
			printf(", %" PRIu64 " with an error", load->errors);
		putchar('\n');
	}
}

int verb_run(int argc, char **argv)
{
	struct config config;
	struct fabric *fabric;
	bool quiet = false;
	double start;
	int option, rc;

	optind = 1;
	while ((option = getopt(argc, argv, "q")) != -1) {
		if (option != 'q')
			return LFP_EXIT_USAGE;
		quiet = true;
	}
	if (argc - optind != 1) {
		fputs("usage: zdev run [-q] SCENARIO\n", stderr);
		return LFP_EXIT_USAGE;
	}
	rc = load_scenario(argv[optind], &config, &fabric);
	if (rc)
		return rc;
	start = run_wall();
	rc = run_scenario(fabric, argv[optind], quiet);
	if (rc == 0) {
		const double seconds = run_wall() - start;

		if (config.title[0])
			printf("%s\n", config.title);
		print_channels(fabric);
		print_sync(fabric);
		print_volumes(fabric);
		print_security(fabric);
		print_loads(fabric);
		printf("event log: %" PRIu64 " records, hash %016" PRIx64 "\n",
		       fabric->sim.log.count, fabric->sim.log.hash);
		if (!quiet)
			fprintf(stderr,
				"%" PRIu64 " I/Os, %" PRIu64
				" events in %.3f s: %.0f I/Os a second\n",
				fabric->io_numbers, fabric->sim.handled, seconds,
				(double)fabric->io_numbers / seconds);
	}
	fabric_destroy(fabric);
	config_finish(&config);
	return rc < 0 ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}
