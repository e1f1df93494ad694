/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - the ring file of HISTORY: interval records of an instance, and their one reader */
#include "lfp/history.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "lfp/places.h"

#define MAGIC       "LFPHIST1"
#define RECORD_HEAD 32u
#define CHECK_AT    24u
#define TRIES       3 /* to read a record that may be written just now */

size_t lfp_history_head_size(uint32_t columns)
{
	return LFP_HISTORY_HEAD + (size_t)columns * LFP_HISTORY_COLUMN;
}

size_t lfp_history_slot_size(uint32_t columns)
{
	return RECORD_HEAD + ((size_t)columns + 1) * 8;
}

uint64_t lfp_history_size(uint32_t columns, uint32_t slots)
{
	return lfp_history_head_size(columns) + (uint64_t)slots * lfp_history_slot_size(columns);
}

uint32_t lfp_history_slots(uint32_t columns, uint64_t size)
{
	uint64_t head = lfp_history_head_size(columns), slots;

	slots = size > head ? (size - head) / lfp_history_slot_size(columns) : 0;
	return slots < LFP_HISTORY_SLOTS ? (uint32_t)slots : LFP_HISTORY_SLOTS;
}

/* FNV-1a: it finds what was torn, not what somebody has forged. */
static uint64_t check_of(uint64_t check, const uint8_t *bytes, size_t len)
{
	while (len--)
		check = (check ^ *bytes++) * UINT64_C(0x100000001b3);
	return check;
}

#define CHECK_BEGIN UINT64_C(0xcbf29ce484222325)

static uint64_t check_of_head(const uint8_t *buf, uint32_t columns)
{
	uint64_t check = check_of(CHECK_BEGIN, buf, CHECK_AT);

	return check_of(check, buf + LFP_HISTORY_HEAD, (size_t)columns * LFP_HISTORY_COLUMN);
}

void lfp_history_head_encode(const struct lfp_history *history, uint8_t *buf)
{
	memset(buf, 0, lfp_history_head_size(history->columns));
	memcpy(buf, MAGIC, 8);
	be32_put(buf + 8, history->columns);
	be32_put(buf + 12, history->slots);
	memcpy(buf + 16, history->instance, strnlen(history->instance, 8));
	for (uint32_t c = 0; c < history->columns; c++) {
		uint8_t *at = buf + lfp_history_head_size(c);

		at[0] = (uint8_t)history->column[c].kind;
		memcpy(at + 1, history->column[c].name,
		       strnlen(history->column[c].name, LFP_HISTORY_COLUMN - 2));
	}
	be64_put(buf + CHECK_AT, check_of_head(buf, history->columns));
}

void lfp_history_record_encode(const struct lfp_history_record *record, uint32_t columns,
			       uint8_t *buf)
{
	size_t check_at = lfp_history_slot_size(columns) - 8;

	be64_put(buf, record->serial);
	be64_put(buf + 8, record->run);
	be64_put(buf + 16, record->begin);
	be64_put(buf + 24, record->end);
	for (uint32_t c = 0; c < columns; c++)
		be64_put(buf + RECORD_HEAD + (size_t)c * 8, record->values[c]);
	be64_put(buf + check_at, check_of(CHECK_BEGIN, buf, check_at));
}

/* Returns 0; -EPROTO at the end of the file; or another negative errno. */
static int read_at(int fd, uint8_t *buf, size_t len, uint64_t offset)
{
	while (len) {
		ssize_t n = pread(fd, buf, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EPROTO;
		buf += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static bool take_column(const uint8_t *at, struct lfp_history_column *column)
{
	const uint8_t *name = at + 1;
	size_t len = strnlen((const char *)name, LFP_HISTORY_COLUMN - 1);

	if (at[0] != LFP_HISTORY_GAUGE && at[0] != LFP_HISTORY_COUNTER &&
	    at[0] != LFP_HISTORY_COUNTER_US)
		return false;
	if (!len || len == LFP_HISTORY_COLUMN - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= '0' && name[i] <= '9') &&
		    name[i] != '_')
			return false;
	column->kind = (enum lfp_history_kind)at[0];
	memcpy(column->name, name, len + 1);
	return true;
}

static int read_columns(int fd, struct lfp_history *history, uint64_t check)
{
	size_t size = lfp_history_head_size(history->columns);
	uint8_t *buf = malloc(size);
	int rc = buf ? read_at(fd, buf, size, 0) : -ENOMEM;

	if (!rc && check_of_head(buf, history->columns) != check)
		rc = -EPROTO;
	for (uint32_t c = 0; !rc && c < history->columns; c++)
		if (!take_column(buf + lfp_history_head_size(c), &history->column[c]) ||
		    lfp_history_find(history, history->column[c].name) != c)
			rc = -EPROTO;
	free(buf);
	return rc;
}

int lfp_history_head_read(int fd, struct lfp_history *history)
{
	uint8_t buf[LFP_HISTORY_HEAD];
	int rc = read_at(fd, buf, sizeof(buf), 0);

	memset(history, 0, sizeof(*history));
	if (rc)
		return rc;
	if (memcmp(buf, MAGIC, 8) != 0)
		return -EPROTO;
	history->columns = be32_get(buf + 8);
	history->slots = be32_get(buf + 12);
	memcpy(history->instance, buf + 16, 8);
	if (!history->columns || history->columns > LFP_HISTORY_COLUMNS || !history->slots ||
	    history->slots > LFP_HISTORY_SLOTS || lfp_check_name(history->instance))
		return -EPROTO;
	return read_columns(fd, history, be64_get(buf + CHECK_AT));
}

/* Returns 1 for a record, 0 for a slot that was never used, -EPROTO, or another negative errno. */
static int read_slot(int fd, const struct lfp_history *history, uint32_t slot, uint8_t *buf)
{
	size_t size = lfp_history_slot_size(history->columns);
	int rc = read_at(fd, buf, size, lfp_history_size(history->columns, slot));

	if (rc)
		return rc;
	if (!be64_get(buf) && !be64_get(buf + size - 8))
		return 0;
	if (check_of(CHECK_BEGIN, buf, size - 8) != be64_get(buf + size - 8) ||
	    be64_get(buf) % history->slots != slot || !be64_get(buf) ||
	    be64_get(buf + 16) > be64_get(buf + 24))
		return -EPROTO;
	return 1;
}

static int give_record(const struct lfp_history *history, const uint8_t *buf,
		       int (*take)(void *data, const struct lfp_history_record *record), void *data)
{
	uint64_t values[LFP_HISTORY_COLUMNS];
	const struct lfp_history_record record = {.serial = be64_get(buf),
						  .run = be64_get(buf + 8),
						  .begin = be64_get(buf + 16),
						  .end = be64_get(buf + 24),
						  .values = values};

	for (uint32_t c = 0; c < history->columns; c++)
		values[c] = be64_get(buf + RECORD_HEAD + (size_t)c * 8);
	return take(data, &record);
}

int lfp_history_each(int fd, struct lfp_history *history,
		     int (*take)(void *data, const struct lfp_history_record *record), void *data)
{
	uint8_t *buf = malloc(lfp_history_slot_size(history->columns));
	off_t size = lseek(fd, 0, SEEK_END);
	int rc = !buf ? -ENOMEM : size < 0 ? -errno : 0;

	for (uint32_t slot = 0; !rc && slot < history->slots; slot++) {
		int found = -EPROTO;

		/* Slots behind the end of a file that was cut have nothing to be looked at. */
		if (lfp_history_size(history->columns, slot) >= (uint64_t)size) {
			history->damaged += history->slots - slot;
			break;
		}
		for (int i = 0; i < TRIES && found == -EPROTO; i++)
			found = read_slot(fd, history, slot, buf);
		if (found == -EPROTO)
			history->damaged++;
		else
			rc = found > 0 ? give_record(history, buf, take, data) : found;
	}
	free(buf);
	return rc;
}

/* The records that have been read, and the places of @history for more. */
struct reading {
	struct lfp_history *history;
	uint32_t room;
};

/* Makes room for one more record. The file may say that it has many more slots than it has. */
static int make_room(struct lfp_history *history, uint32_t *room)
{
	uint32_t more = *room ? *room * 2 : 64;
	void *records, *values;

	if (history->nr < *room)
		return 0;
	records = reallocarray(history->records, more, sizeof(*history->records));
	if (records)
		history->records = records;
	values = reallocarray(history->values, (size_t)more * history->columns, 8);
	if (values)
		history->values = values;
	*room = more;
	return records && values ? 0 : -ENOMEM;
}

static int take_record(void *data, const struct lfp_history_record *record)
{
	struct reading *reading = data;
	struct lfp_history *history = reading->history;
	int rc = make_room(history, &reading->room);

	if (rc)
		return rc;
	history->records[history->nr] = *record;
	memcpy(history->values + (size_t)history->nr * history->columns, record->values,
	       history->columns * sizeof(*record->values));
	history->nr++;
	return 0;
}

static int compare(const void *one, const void *other)
{
	const struct lfp_history_record *a = one, *b = other;

	return (a->serial > b->serial) - (a->serial < b->serial);
}

int lfp_history_read(int fd, struct lfp_history *history)
{
	struct reading reading = {.history = history};
	int rc = lfp_history_head_read(fd, history);

	if (!rc)
		rc = lfp_history_each(fd, history, take_record, &reading);
	/* The values have their last place only now. */
	for (uint32_t i = 0; i < history->nr; i++)
		history->records[i].values = history->values + (size_t)i * history->columns;
	if (history->nr)
		qsort(history->records, history->nr, sizeof(*history->records), compare);
	if (rc)
		lfp_history_free(history);
	return rc;
}

void lfp_history_free(struct lfp_history *history)
{
	free(history->records);
	free(history->values);
	history->records = NULL;
	history->values = NULL;
	history->nr = 0;
}

uint32_t lfp_history_find(const struct lfp_history *history, const char *name)
{
	uint32_t c = 0;

	while (c < history->columns && strcmp(history->column[c].name, name) != 0)
		c++;
	return c;
}
