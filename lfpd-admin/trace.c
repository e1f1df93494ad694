/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - the sub-commands of "lfpd-admin trace" */
#include "lfpd-admin/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lfp/admin-request.h"
#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfpd-admin/pcapng.h"
#include "lfpd-admin/ring.h"
#include "lfpd-admin/rows.h"
#include "lfpd-admin/trace-ip.h"

#define LOOKS   500 /* until the trace has begun, or ended */
#define LOOK_NS 20000000L

#define PLACE_MAX 1024

/* What the instance says about its trace. */
struct trace_said {
	char state[16];
	bool changes; /* the request has begun something */
	char place[PLACE_MAX], records[32], lost[32];
};

static void value_of(const char *answer, const char *key, char *out, size_t size)
{
	if (lfp_admin_value(answer, key, out, size))
		*out = '\0';
}

/* Polls the instance while its trace state is @between. Sets @said to the last answer. */
static int ask_until(struct view *view, const char *request, const char *between,
		     struct trace_said *said, struct ask_error *error)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	char *answer;

	said->changes = false;

	if (ask(view->name, request, &answer, error))
		return -1;
	for (int i = 0; i < LOOKS; i++) {
		value_of(answer, "trace", said->state, sizeof(said->state));
		if (strcmp(said->state, between) != 0) {
			value_of(answer, "trace_error", error->text, sizeof(error->text));
			value_of(answer, "trace_file", said->place, sizeof(said->place));
			value_of(answer, "trace_records", said->records, sizeof(said->records));
			value_of(answer, "trace_lost", said->lost, sizeof(said->lost));
			ask_forget(answer);
			return 0;
		}
		said->changes = true;
		ask_forget(answer);
		nanosleep(&pause, NULL);
		if (ask(view->name, "trace-status", &answer, error))
			return -1;
	}
	ask_forget(answer);
	strcpy(error->text, "it takes too long");
	return 0;
}

/* A number that is mistyped would give an empty trace without a word. */
static void warn_of_absence(const struct view *view, uint16_t task)
{
	struct ask_error error;
	bool found = false;
	struct rows rows;
	char *answer;
	size_t column;
	int rc;

	if (ask(view->name, "tasks", &answer, &error))
		return;
	rc = rows_parse(answer, &rows);
	ask_forget(answer);
	if (rc)
		return;
	column = rows_find(&rows, "task");
	for (size_t row = 0; column < rows.columns && row < rows.nr; row++)
		found |= strtoul(rows_cell(&rows, row, column), NULL, 16) == task;
	rows_finish(&rows);
	if (!found)
		lfp_msg("VLFD920W",
			"Instance %s has no task %02X now. The trace will have one that begins "
			"later.",
			view->name, (unsigned int)task);
}

int command_start(struct view *view, char **words)
{
	struct lfp_admin_request request = {.verb = LFP_ADMIN_TRACE_START};
	char why[96], text[LFP_ADMIN_REQUEST_MAX + 1];
	struct ask_error error;
	struct trace_said said;
	FILE *out;

	lfp_trace_filter_init(&request.filter);
	for (; *words; words++) {
		char *equals = strchr(*words, '=');

		if (equals)
			*equals = '\0';
		else
			snprintf(why, sizeof(why), "%.60s is not a condition", *words);
		if (!equals || lfp_trace_filter_set(&request.filter, *words, equals + 1, why)) {
			fprintf(stderr, "lfpd-admin: trace start: %s\n", why);
			return LFP_EXIT_USAGE;
		}
	}
	out = fmemopen(text, sizeof(text), "w");
	if (!out)
		return LFP_EXIT_FAILURE;
	lfp_admin_encode(&request, out);
	fclose(out);
	if (ask_until(view, text, "starting", &said, &error))
		return ask_say(&error);
	if (strcmp(said.state, "running") != 0) {
		lfp_msg("VLFD907E", "Cannot start a trace of instance %s: %s.", view->name,
			*error.text ? error.text : said.state);
		return LFP_EXIT_FAILURE;
	}
	lfp_msg("VLFD917I", "A trace of instance %s is running.", view->name);
	if (!request.filter.any_task)
		warn_of_absence(view, request.filter.task);
	return LFP_EXIT_OK;
}

int command_stop(struct view *view)
{
	struct ask_error error;
	struct trace_said said;

	if (ask_until(view, "trace-stop", "stopping", &said, &error))
		return ask_say(&error);
	if (strcmp(said.state, "off") != 0 || *error.text) {
		lfp_msg("VLFD908E", "The trace of instance %s ended with an error: %s.", view->name,
			*error.text ? error.text : said.state);
		return LFP_EXIT_FAILURE;
	}
	if (said.changes)
		lfp_msg("VLFD921I",
			"The trace of instance %s has ended: %s frames, %s lost, in %s.",
			view->name, said.records, said.lost, said.place);
	else
		lfp_msg("VLFD918I", "No trace of instance %s is running.", view->name);
	return LFP_EXIT_OK;
}

static int one_as_text(const struct lfp_trace_record *record, void *data)
{
	trace_text(record, data);
	return ferror(data) ? -EIO : 0;
}

static int one_as_packet(const struct lfp_trace_record *record, void *data)
{
	if (!record->note)
		pcapng_record(record, data);
	return ferror(data) ? -EIO : 0;
}

struct as_ip {
	struct trace_ip *ip;
	FILE *out;
};

static int one_as_ip(const struct lfp_trace_record *record, void *data)
{
	const struct as_ip *as = data;
	int rc = trace_ip_record(as->ip, record);

	return rc ? rc : ferror(as->out) ? -EIO : 0;
}

/* Asks the instance for the place of its trace. */
static int find_file(const struct view *view, char place[PLACE_MAX], struct ask_error *error)
{
	char *answer;

	if (ask(view->name, "trace-status", &answer, error))
		return -1;
	if (lfp_admin_value(answer, "trace_file", place, PLACE_MAX))
		place[0] = '\0';
	ask_forget(answer);
	return 0;
}

static int write_ip(struct ring *ring, FILE *out)
{
	struct as_ip as = {.ip = trace_ip_create(out), .out = out};
	int rc = as.ip ? ring_each(ring, one_as_ip, &as) : -ENOMEM;

	if (as.ip)
		trace_ip_destroy(as.ip);
	return rc ? rc : ferror(out) ? -EIO : 0;
}

static int write_all(struct ring *ring, FILE *out, enum trace_form form)
{
	int rc;

	if (form != TRACE_TEXT)
		pcapng_begin(ring->head.instance, form == TRACE_IP, out);
	if (form == TRACE_IP)
		rc = write_ip(ring, out);
	else
		rc = ring_each(ring, form == TRACE_PCAPNG ? one_as_packet : one_as_text, out);
	if (form != TRACE_TEXT)
		pcapng_end(ring->records, ring->lost, out);
	if (fflush(out) && !rc)
		rc = -errno;
	return rc;
}

static int say_result(const struct ring *ring, const char *file, const char *to, int rc,
		      bool broken)
{
	if (broken) {
		lfp_msg("VLFD909E", "Cannot write the trace to %s: %s.", to, strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (rc) {
		lfp_msg("VLFD910E", "Cannot read the trace %s: %s.", file,
			rc == -EPROTO ? "it is damaged" : strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (ring->gone || ring->lost)
		lfp_msg("VLFD911I",
			"In the trace %s, %llu frames were overwritten by later ones, and %llu "
			"were lost.",
			file, (unsigned long long)ring->gone, (unsigned long long)ring->lost);
	return LFP_EXIT_OK;
}

int command_show(const struct view *view, const char *file, const char *to, enum trace_form form)
{
	bool standard = !to || !strcmp(to, "-");
	struct ask_error error;
	char place[PLACE_MAX];
	struct ring ring;
	FILE *out = stdout;
	int rc;

	if (!file && find_file(view, place, &error))
		return ask_say(&error);
	if (!file)
		file = place;
	if (form != TRACE_TEXT && standard && isatty(STDOUT_FILENO)) {
		fputs("lfpd-admin: a capture file cannot go to a terminal: use -o FILE\n", stderr);
		return LFP_EXIT_USAGE;
	}
	rc = ring_open(&ring, file);
	if (rc) {
		lfp_msg("VLFD912E", "Cannot show %s: %s.", file,
			rc == -EPROTO ? "it is not a trace of lfpd" : strerror(-rc));
		return LFP_EXIT_FAILURE;
	}
	if (!standard)
		out = fopen(to, "we");
	if (!out) {
		rc = -errno;
		ring_close(&ring);
		return say_result(&ring, file, to, rc, true);
	}
	rc = write_all(&ring, out, form);
	if (!standard && fclose(out) && !rc)
		rc = -errno;
	rc = say_result(&ring, file, standard ? "standard output" : to, rc,
			rc && rc != -EPROTO && rc != -ENOMEM);
	ring_close(&ring);
	return rc;
}
