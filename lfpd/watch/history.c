/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - HISTORY: a record of all statistics for each interval, in a ring file */
#include "lfpd/watch/history.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/log.h"
#include "lfpd/log/log.h"
#include "lfpd/watch/history-file.h"
#include "lfpd/watch/interval.h"
#include "lfpd/watch/statistics.h"

/*
 * Theory of operation
 *
 * An interval ends when HISTORY_INTERVAL divides the time of day, so that those of several
 * instances fit together. Its record has the growth of each counter since the previous record that
 * was handed over. So the records of a run add up to its counters, whatever happens to the timer,
 * the clock or the file. The length of an interval is that of the monotonic clock.
 */

struct history {
	struct instance *instance;
	struct history_file file;
	const struct statistic *table;
	uint64_t run;     /* us since 1970 */
	uint64_t since;   /* uv_hrtime() of the end of the previous record */
	uint64_t due;     /* us since 1970: when this interval ends */
	uint64_t *before; /* the counters at that time */
	uint64_t *values; /* of the record that is being made */
	uint32_t nr;
	uv_async_t async;
	uv_timer_t timer;
	int handles;
	bool open; /* the file is, and its damage was told */
	int told;  /* error of the file that was told last */
};

static void tell_none(const struct instance *inst, const char *why)
{
	lfp_msg("VLFD183W", "Instance %s has no history in HISTORY = %s: %s.",
		inst->config.iucv_src_appname, inst->config.history, why);
}

/* Whether the file could not be opened. */
static bool is_none(const struct history *history)
{
	return atomic_load(&history->file.error) &&
	       !atomic_load_explicit(&history->file.open, memory_order_acquire);
}

static void finish(struct history *history);

/* Tells an error of an open file, or its end. */
static void tell_error(struct history *history, int error)
{
	const char *name = history->instance->config.iucv_src_appname;

	if (error == history->told)
		return;
	if (error)
		lfp_msg("VLFD184W",
			"The history of instance %s, %s, cannot be written: %s. The interval goes "
			"on until it can.",
			name, history->instance->config.history, strerror(error));
	else
		lfp_msg("VLFD185I", "The history of instance %s is written again.", name);
	history->told = error;
}

static void on_async(uv_async_t *async)
{
	struct history *history = async->data;
	const struct instance *inst = history->instance;
	bool open = atomic_load_explicit(&history->file.open, memory_order_acquire);
	int error = atomic_load(&history->file.error);

	if (is_none(history)) {
		tell_none(inst, history_strerror(error));
		finish(history);
		return;
	}
	if (open && !history->open && history->file.damaged)
		lfp_msg("VLFD186W", "The history of instance %s, %s, has lost %u damaged records.",
			inst->config.iucv_src_appname, inst->config.history, history->file.damaged);
	history->open = open;
	tell_error(history, error);
}

static void tell(void *data)
{
	struct history *history = data;

	uv_async_send(&history->async);
}

/* Hands over a record of the time since the previous one, if the file takes one now. */
static void end_interval(struct history *history)
{
	uint64_t end = log_now(), now = uv_hrtime();
	struct lfp_history_record record = {
		.run = history->run,
		.begin = interval_begin(end, (now - history->since) / 1000),
		.end = end,
		.values = history->values,
	};

	if (!history_file_is_free(&history->file))
		return;
	for (uint32_t i = 0; i < history->nr; i++) {
		uint64_t value = history->table[i].value(history->instance);

		history->values[i] = history->table[i].kind == STATISTIC_GAUGE
					     ? value
					     : value - history->before[i];
		history->before[i] = value;
	}
	history->since = now;
	history_file_put(&history->file, &record);
}

static void on_timer(uv_timer_t *timer);

static void next_interval(struct history *history)
{
	uint64_t now = log_now();

	history->due = interval_due(now, history->instance->config.history_interval);
	uv_timer_start(&history->timer, on_timer, (history->due - now + 999) / 1000, 0);
}

/* The timer goes by the loop's clock, which stands during a turn and differs from the time of day:
 * it may come a moment too early. The interval then goes on to its time. */
static void on_timer(uv_timer_t *timer)
{
	struct history *history = timer->data;

	if (log_now() >= history->due)
		end_interval(history);
	next_interval(history);
}

static enum lfp_history_kind kind_of(enum statistic_kind kind)
{
	return kind == STATISTIC_GAUGE     ? LFP_HISTORY_GAUGE
	       : kind == STATISTIC_COUNTER ? LFP_HISTORY_COUNTER
					   : LFP_HISTORY_COUNTER_US;
}

static int start_file(struct history *history)
{
	const struct lfpd_config *config = &history->instance->config;
	struct lfp_history *wanted = calloc(1, sizeof(*wanted));
	int rc;

	if (!wanted)
		return -ENOMEM;
	wanted->columns = history->nr;
	wanted->slots = lfp_history_slots(history->nr, config->history_size);
	strcpy(wanted->instance, config->iucv_src_appname);
	for (uint32_t i = 0; i < history->nr; i++) {
		wanted->column[i].kind = kind_of(history->table[i].kind);
		snprintf(wanted->column[i].name, sizeof(wanted->column[i].name), "%s",
			 history->table[i].key);
	}
	rc = history_file_start(&history->file, config->history, wanted,
				history->instance->admin_gid, tell, history);
	free(wanted);
	return rc;
}

static void forget(struct history *history)
{
	free(history->before);
	free(history->values);
	free(history);
}

static void on_closed(uv_handle_t *handle)
{
	struct history *history = handle->data;

	if (!--history->handles)
		forget(history);
}

/* The memory of a thread that still waits for its file stays. */
static void on_closed_stuck(uv_handle_t *handle)
{
	(void)handle;
}

static void close_handles(struct history *history, uv_close_cb on_closed_one)
{
	uv_close((uv_handle_t *)&history->async, on_closed_one);
	uv_close((uv_handle_t *)&history->timer, on_closed_one);
}

static int begin(struct history *history)
{
	struct instance *inst = history->instance;
	int rc;

	if (!history->before || !history->values)
		return -ENOMEM;
	rc = uv_async_init(inst->loop, &history->async, on_async);
	if (rc)
		return rc;
	uv_timer_init(inst->loop, &history->timer);
	history->async.data = history->timer.data = history;
	history->handles = 2;
	return start_file(history);
}

void history_start(struct instance *inst)
{
	struct history *history;
	size_t nr;
	int rc = -ENOMEM;

	if (!*inst->config.history)
		return;
	history = calloc(1, sizeof(*history));
	if (history) {
		history->instance = inst;
		history->table = statistics(&nr);
		history->nr = (uint32_t)nr;
		history->before = calloc(nr, sizeof(*history->before));
		history->values = calloc(nr, sizeof(*history->values));
		rc = begin(history);
	}
	if (rc) {
		tell_none(inst, strerror(-rc));
		if (history && history->handles)
			close_handles(history, on_closed);
		else if (history)
			forget(history);
		return;
	}
	inst->history = history;
	history->run = log_now();
	history->since = uv_hrtime();
	/* A process that was executed again has the CPU time of the one before. */
	for (uint32_t i = 0; i < history->nr; i++)
		history->before[i] = history->table[i].value(inst);
	next_interval(history);
}

/* Ends the thread. The loop frees the memory. */
static void finish(struct history *history)
{
	bool ended = history_file_stop(&history->file);

	history->instance->history = NULL;
	close_handles(history, ended ? on_closed : on_closed_stuck);
}

void history_stop(struct instance *inst)
{
	struct history *history = inst->history;
	bool complete;

	if (!history)
		return;
	complete = history_file_wait(&history->file);
	if (complete) {
		end_interval(history);
		complete = history_file_wait(&history->file);
	}
	if (!complete && is_none(history))
		tell_none(inst, history_strerror(atomic_load(&history->file.error)));
	else if (!complete)
		lfp_msg("VLFD187W", "The history of instance %s lacks its last interval.",
			inst->config.iucv_src_appname);
	finish(history);
}
