/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - the contents of a report, before it becomes text, JSON or CSV */
#ifndef DEVEMU_REPORT_TABLE_H
#define DEVEMU_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "devemu/fabric/fabric.h"

enum report_kind { REPORT_CHANNEL, REPORT_DEVICE, REPORT_SYNC, REPORTS };

/* Returns the kind of a name on the command line ("channel"), or -1. */
int report_kind_of(const char *name);

/* Text, or a number; a number that does not apply is NAN. */
struct report_value {
	char text[16];
	double number;
};

struct report_column {
	const char *key; /* in JSON and CSV, with its unit where it has one */
	bool text;
};

/* Rows one after the other, of @columns values each. */
struct report_table {
	const char *name, *title;
	const struct report_column *column;
	size_t columns, rows, room;
	struct report_value *value;
};

/*
 * Made from the counters of @fabric (fabric/counters.h) and from nothing else; the interval is that
 * from the last reset of the counters to now. report_table_finish() is needed in each case. Return:
 * 0 or -ENOMEM.
 */
int report_table_make(struct report_table *table, const struct fabric *fabric,
		      enum report_kind kind);
void report_table_finish(struct report_table *table);

static inline const struct report_value *report_row(const struct report_table *table, size_t row)
{
	return &table->value[row * table->columns];
}

/* For code that makes a table: one more row, all its numbers NAN; NULL without memory. */
struct report_value *report_row_add(struct report_table *table);

/* The columns of each kind, in their order. */
enum {
	CHANNEL_ID,
	CHANNEL_TYPE,
	CHANNEL_G,
	CHANNEL_SPEED, /* Gbps */
	CHANNEL_SHARED,
	CHANNEL_UTIL_PART, /* percent; PART is the partition, of which there is one */
	CHANNEL_UTIL_TOTAL,
	CHANNEL_BUS,
	CHANNEL_READ_PART, /* MB/s */
	CHANNEL_READ_TOTAL,
	CHANNEL_WRITE_PART,
	CHANNEL_WRITE_TOTAL,
	CHANNEL_FICON_RATE,
	CHANNEL_FICON_ACTIVE,
	CHANNEL_FICON_DEFER,
	CHANNEL_ZHPF_RATE,
	CHANNEL_ZHPF_ACTIVE,
	CHANNEL_ZHPF_DEFER,
	CHANNEL_FCP_RATE,
	CHANNEL_FCP_ACTIVE,
	CHANNEL_FCP_DEFER,
	CHANNEL_GUIDELINE, /* "", "processor", "bus" or "processor+bus" */
	CHANNEL_COLUMNS,
};

enum {
	DEVICE_LEVEL, /* "device" or "lcu" */
	DEVICE_NUMBER,
	DEVICE_TYPE,
	DEVICE_CYLINDERS,
	DEVICE_VOLSER,
	DEVICE_PAV, /* number and, as its text, "H": aliases come from a pool (HyperPAV) */
	DEVICE_LCU,
	DEVICE_RATE,
	DEVICE_SYNC_MARK, /* "S": it has synchronous I/O too */
	DEVICE_RESP,      /* ms, as all that follow up to DEVICE_CONN */
	DEVICE_IOSQ,
	DEVICE_CMR,
	DEVICE_PEND,
	DEVICE_DISC,
	DEVICE_CONN,
	DEVICE_CONN_PERCENT,
	DEVICE_UTIL_PERCENT,
	DEVICE_COLUMNS,
};

enum {
	SYNC_LEVEL,
	SYNC_NUMBER,
	SYNC_TYPE,
	SYNC_VOLSER,
	SYNC_LCU,
	SYNC_READ_RATE,
	SYNC_WRITE_RATE,
	SYNC_ASYNC_RATE,
	SYNC_READ_RESP, /* ms */
	SYNC_WRITE_RESP,
	SYNC_ASYNC_RESP,
	SYNC_READ_MB, /* MB/s */
	SYNC_WRITE_MB,
	SYNC_SUCCESS, /* percent of the requests */
	SYNC_LINK_BUSY,
	SYNC_CACHE_MISS,
	SYNC_READ_REJECTS,
	SYNC_WRITE_REJECTS,
	SYNC_COLUMNS,
};

/* Guidelines of the paper, percent. */
#define REPORT_GUIDELINE_PROCESSOR 50.0
#define REPORT_GUIDELINE_BUS       70.0

/* In channel-table.c and device-table.c. 0 or -ENOMEM. */
int channel_table_fill(struct report_table *table, const struct fabric *fabric);
int device_table_fill(struct report_table *table, const struct fabric *fabric);
int sync_table_fill(struct report_table *table, const struct fabric *fabric);

extern const struct report_column channel_columns[CHANNEL_COLUMNS];
extern const struct report_column device_columns[DEVICE_COLUMNS];
extern const struct report_column sync_columns[SYNC_COLUMNS];

#endif
