/* SPDX-License-Identifier: Apache-2.0 */
/* report-io.c - FCX222: the traffic of an instance, interval by interval */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "lfpd-admin/history.h"
#include "lfpd-admin/report.h"

/* "Received" is what comes from the network. */
#define RECEIVED "stream_bytes_to_vse"
#define SENT     "stream_bytes_to_host"

/* The counters of one line. */
struct traffic {
	double seconds;
	uint64_t received, sent, datagrams_in, datagrams_out, packets_in, packets_out, connections;
};

static struct range covered(const struct lfp_history *history)
{
	return (struct range){history->records[0].begin, history->records[history->nr - 1].end};
}

static void add(const struct lfp_history *history, const struct lfp_history_record *record,
		struct traffic *traffic)
{
	traffic->seconds += history_length(record);
	traffic->received += history_value(history, record, RECEIVED);
	traffic->sent += history_value(history, record, SENT);
	traffic->datagrams_in += history_value(history, record, "datagrams_to_vse");
	traffic->datagrams_out += history_value(history, record, "datagrams_to_host");
	traffic->packets_in += history_value(history, record, "packets_in");
	traffic->packets_out += history_value(history, record, "packets_out");
	traffic->connections += history_value(history, record, "connects_made") +
				history_value(history, record, "accepts");
}

static void put_rate(uint64_t count, double seconds, int width, FILE *out)
{
	double rate = seconds > 0 ? (double)count / seconds : 0;

	fprintf(out, " %*.*f", width, rate < 100 ? 1 : 0, rate);
}

static void put_line(const char *time, const struct traffic *traffic, uint64_t sockets, FILE *out)
{
	fprintf(out, "%-15s", time);
	put_rate(traffic->received + traffic->sent, traffic->seconds, 8, out);
	put_rate(traffic->received, traffic->seconds, 8, out);
	put_rate(traffic->sent, traffic->seconds, 8, out);
	put_rate(traffic->datagrams_in, traffic->seconds, 5, out);
	put_rate(traffic->datagrams_out, traffic->seconds, 5, out);
	put_rate(traffic->packets_in, traffic->seconds, 6, out);
	put_rate(traffic->packets_out, traffic->seconds, 6, out);
	fprintf(out, " %5" PRIu64 " %4" PRIu64 "\n", traffic->connections, sockets);
}

void report_io_text(const struct lfp_history *history, FILE *out)
{
	struct range range = covered(history);
	struct traffic all = {0};
	uint64_t sockets = 0;

	for (uint32_t i = 0; i < history->nr; i++) {
		add(history, &history->records[i], &all);
		sockets += history_value(history, &history->records[i], "sockets");
	}
	report_head(REPORT_FCX222, &range, all.seconds, history->instance, out);
	fputs("Interval        <----- TCP bytes/s ------> <- UDP/s -> <-Packets/s->  Con- Soc-\n"
	      "End Time           Total Received     Sent    In   Out     In    Out nects kets\n",
	      out);
	put_line(">>Mean>>", &all, sockets / history->nr, out);
	for (uint32_t i = 0; i < history->nr; i++) {
		const struct lfp_history_record *record = &history->records[i];
		struct traffic traffic = {0};
		char text[WHEN_TEXT + 1];

		add(history, record, &traffic);
		when_text(record->end, text);
		if (i && record->run != record[-1].run)
			strcat(text, "*");
		/* Without the year. */
		put_line(text + (text[0] == '-' ? 0 : 5), &traffic,
			 history_value(history, record, "sockets"), out);
	}
}

static json_t *number(const struct lfp_history *history, uint32_t column, uint64_t value)
{
	char text[32];

	if (history->column[column].kind == LFP_HISTORY_COUNTER_US)
		snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, value / 1000000,
			 value % 1000000);
	else
		snprintf(text, sizeof(text), "%" PRIu64, value);
	return json_numeral(text);
}

static json_t *interval_json(const struct lfp_history *history,
			     const struct lfp_history_record *record)
{
	json_t *object = json_object(), *values = json_object();

	report_set_time(object, "begin", record->begin);
	report_set_time(object, "end", record->end);
	report_set_time(object, "started", record->run);
	json_object_set_new(object, "seconds", report_real(history_length(record), 6));
	for (uint32_t c = 0; c < history->columns; c++)
		json_object_set_new(values, history->column[c].name,
				    number(history, c, record->values[c]));
	json_object_set_new(object, "values", values);
	return object;
}

static uint64_t total(const struct lfp_history *history, uint32_t column)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < history->nr; i++)
		sum += history->records[i].values[column];
	return sum;
}

/* Returns all but the intervals. */
static json_t *head_json(const struct lfp_history *history)
{
	json_t *object = report_object(REPORT_FCX222), *totals = json_object();
	struct range range = covered(history);

	json_object_set_new(object, "instance", json_text(history->instance));
	report_set_time(object, "from", range.from);
	report_set_time(object, "to", range.to);
	json_object_set_new(object, "seconds", report_real(history_seconds(history), 6));
	for (uint32_t c = 0; c < history->columns; c++)
		if (history->column[c].kind != LFP_HISTORY_GAUGE)
			json_object_set_new(totals, history->column[c].name,
					    number(history, c, total(history, c)));
	json_object_set_new(object, "totals", totals);
	return object;
}

int report_io_json(const struct lfp_history *history, FILE *out)
{
	int rc;

	putc('{', out);
	rc = json_part(head_json(history), JSON_EMBED, out);
	fputs(", \"intervals\": [", out);
	for (uint32_t i = 0; i < history->nr && !rc; i++) {
		if (i)
			fputs(", ", out);
		rc = json_part(interval_json(history, &history->records[i]), 0, out);
	}
	fputs("]}\n", out);
	return rc || ferror(out) ? -1 : 0;
}
