/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - the interval records of an instance (HISTORY), and sums over them */
#include "lfpd-admin/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/admin.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "lfpd-admin/text.h"

/* Asks the instance for the place of its history. */
static int find_file(const char *name, char place[static LFP_PLACE_MAX], struct ask_error *error)
{
	char *answer;

	if (ask(name, "status", &answer, error))
		return -1;
	if (lfp_admin_value(answer, "HISTORY", place, LFP_PLACE_MAX))
		place[0] = '\0';
	ask_forget(answer);
	if (*place)
		return 0;
	error->id = "VLFD922E";
	error->exit = LFP_EXIT_UNAVAILABLE;
	snprintf(error->text, sizeof(error->text),
		 "Instance %s keeps no history: HISTORY is not set.", name);
	return -1;
}

static int read_file(const char *file, struct lfp_history *history)
{
	/* O_NONBLOCK: a FIFO must not make us wait before we refuse it. */
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc;
	struct stat st;

	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st)        ? -errno
	     : S_ISREG(st.st_mode) ? lfp_history_read(fd, history)
				   : -EPROTO;
	close(fd);
	return rc;
}

int history_load(const char *name, const char *file, struct lfp_history *history,
		 struct ask_error *error)
{
	char place[LFP_PLACE_MAX];
	int rc;

	if (!file && find_file(name, place, error))
		return -1;
	rc = read_file(file ? file : place, history);
	if (rc) {
		error->id = "VLFD923E";
		error->exit = LFP_EXIT_FAILURE;
		snprintf(error->text, sizeof(error->text), "Cannot read the history %.300s: %s.",
			 file ? file : place,
			 rc == -EPROTO ? "it is not a history of lfpd, or its head is damaged"
				       : strerror(-rc));
		text_clean(error->text);
		return -1;
	}
	if (history->damaged)
		lfp_msg("VLFD924W", "%u records of the history of instance %s are damaged.",
			history->damaged, history->instance);
	return 0;
}

static bool is_in(const struct lfp_history_record *record, const struct range *range)
{
	uint64_t middle = record->begin + (record->end - record->begin) / 2;

	return middle >= range->from && middle < range->to;
}

static int none(const struct lfp_history *history, const struct lfp_history_record *first,
		const struct lfp_history_record *last, struct ask_error *error)
{
	char begin[WHEN_TEXT], end[WHEN_TEXT];

	error->id = "VLFD925E";
	error->exit = LFP_EXIT_FAILURE;
	if (!first)
		snprintf(error->text, sizeof(error->text),
			 "The history of instance %s has no interval yet.", history->instance);
	else
		snprintf(error->text, sizeof(error->text),
			 "The history of instance %s has no interval at that time. It goes from %s "
			 "to %s UTC.",
			 history->instance, when_text(first->begin, begin),
			 when_text(last->end, end));
	return -1;
}

int history_choose(struct lfp_history *history, const struct range *range, struct ask_error *error)
{
	struct lfp_history_record first, last;
	uint32_t nr = 0;

	if (!history->nr)
		return none(history, NULL, NULL, error);
	first = history->records[0];
	last = history->records[history->nr - 1];
	for (uint32_t i = 0; i < history->nr; i++)
		if (is_in(&history->records[i], range))
			history->records[nr++] = history->records[i];
	history->nr = nr;
	return nr ? 0 : none(history, &first, &last, error);
}

uint64_t history_value(const struct lfp_history *history, const struct lfp_history_record *record,
		       const char *name)
{
	uint32_t c = lfp_history_find(history, name);

	return c < history->columns ? record->values[c] : 0;
}

uint64_t history_sum(const struct lfp_history *history, const char *name)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < history->nr; i++)
		sum += history_value(history, &history->records[i], name);
	return sum;
}

double history_length(const struct lfp_history_record *record)
{
	return (double)(record->end - record->begin) / 1e6;
}

double history_seconds(const struct lfp_history *history)
{
	double seconds = 0;

	for (uint32_t i = 0; i < history->nr; i++)
		seconds += history_length(&history->records[i]);
	return seconds;
}
