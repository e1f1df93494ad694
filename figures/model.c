/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - closed forms with the presets' numbers */
#include "figures/model.h"

#include <math.h>

#include "devemu/fabric/link.h"
#include "devemu/fabric/preset.h"

#define PS_PER_US    1e6
#define PS_PER_S     1e12
#define US_PER_KM    5.0
#define FICON_IU     8192.0
#define FICON_PLAIN  5 /* information units without data */
#define SMALL        4096.0
#define SMALL_FRAMES 2

static const struct preset_generation *channel(void)
{
	return preset_generation("FEx32S");
}

static double ficon_time(double bytes)
{
	return FICON_PLAIN * (double)channel()->ficon_control +
	       ceil(bytes / FICON_IU) * (double)channel()->ficon_data;
}

double model_zhpf_rate(void)
{
	return PS_PER_S / (double)channel()->zhpf;
}

double model_ficon_rate(double bytes)
{
	return PS_PER_S / ficon_time(bytes);
}

double model_zhpf_mb(double bytes)
{
	return fmin(model_zhpf_rate() * bytes / 1e6, channel()->bus);
}

double model_ficon_mb(double bytes)
{
	return fmin(model_ficon_rate(bytes) * bytes / 1e6, channel()->bus);
}

double model_zhpf_response(double streams)
{
	const double alone = (double)(preset_storage("DS8950")->zhpf + channel()->zhpf) / PS_PER_US;

	return fmax(alone, streams / model_zhpf_rate() * 1e6);
}

double model_ficon_response(double rate)
{
	const double service = ficon_time(SMALL) / PS_PER_US;
	const double load = rate * service / 1e6;

	return (double)preset_storage("DS8950")->ficon / PS_PER_US + service +
	       service * load / (2 * (1 - load));
}

double model_mix_rate(double share)
{
	return share * model_zhpf_rate() + (1 - share) * model_ficon_rate(SMALL);
}

double model_frame_mean(double bytes)
{
	const double frames = ceil(bytes / FRAME_PAYLOAD);

	return (frames * FRAME_OVERHEAD + bytes + SMALL_FRAMES * preset_line.control) /
	       (frames + SMALL_FRAMES);
}

double model_credit_mb(double gbps, double km, double credits)
{
	return fmin(gbps * 100, credits * FRAME_PAYLOAD / (2 * US_PER_KM * km));
}

double model_credits(double gbps, double km)
{
	return gbps * km / 2;
}

double model_fces_cost(double bytes, double extra)
{
	const double plain = model_frame_mean(bytes);

	return 100 * (1 - plain / (plain + extra));
}
