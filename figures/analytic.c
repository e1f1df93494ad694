/* SPDX-License-Identifier: Apache-2.0 */
/* analytic.c - closed forms, replays and runs of engines by name */
#include "figures/analytic.h"

#include <errno.h>
#include <string.h>

#include "figures/model.h"
#include "figures/replay.h"
#include "figures/ziip.h"

static const struct {
	const char *name;
	enum analytic_kind kind;
	/* One of these, which says how many arguments there are. */
	double (*none)(void);
	double (*one)(double);
	double (*two)(double, double);
	double (*three)(double, double, double);
} forms[] = {
	{"zhpf_rate", .none = model_zhpf_rate},
	{"ficon_rate", .one = model_ficon_rate},
	{"zhpf_mb", .one = model_zhpf_mb},
	{"ficon_mb", .one = model_ficon_mb},
	{"zhpf_response", .one = model_zhpf_response},
	{"ficon_response", .one = model_ficon_response},
	{"mix_rate", .one = model_mix_rate},
	{"frame_mean", .one = model_frame_mean},
	{"credit_mb", .three = model_credit_mb},
	{"credits", .two = model_credits},
	{"fces_cost", .two = model_fces_cost},
	{"mq_rtt", ANALYTIC_REPLAY, .two = replay_mq_rtt},
	{"mq_rtt10", ANALYTIC_REPLAY, .two = replay_mq_rtt10},
	{"lfp_mb", ANALYTIC_REPLAY, .one = replay_lfp_mb},
	{"lfp_cpu", ANALYTIC_REPLAY, .one = replay_lfp_cpu},
	{"telnet_rate", ANALYTIC_REPLAY, .two = replay_telnet_rate},
	{"ziip_iip", ANALYTIC_RUN, .two = ziip_iip},
	{"ziip_iipcp", ANALYTIC_RUN, .two = ziip_iipcp},
	{"ziip_cp", ANALYTIC_RUN, .two = ziip_cp},
	{"ziip_busy", ANALYTIC_RUN, .three = ziip_busy},
	{"ziip_seconds", ANALYTIC_RUN, .two = ziip_seconds},
	{"ziip_units", ANALYTIC_RUN, .two = ziip_units},
	{"ziip_spill", ANALYTIC_RUN, .one = ziip_spill},
	{"ziip_wanted", ANALYTIC_RUN, .one = ziip_wanted},
};

int analytic_call(const char *name, const double *argument, unsigned int count, double *value,
		  enum analytic_kind *kind)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].name, name))
			continue;
		*kind = forms[i].kind;
		if (count == 0 && forms[i].none)
			*value = forms[i].none();
		else if (count == 1 && forms[i].one)
			*value = forms[i].one(argument[0]);
		else if (count == 2 && forms[i].two)
			*value = forms[i].two(argument[0], argument[1]);
		else if (count == 3 && forms[i].three)
			*value = forms[i].three(argument[0], argument[1], argument[2]);
		else
			return -ENOENT;
		return 0;
	}
	return -ENOENT;
}
