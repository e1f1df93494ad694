/* SPDX-License-Identifier: Apache-2.0 */
/* channel-table.c - channel path activity from the counters of channels */
#include <errno.h>
#include <stdio.h>

#include "devemu/report/rate.h"
#include "devemu/report/table.h"

const struct report_column channel_columns[CHANNEL_COLUMNS] = {
	[CHANNEL_ID] = {"chpid", true},
	[CHANNEL_TYPE] = {"type", true},
	[CHANNEL_G] = {"g", true},
	[CHANNEL_SPEED] = {"speed_gbps", false},
	[CHANNEL_SHARED] = {"shared", true},
	[CHANNEL_UTIL_PART] = {"util_part_percent", false},
	[CHANNEL_UTIL_TOTAL] = {"util_total_percent", false},
	[CHANNEL_BUS] = {"bus_percent", false},
	[CHANNEL_READ_PART] = {"read_part_mb_s", false},
	[CHANNEL_READ_TOTAL] = {"read_total_mb_s", false},
	[CHANNEL_WRITE_PART] = {"write_part_mb_s", false},
	[CHANNEL_WRITE_TOTAL] = {"write_total_mb_s", false},
	[CHANNEL_FICON_RATE] = {"ficon_rate", false},
	[CHANNEL_FICON_ACTIVE] = {"ficon_active", false},
	[CHANNEL_FICON_DEFER] = {"ficon_defer", false},
	[CHANNEL_ZHPF_RATE] = {"zhpf_rate", false},
	[CHANNEL_ZHPF_ACTIVE] = {"zhpf_active", false},
	[CHANNEL_ZHPF_DEFER] = {"zhpf_defer", false},
	[CHANNEL_FCP_RATE] = {"fcp_rate", false},
	[CHANNEL_FCP_ACTIVE] = {"fcp_active", false},
	[CHANNEL_FCP_DEFER] = {"fcp_defer", false},
	[CHANNEL_GUIDELINE] = {"over_guideline", true},
};

static const char *type_of(const struct fabric *fabric, const struct fabric_channel *channel)
{
	if (channel->config->type == CHANNEL_FCP)
		return "FCP";
	for (size_t p = 0; p < fabric->paths; p++)
		if (fabric->path[p].channel == channel && fabric->path[p].config->entry)
			return "FC_S";
	return "FC";
}

/* RATE, ACTIVE, DEFER in three columns. */
static void operations(struct report_value *value, const struct operation_counters *counters,
		       int64_t interval)
{
	value[0].number = rate_of(counters->starts, interval);
	value[1].number = mean_of(counters->active_sum, counters->starts);
	value[2].number = rate_of(counters->deferred, interval);
}

static void fill(struct report_value *row, const struct fabric *fabric,
		 const struct fabric_channel *channel)
{
	const struct channel_counters counters = fabric_channel_counters(fabric, channel);
	const int64_t interval = fabric_interval(fabric);
	const double util = percent_of(counters.processor_busy, interval);
	const double bus = percent_of(counters.bus_busy, interval);
	const bool over_util = util >= REPORT_GUIDELINE_PROCESSOR;
	const bool over_bus = bus >= REPORT_GUIDELINE_BUS;

	snprintf(row[CHANNEL_ID].text, sizeof(row->text), "%02X", channel->config->chpid);
	snprintf(row[CHANNEL_TYPE].text, sizeof(row->text), "%s", type_of(fabric, channel));
	/* A channel without a path has no link, and so no speed. */
	if (channel->speed) {
		snprintf(row[CHANNEL_G].text, sizeof(row->text), "--");
		if (channel->speed->g)
			snprintf(row[CHANNEL_G].text, sizeof(row->text), "%02X", channel->speed->g);
		row[CHANNEL_SPEED].number = channel->speed->gbps;
	}
	snprintf(row[CHANNEL_SHARED].text, sizeof(row->text), "Y");
	row[CHANNEL_UTIL_PART].number = row[CHANNEL_UTIL_TOTAL].number = util;
	row[CHANNEL_BUS].number = bus;
	row[CHANNEL_READ_PART].number = row[CHANNEL_READ_TOTAL].number =
		rate_of(counters.bytes_read, interval) / 1e6;
	row[CHANNEL_WRITE_PART].number = row[CHANNEL_WRITE_TOTAL].number =
		rate_of(counters.bytes_written, interval) / 1e6;
	if (channel->config->type == CHANNEL_FC) {
		operations(&row[CHANNEL_FICON_RATE], &counters.operation[OPERATION_FICON],
			   interval);
		operations(&row[CHANNEL_ZHPF_RATE], &counters.operation[OPERATION_ZHPF], interval);
	} else {
		operations(&row[CHANNEL_FCP_RATE], &counters.operation[OPERATION_FCP], interval);
	}
	snprintf(row[CHANNEL_GUIDELINE].text, sizeof(row->text), "%s%s%s",
		 over_util ? "processor" : "", over_util && over_bus ? "+" : "",
		 over_bus ? "bus" : "");
}

int channel_table_fill(struct report_table *table, const struct fabric *fabric)
{
	for (size_t i = 0; i < fabric->channels; i++) {
		struct report_value *row = report_row_add(table);

		if (!row)
			return -ENOMEM;
		fill(row, fabric, &fabric->channel[i]);
	}
	return 0;
}
