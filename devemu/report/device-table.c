/* SPDX-License-Identifier: Apache-2.0 */
/* device-table.c - direct access and synchronous I/O device activity from the counters of devices
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devemu/report/rate.h"
#include "devemu/report/table.h"

const struct report_column device_columns[DEVICE_COLUMNS] = {
	[DEVICE_LEVEL] = {"level", true},
	[DEVICE_NUMBER] = {"device", true},
	[DEVICE_TYPE] = {"type", true},
	[DEVICE_CYLINDERS] = {"cylinders", false},
	[DEVICE_VOLSER] = {"volser", true},
	[DEVICE_PAV] = {"pav", false},
	[DEVICE_LCU] = {"lcu", true},
	[DEVICE_RATE] = {"rate", false},
	[DEVICE_SYNC_MARK] = {"synchronous", true},
	[DEVICE_RESP] = {"resp_ms", false},
	[DEVICE_IOSQ] = {"iosq_ms", false},
	[DEVICE_CMR] = {"cmr_ms", false},
	[DEVICE_PEND] = {"pend_ms", false},
	[DEVICE_DISC] = {"disc_ms", false},
	[DEVICE_CONN] = {"conn_ms", false},
	[DEVICE_CONN_PERCENT] = {"conn_percent", false},
	[DEVICE_UTIL_PERCENT] = {"util_percent", false},
};

const struct report_column sync_columns[SYNC_COLUMNS] = {
	[SYNC_LEVEL] = {"level", true},
	[SYNC_NUMBER] = {"device", true},
	[SYNC_TYPE] = {"type", true},
	[SYNC_VOLSER] = {"volser", true},
	[SYNC_LCU] = {"lcu", true},
	[SYNC_READ_RATE] = {"sync_read_rate", false},
	[SYNC_WRITE_RATE] = {"sync_write_rate", false},
	[SYNC_ASYNC_RATE] = {"async_rate", false},
	[SYNC_READ_RESP] = {"sync_read_ms", false},
	[SYNC_WRITE_RESP] = {"sync_write_ms", false},
	[SYNC_ASYNC_RESP] = {"async_ms", false},
	[SYNC_READ_MB] = {"sync_read_mb_s", false},
	[SYNC_WRITE_MB] = {"sync_write_mb_s", false},
	[SYNC_SUCCESS] = {"success_percent", false},
	[SYNC_LINK_BUSY] = {"link_busy_percent", false},
	[SYNC_CACHE_MISS] = {"cache_miss_percent", false},
	[SYNC_READ_REJECTS] = {"read_rejects_percent", false},
	[SYNC_WRITE_REJECTS] = {"write_rejects_percent", false},
};

/* Subject of a line: one device, or all of a logical control unit. */
struct sums {
	unsigned int devices;
	struct device_counters device;
	struct sync_counters sync;
};

static void add(struct sums *sums, const struct fabric_device *device)
{
	const struct device_counters *from = &device->counters;
	const struct sync_counters *sync = &device->sync;

	sums->devices++;
	sums->device.ends += from->ends;
	sums->device.iosq += from->iosq;
	sums->device.cmr += from->cmr;
	sums->device.pend += from->pend;
	sums->device.disc += from->disc;
	sums->device.conn += from->conn;
	sums->device.alias_time += from->alias_time;
	sums->sync.reads += sync->reads;
	sums->sync.writes += sync->writes;
	sums->sync.bytes_read += sync->bytes_read;
	sums->sync.bytes_written += sync->bytes_written;
	sums->sync.read_time += sync->read_time;
	sums->sync.write_time += sync->write_time;
	sums->sync.link_busy += sync->link_busy;
	sums->sync.cache_miss += sync->cache_miss;
	sums->sync.read_rejects += sync->read_rejects;
	sums->sync.write_rejects += sync->write_rejects;
}

static uint64_t requests(const struct sync_counters *sync)
{
	return sync->reads + sync->writes + sync->link_busy + sync->cache_miss +
	       sync->read_rejects + sync->write_rejects;
}

static double response_ms(const struct device_counters *device)
{
	return mean_ms(device->iosq + device->pend + device->disc + device->conn, device->ends);
}

/* Fills in the names of a device, or without @device those of an LCU. */
static void names(struct report_value *level, struct report_value *number,
		  struct report_value *type, struct report_value *volser, struct report_value *lcu,
		  const struct fabric_device *device, const struct fabric_control_unit *unit)
{
	snprintf(lcu->text, sizeof(lcu->text), "%04X", unit->lcu);
	snprintf(level->text, sizeof(level->text), "%s", device ? "device" : "lcu");
	if (!device)
		return;
	snprintf(number->text, sizeof(number->text), "%05X", device->number);
	snprintf(type->text, sizeof(type->text), "%s",
		 device->cylinders > 65520 ? "3390A" : "33909");
	if (strlen(device->config->volser) <= 2 && device->config->volser[0])
		snprintf(volser->text, sizeof(volser->text), "%s%04X", device->config->volser,
			 device->number);
	else
		snprintf(volser->text, sizeof(volser->text), "%s", device->config->volser);
}

static void fill_device(struct report_value *row, const struct sums *sums, int64_t interval,
			const struct fabric_device *device, const struct fabric_control_unit *unit)
{
	const struct device_counters *from = &sums->device;

	names(&row[DEVICE_LEVEL], &row[DEVICE_NUMBER], &row[DEVICE_TYPE], &row[DEVICE_VOLSER],
	      &row[DEVICE_LCU], device, unit);
	if (device) {
		row[DEVICE_CYLINDERS].number = device->cylinders;
		row[DEVICE_PAV].number =
			1 +
			(interval > 0 ? (double)from->alias_time * SIM_NS / (double)interval : 0);
		if (device->limit > 1)
			strcpy(row[DEVICE_PAV].text, "H");
		if (requests(&sums->sync))
			strcpy(row[DEVICE_SYNC_MARK].text, "S");
	}
	row[DEVICE_RATE].number = rate_of(from->ends, interval);
	row[DEVICE_RESP].number = response_ms(from);
	row[DEVICE_IOSQ].number = mean_ms(from->iosq, from->ends);
	row[DEVICE_CMR].number = mean_ms(from->cmr, from->ends);
	row[DEVICE_PEND].number = mean_ms(from->pend, from->ends);
	row[DEVICE_DISC].number = mean_ms(from->disc, from->ends);
	row[DEVICE_CONN].number = mean_ms(from->conn, from->ends);
	row[DEVICE_CONN_PERCENT].number = percent_of(from->conn, interval) / sums->devices;
	row[DEVICE_UTIL_PERCENT].number =
		percent_of(from->conn + from->disc, interval) / sums->devices;
}

static void fill_sync(struct report_value *row, const struct sums *sums, int64_t interval,
		      const struct fabric_device *device, const struct fabric_control_unit *unit)
{
	const struct sync_counters *from = &sums->sync;
	const uint64_t all = requests(from);

	names(&row[SYNC_LEVEL], &row[SYNC_NUMBER], &row[SYNC_TYPE], &row[SYNC_VOLSER],
	      &row[SYNC_LCU], device, unit);
	row[SYNC_READ_RATE].number = rate_of(from->reads, interval);
	row[SYNC_WRITE_RATE].number = rate_of(from->writes, interval);
	row[SYNC_ASYNC_RATE].number = rate_of(sums->device.ends, interval);
	row[SYNC_READ_RESP].number = mean_ms(from->read_time, from->reads);
	row[SYNC_WRITE_RESP].number = mean_ms(from->write_time, from->writes);
	row[SYNC_ASYNC_RESP].number = response_ms(&sums->device);
	row[SYNC_READ_MB].number = rate_of(from->bytes_read, interval) / 1e6;
	row[SYNC_WRITE_MB].number = rate_of(from->bytes_written, interval) / 1e6;
	row[SYNC_SUCCESS].number = 100 * mean_of(from->reads + from->writes, all);
	row[SYNC_LINK_BUSY].number = 100 * mean_of(from->link_busy, all);
	row[SYNC_CACHE_MISS].number = 100 * mean_of(from->cache_miss, all);
	row[SYNC_READ_REJECTS].number = 100 * mean_of(from->read_rejects, all);
	row[SYNC_WRITE_REJECTS].number = 100 * mean_of(from->write_rejects, all);
}

typedef void fill_row(struct report_value *row, const struct sums *sums, int64_t interval,
		      const struct fabric_device *device, const struct fabric_control_unit *unit);

static int row_of(struct report_table *table, fill_row *fill, const struct sums *sums,
		  int64_t interval, const struct fabric_device *device,
		  const struct fabric_control_unit *unit)
{
	struct report_value *row = report_row_add(table);

	if (!row)
		return -ENOMEM;
	fill(row, sums, interval, device, unit);
	return 0;
}

/* A line for each device that has been used, and one for its logical control unit after them. */
static int unit_rows(struct report_table *table, const struct fabric *fabric,
		     const struct fabric_control_unit *unit, bool sync)
{
	fill_row *const fill = sync ? fill_sync : fill_device;
	const int64_t interval = fabric_interval(fabric);
	struct sums all = {0};
	unsigned int used = 0;
	int rc = 0;

	for (size_t d = 0; rc == 0 && d < fabric->devices; d++) {
		const struct fabric_device *device = &fabric->device[d];
		struct sums one = {0};

		if (device->control_unit != unit ||
		    device->path[0]->channel->config->type != CHANNEL_FC)
			continue;
		add(&one, device);
		add(&all, device);
		if (!requests(&one.sync) && (sync || !one.device.ends))
			continue;
		used++;
		rc = row_of(table, fill, &one, interval, device, unit);
	}
	if (rc == 0 && used)
		rc = row_of(table, fill, &all, interval, NULL, unit);
	return rc;
}

static int fill_table(struct report_table *table, const struct fabric *fabric, bool sync)
{
	int rc = 0;

	for (size_t c = 0; rc == 0 && c < fabric->control_units; c++)
		rc = unit_rows(table, fabric, &fabric->control_unit[c], sync);
	return rc;
}

int device_table_fill(struct report_table *table, const struct fabric *fabric)
{
	return fill_table(table, fabric, false);
}

int sync_table_fill(struct report_table *table, const struct fabric *fabric)
{
	return fill_table(table, fabric, true);
}
