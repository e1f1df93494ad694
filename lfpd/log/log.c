/* SPDX-License-Identifier: Apache-2.0 */
/* log.c - the log of connections: what it takes, what it leaves out, and messages about it */
#include "lfpd/log/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lfp/log.h"
#include "lfpd/log/budget.h"
#include "lfpd/log/writer.h"

/*
 * Theory of operation
 *
 * A record is left out if its user has made too many in this second, or if the file takes none and
 * the user has its share of the ring, or the ring is full. Each is counted, and a second later a
 * record says how many of the user's are missing, as soon as it has a place.
 */

#define LEFT_OUT_MS 1000

struct connection_log {
	struct instance *instance;
	struct writer writer;
	struct budget budget;
	uint64_t counted; /* records, of those that were written, that count for no user any more */
	uint64_t lost;    /* records that count for no user, since the last that said so */
	uv_async_t async;
	uv_timer_t timer; /* runs while some were left out */
	int handles;
	int told; /* error of the writer that was told last */
};

uint64_t log_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static void on_async(uv_async_t *async)
{
	struct connection_log *log = async->data;
	int error = atomic_load(&log->writer.error);
	const char *name = log->instance->config.iucv_src_appname;

	if (error == log->told)
		return;
	if (error)
		lfp_msg("VLFD180W", "The connection log of instance %s, %s, cannot be written: %s.",
			name, log->instance->config.connection_log, strerror(error));
	else
		lfp_msg("VLFD181I", "The connection log of instance %s is written again.", name);
	log->told = error;
}

static void tell(void *data)
{
	struct connection_log *log = data;

	uv_async_send(&log->async);
}

static enum writer_kind kind_of(const char *text)
{
	return !strcmp(text, "memory")    ? WRITER_MEMORY
	       : !strcmp(text, "journal") ? WRITER_JOURNAL
					  : WRITER_FILE;
}

int log_open(struct instance *inst)
{
	const char *where = inst->config.connection_log;
	struct connection_log *log;
	int rc;

	if (!*where)
		return 0;
	log = calloc(1, sizeof(*log));
	if (!log)
		return -ENOMEM;
	log->instance = inst;
	budget_init(&log->budget, WRITER_RECORDS);
	rc = uv_async_init(inst->loop, &log->async, on_async);
	if (rc) {
		free(log);
		return rc;
	}
	uv_timer_init(inst->loop, &log->timer);
	log->async.data = log->timer.data = log;
	log->handles = 2;
	inst->log = log;
	rc = writer_start(&log->writer, kind_of(where), where, inst->config.iucv_src_appname,
			  inst->admin_gid, tell, log);
	if (rc)
		log_close(inst);
	return rc;
}

/* Looks at the records that were written since the last time. They are still in the ring, as
 * reserve() keeps their places. */
static void count_written(struct connection_log *log)
{
	uint64_t out = atomic_load_explicit(&log->writer.out, memory_order_acquire);

	for (; log->counted < out; log->counted++)
		budget_written(&log->budget, writer_at(&log->writer, log->counted)->who.uid);
}

static struct log_record *reserve(struct connection_log *log, enum log_event event)
{
	uint64_t in = atomic_load_explicit(&log->writer.in, memory_order_relaxed);
	struct log_record *record;

	if (in - log->counted >= WRITER_RECORDS)
		return NULL;
	record = writer_at(&log->writer, in);
	memset(record, 0, offsetof(struct log_record, name) + 1);
	record->time = log_now();
	record->event = event;
	return record;
}

static void commit(struct connection_log *log)
{
	uint64_t in = atomic_load_explicit(&log->writer.in, memory_order_relaxed);

	budget_put(&log->budget, writer_at(&log->writer, in)->who.uid);
	writer_commit(&log->writer);
}

/* Returns false if there is no place. */
static bool put_left_out(struct connection_log *log, const uint32_t *uid, uint64_t count)
{
	struct log_record *record = reserve(log, LOG_LEFT_OUT);

	if (!record)
		return false;
	if (uid) {
		record->who.has_uid = true;
		record->who.uid = *uid;
	}
	record->count = count;
	commit(log);
	return true;
}

/* @last: there is no later time, when a user has less records that wait */
static void tell_left_out(struct connection_log *log, bool last)
{
	uint64_t count;
	uint32_t uid;

	count_written(log);
	while ((count = budget_left_out(&log->budget, last, &uid))) {
		if (!put_left_out(log, &uid, count))
			return;
		budget_told(&log->budget, uid);
	}
	if (log->lost && put_left_out(log, NULL, log->lost))
		log->lost = 0;
}

static bool owes(const struct connection_log *log)
{
	uint32_t uid;

	return log->lost || budget_left_out(&log->budget, true, &uid);
}

static void on_timer(uv_timer_t *timer)
{
	struct connection_log *log = timer->data;

	tell_left_out(log, false);
	if (owes(log))
		uv_timer_start(timer, on_timer, LEFT_OUT_MS, 0);
}

static void leave_out(struct connection_log *log)
{
	log->instance->counters.log_left_out++;
	if (!uv_is_active((uv_handle_t *)&log->timer))
		uv_timer_start(&log->timer, on_timer, LEFT_OUT_MS, 0);
}

struct log_record *log_begin(struct instance *inst, enum log_event event, const struct log_who *who)
{
	struct connection_log *log = inst->log;
	struct log_record *record;

	if (!log)
		return NULL;
	count_written(log);
	if (!budget_take(&log->budget, who->uid, inst->config.connection_log_rate,
			 uv_now(inst->loop))) {
		leave_out(log);
		return NULL;
	}
	record = reserve(log, event);
	if (!record) {
		if (!budget_leave_out(&log->budget, who->uid))
			log->lost++;
		leave_out(log);
		return NULL;
	}
	record->who = *who;
	inst->counters.log_records++;
	return record;
}

void log_end(struct instance *inst)
{
	commit(inst->log);
}

uint64_t log_newest(const struct instance *inst)
{
	return inst->log ? atomic_load(&inst->log->writer.in) : 0;
}

const struct log_record *log_find(const struct instance *inst, uint64_t serial)
{
	return inst->log ? writer_find(&inst->log->writer, serial) : NULL;
}

void log_reopen(struct instance *inst)
{
	if (inst->log)
		writer_reopen(&inst->log->writer, inst->admin_gid);
}

static void on_closed(uv_handle_t *handle)
{
	struct connection_log *log = handle->data;

	if (!--log->handles)
		free(log);
}

/* The memory of a writer that still waits for its file stays. */
static void on_closed_stuck(uv_handle_t *handle)
{
	(void)handle;
}

void log_close(struct instance *inst)
{
	struct connection_log *log = inst->log;
	bool ended = true, complete = true;

	if (!log)
		return;
	inst->log = NULL;
	if (log->writer.ring) {
		tell_left_out(log, true);
		complete = !owes(log);
		ended = writer_stop(&log->writer);
		complete = complete && ended && !atomic_load(&log->writer.error);
	}
	budget_finish(&log->budget);
	if (!complete)
		lfp_msg("VLFD182W", "The connection log of instance %s lacks its last records.",
			inst->config.iucv_src_appname);
	uv_close((uv_handle_t *)&log->async, ended ? on_closed : on_closed_stuck);
	uv_close((uv_handle_t *)&log->timer, ended ? on_closed : on_closed_stuck);
}
