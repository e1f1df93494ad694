/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - running a scenario */
#include "zdev/verb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "devemu/fabric/fabric.h"
#include "lfp/exit.h"
#include "lfp/log.h"

double run_wall(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int run_flush(void)
{
	if (fflush(stdout) == EOF)
		return -errno;
	/* errno of an earlier failed write is lost. */
	return ferror(stdout) ? -EIO : 0;
}

int run_failed(const struct fabric *fabric, const char *path, int rc)
{
	lfp_msg("VLFZ005E", "%s: the run ended at %.6f s: %s.", path,
		(double)fabric->sim.now / SIM_SEC, strerror(-rc));
	return LFP_EXIT_FAILURE;
}

/* In a hundred parts. */
int run_scenario(struct fabric *fabric, const char *path, bool quiet)
{
	const struct config *config = fabric->config;
	const int64_t end = config->warmup + config->time;
	const bool show = !quiet && isatty(STDERR_FILENO);
	const double start = run_wall();
	int rc = fabric_begin(fabric);

	if (rc == 0 && config->warmup)
		rc = fabric_run_until(fabric, config->warmup);
	fabric_reset_counters(fabric);
	for (int part = 1; rc == 0 && part <= 100; part++) {
		rc = fabric_run_until(fabric, config->warmup + config->time / 100 * part);
		if (show && run_wall() - start > 1)
			fprintf(stderr, "\r%3d %% of %.3f s, %" PRIu64 " I/Os", part,
				(double)end / SIM_SEC, fabric->io_numbers);
	}
	if (rc == 0)
		rc = fabric_run_until(fabric, end);
	if (show && run_wall() - start > 1)
		fputs("\r\033[K", stderr);
	if (rc < 0)
		run_failed(fabric, path, rc);
	return rc;
}
