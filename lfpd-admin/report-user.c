/* SPDX-License-Identifier: Apache-2.0 */
/* report-user.c - FCX112: the CPU time of instances, each a "user" */
#include <stdio.h>

#include "json/json.h"
#include "lfpd-admin/history.h"
#include "lfpd-admin/report.h"

/*
 * A guest of z/VM has virtual time, in which it runs itself ("Emul"), and time in which CP works
 * for it; both are its total time. An lfpd has time in user mode, and time in which the kernel
 * works for it. That the one stands for the other is our choice.
 */
struct usage {
	double seconds, total, virtual; /* CPU time in seconds */
	double packets, pages, bytes;
};

static struct usage usage_of(const struct lfp_history *history)
{
	return (struct usage){
		.seconds = history_seconds(history),
		.total = (double)history_sum(history, "cpu") / 1e6,
		.virtual = (double)history_sum(history, "cpu_user") / 1e6,
		.packets = (double)history_sum(history, "packets_in") +
			   (double)history_sum(history, "packets_out"),
		.pages = (double)history_sum(history, "page_reads"),
		.bytes = (double)history_sum(history, "stream_bytes_to_host") +
			 (double)history_sum(history, "stream_bytes_to_vse"),
	};
}

/* Not a number where nothing was counted. */
static double percent(const struct usage *usage)
{
	return usage->total * 100 / usage->seconds;
}

static double ratio(const struct usage *usage)
{
	return usage->total / usage->virtual;
}

/* Milliseconds of CPU for a million bytes of TCP. */
static double per_mb(const struct usage *usage, double cpu)
{
	return usage->bytes > 0 ? cpu * 1e9 / usage->bytes : 0.0 / 0.0;
}

static void put(double value, int width, int digits, FILE *out)
{
	if (value >= 0 && value < 1e12)
		fprintf(out, " %*.*f", width, digits, value);
	else
		fprintf(out, " %*s", width, "....");
}

static void put_line(const char *userid, const struct usage *usage, FILE *out)
{
	fprintf(out, "%-8s", userid);
	put(percent(usage), 6, 2, out);
	put(usage->total, 8, 3, out);
	put(usage->virtual, 8, 3, out);
	put(ratio(usage), 6, 2, out);
	put(usage->packets / usage->seconds, 9, 1, out);
	put(usage->pages / usage->seconds, 6, 1, out);
	put(per_mb(usage, usage->total), 7, 3, out);
	put(per_mb(usage, usage->virtual), 6, 3, out);
	put(per_mb(usage, usage->total - usage->virtual), 6, 3, out);
	putc('\n', out);
}

static struct range covered(const struct lfp_history *histories, size_t nr)
{
	struct range range = {WHEN_EVER, 0};

	for (size_t i = 0; i < nr; i++) {
		const struct lfp_history *history = &histories[i];
		uint64_t to = history->records[history->nr - 1].end;

		if (history->records[0].begin < range.from)
			range.from = history->records[0].begin;
		range.to = to > range.to ? to : range.to;
	}
	return range;
}

static struct usage mean_of(const struct lfp_history *histories, size_t nr)
{
	struct usage mean = {0};

	for (size_t i = 0; i < nr; i++) {
		struct usage usage = usage_of(&histories[i]);

		mean.seconds += usage.seconds / (double)nr;
		mean.total += usage.total / (double)nr;
		mean.virtual += usage.virtual / (double)nr;
		mean.packets += usage.packets / (double)nr;
		mean.pages += usage.pages / (double)nr;
		mean.bytes += usage.bytes / (double)nr;
	}
	return mean;
}

void report_user_text(const struct lfp_history *histories, size_t nr, FILE *out)
{
	struct usage mean = mean_of(histories, nr);
	struct range range = covered(histories, nr);
	char of[48];

	snprintf(of, sizeof(of), "%zu instance%s of lfpd", nr, nr == 1 ? "" : "s");
	report_head(REPORT_FCX112, &range, mean.seconds, of, out);
	fputs("         <--------- CPU Load --------> <--- IO/s -----> <-CPU msec per MB -->\n"
	      "                <---Seconds--->    T/V\n"
	      "Userid     %CPU     TCPU     VCPU  Ratio   Packets   Pg/s   Total   Emul     CP\n",
	      out);
	put_line(">>Mean>>", &mean, out);
	for (size_t i = 0; i < nr; i++) {
		struct usage usage = usage_of(&histories[i]);

		put_line(histories[i].instance, &usage, out);
	}
}

static json_t *user_json(const struct lfp_history *history)
{
	struct usage usage = usage_of(history);
	json_t *object = json_object(), *mb = json_object();

	json_object_set_new(object, "userid", json_text(history->instance));
	report_set_time(object, "from", history->records[0].begin);
	report_set_time(object, "to", history->records[history->nr - 1].end);
	json_object_set_new(object, "seconds", report_real(usage.seconds, 6));
	json_object_set_new(object, "cpu_percent", report_real(percent(&usage), 3));
	json_object_set_new(object, "tcpu", report_real(usage.total, 6));
	json_object_set_new(object, "vcpu", report_real(usage.virtual, 6));
	json_object_set_new(object, "tv_ratio", report_real(ratio(&usage), 3));
	json_object_set_new(object, "packets_rate", report_real(usage.packets / usage.seconds, 3));
	json_object_set_new(object, "page_rate", report_real(usage.pages / usage.seconds, 3));
	json_object_set_new(object, "bytes", report_real(usage.bytes, 0));
	json_object_set_new(mb, "total", report_real(per_mb(&usage, usage.total), 6));
	json_object_set_new(mb, "emul", report_real(per_mb(&usage, usage.virtual), 6));
	json_object_set_new(mb, "cp", report_real(per_mb(&usage, usage.total - usage.virtual), 6));
	json_object_set_new(object, "cpu_msec_per_mb", mb);
	return object;
}

json_t *report_user_json(const struct lfp_history *histories, size_t nr)
{
	json_t *object = report_object(REPORT_FCX112), *users = json_array();

	for (size_t i = 0; i < nr; i++)
		json_array_append_new(users, user_json(&histories[i]));
	json_object_set_new(object, "users", users);
	return object;
}
