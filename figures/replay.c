/* SPDX-License-Identifier: Apache-2.0 */
/* replay.c - measured round trips, rates and shares, from their fitted parameters */
#include "figures/replay.h"

#include <math.h>
#include <stddef.h>

#include "devemu/fabric/preset.h"

#define NS_PER_MS  1e6
#define MESSAGE    8192.0
#define MQ_JOBS    10
#define FIRST_SIZE 1000.0

static const struct preset_mq *medium_of(double medium)
{
	return medium == 0 || medium == 1 ? &preset_mq[(int)medium] : NULL;
}

double replay_mq_rtt(double medium, double bytes)
{
	const struct preset_mq *mq = medium_of(medium);

	return mq ? fmax(mq->first + mq->each * bytes / NS_PER_MS, mq->bulk * bytes / NS_PER_MS)
		  : NAN;
}

/* Of the bottleneck: as measured at this size, or by the law between sizes. */
static double demand_of(const struct preset_mq *mq, double bytes)
{
	double size = FIRST_SIZE;

	for (int i = 0; i < PRESET_MQ_SIZES; i++, size *= 10)
		if (bytes == size)
			return mq->demand[i];
	return mq->demand_first + mq->demand_each * bytes / NS_PER_MS;
}

double replay_mq_rtt10(double medium, double bytes)
{
	const struct preset_mq *mq = medium_of(medium);
	double demand, delay, queue = 0, response = 0;

	if (!mq)
		return NAN;
	demand = demand_of(mq, bytes);
	delay = fmax(replay_mq_rtt(medium, bytes) - demand, 0);
	for (int jobs = 1; jobs <= MQ_JOBS; jobs++) {
		const double wait = demand * (1 + queue);

		response = wait + delay;
		queue = jobs / response * wait;
	}
	return response;
}

static const struct preset_lfp *lfp_of(double row)
{
	for (int i = 0; i < PRESET_LFP; i++)
		if (preset_lfp[i].row == row)
			return &preset_lfp[i];
	return NULL;
}

double replay_lfp_mb(double row)
{
	const struct preset_lfp *lfp = lfp_of(row);

	return lfp ? MESSAGE / lfp->message : NAN;
}

double replay_lfp_cpu(double row)
{
	const struct preset_lfp *lfp = lfp_of(row);

	return lfp && lfp->cpu > 0 ? replay_lfp_mb(row) * lfp->cpu / 10 : NAN;
}

double replay_telnet_rate(double system, double connections)
{
	const struct preset_telnet *telnet;

	if (!(system == 0 || system == 1 || system == 2))
		return NAN;
	telnet = &preset_telnet[(int)system];
	return telnet->most * connections / (connections + telnet->half);
}
