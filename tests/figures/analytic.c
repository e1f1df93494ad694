/* SPDX-License-Identifier: Apache-2.0 */
/* analytic.c - closed forms by name */
#include "tests/figures/analytic.h"

#include <errno.h>
#include <string.h>

#include "tests/figures/model.h"
#include "tests/figures/replay.h"

static const struct {
	const char *name;
	bool replay;
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
	{"mq_rtt", true, .two = replay_mq_rtt},
	{"mq_rtt10", true, .two = replay_mq_rtt10},
	{"lfp_mb", true, .one = replay_lfp_mb},
	{"lfp_cpu", true, .one = replay_lfp_cpu},
	{"telnet_rate", true, .two = replay_telnet_rate},
	{"ziip_iip", true, .two = replay_ziip_iip},
	{"ziip_iipcp", true, .two = replay_ziip_iipcp},
	{"ziip_demand", true, .none = replay_ziip_demand},
	{"ziip_units", true, .one = replay_ziip_units},
};

int analytic_call(const char *name, const double *argument, unsigned int count, double *value,
		  bool *replay)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].name, name))
			continue;
		*replay = forms[i].replay;
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
