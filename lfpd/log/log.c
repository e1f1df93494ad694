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
 * A record is left out if its user has made too many in this second, or if the ring has no place
 * because the file takes none. Either is counted, and a second later a record says how many are
 * missing.
 */

#define LEFT_OUT_MS 1000

struct connection_log {
	struct instance *instance;
	struct writer writer;
	struct budget budget;
	uint64_t lost; /* records without a place, since the last that said so */
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
	budget_init(&log->budget);
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

static struct log_record *reserve(struct connection_log *log, enum log_event event)
{
	struct log_record *record = writer_reserve(&log->writer);

	if (!record)
		return NULL;
	memset(record, 0, offsetof(struct log_record, name) + 1);
	record->time = log_now();
	record->event = event;
	return record;
}

static void put_left_out(struct connection_log *log, const struct budget_user *user, uint64_t count)
{
	struct log_record *record = reserve(log, LOG_LEFT_OUT);

	if (!record) {
		log->lost += count;
		return;
	}
	if (user) {
		record->who.has_uid = true;
		record->who.uid = user->uid;
	}
	record->count = count;
	writer_commit(&log->writer);
}

static void tell_left_out(struct connection_log *log)
{
	const struct budget_user *user;
	uint64_t count;

	while ((user = budget_take_left_out(&log->budget, &count)))
		put_left_out(log, user, count);
	count = log->lost;
	log->lost = 0;
	if (count)
		put_left_out(log, NULL, count);
}

static void on_timer(uv_timer_t *timer)
{
	struct connection_log *log = timer->data;

	tell_left_out(log);
	if (log->lost)
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
	if (!budget_take(&log->budget, who->uid, inst->config.connection_log_rate,
			 uv_now(inst->loop))) {
		leave_out(log);
		return NULL;
	}
	record = reserve(log, event);
	if (!record) {
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
	writer_commit(&inst->log->writer);
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
		writer_reopen(&inst->log->writer);
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
		tell_left_out(log);
		ended = writer_stop(&log->writer);
		complete = ended && !atomic_load(&log->writer.error) && !log->lost;
	}
	if (!complete)
		lfp_msg("VLFD182W", "The connection log of instance %s lacks its last records.",
			inst->config.iucv_src_appname);
	uv_close((uv_handle_t *)&log->async, ended ? on_closed : on_closed_stuck);
	uv_close((uv_handle_t *)&log->timer, ended ? on_closed : on_closed_stuck);
}
