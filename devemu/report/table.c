/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - tables: their memory, their kinds */
#include "devemu/report/table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *title;
	const struct report_column *column;
	size_t columns;
	int (*fill)(struct report_table *table, const struct fabric *fabric);
} kinds[REPORTS] = {
	[REPORT_CHANNEL] = {"channel", "CHANNEL PATH ACTIVITY", channel_columns, CHANNEL_COLUMNS,
			    channel_table_fill},
	[REPORT_DEVICE] = {"device", "DIRECT ACCESS DEVICE ACTIVITY", device_columns,
			   DEVICE_COLUMNS, device_table_fill},
	[REPORT_SYNC] = {"sync", "SYNCHRONOUS I/O DEVICE ACTIVITY", sync_columns, SYNC_COLUMNS,
			 sync_table_fill},
};

int report_kind_of(const char *name)
{
	for (int kind = 0; kind < REPORTS; kind++)
		if (!strcmp(kinds[kind].name, name))
			return kind;
	return -1;
}

int report_table_make(struct report_table *table, const struct fabric *fabric,
		      enum report_kind kind)
{
	*table = (struct report_table){
		.name = kinds[kind].name,
		.title = kinds[kind].title,
		.column = kinds[kind].column,
		.columns = kinds[kind].columns,
	};
	return kinds[kind].fill(table, fabric);
}

void report_table_finish(struct report_table *table)
{
	free(table->value);
	table->value = NULL;
	table->rows = table->room = 0;
}

struct report_value *report_row_add(struct report_table *table)
{
	struct report_value *row;

	if (table->rows == table->room) {
		const size_t room = table->room ? 2 * table->room : 16;
		struct report_value *value =
			reallocarray(table->value, room * table->columns, sizeof(*value));

		if (!value)
			return NULL;
		table->value = value;
		table->room = room;
	}
	row = &table->value[table->rows++ * table->columns];
	for (size_t c = 0; c < table->columns; c++) {
		row[c].text[0] = '\0';
		row[c].number = NAN;
	}
	return row;
}
