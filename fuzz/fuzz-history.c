/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-history.c - any bytes as the ring file of HISTORY, which reports read */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "json/json.h"
#include "lfpd-admin/history.h"
#include "lfpd-admin/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define COLUMNS 12u

static int fd = -1;

static void must(bool good)
{
	if (!good)
		abort();
}

static void report(struct lfp_history *history)
{
	const struct range all = {0, WHEN_EVER};
	struct ask_error error;
	char *text = NULL;
	size_t len;
	FILE *out;

	if (history_choose(history, &all, &error))
		return;
	out = open_memstream(&text, &len);
	must(out != NULL);
	report_io_text(history, out);
	report_user_text(history, 1, out);
	(void)report_io_json(history, out);
	(void)json_line(report_user_json(history, 1), 0, out);
	fclose(out);
	free(text);
}

static void read_file(void)
{
	static struct lfp_history history;

	if (lfp_history_read(fd, &history))
		return;
	for (uint32_t i = 0; i < history.nr; i++)
		must(history.records[i].begin <= history.records[i].end &&
		     (!i || history.records[i - 1].serial <= history.records[i].serial));
	report(&history);
	lfp_history_free(&history);
}

/* A right head, and records of the input's bytes with right checks. */
static void write_file(const uint8_t *data, size_t size)
{
	static const char *const names[COLUMNS] = {"cpu",
						   "cpu_user",
						   "page_reads",
						   "packets_in",
						   "packets_out",
						   "stream_bytes_to_host",
						   "stream_bytes_to_vse",
						   "datagrams_to_host",
						   "datagrams_to_vse",
						   "accepts",
						   "connects_made",
						   "sockets"};
	static struct lfp_history head = {.columns = COLUMNS, .slots = 5, .instance = "FUZZ"};
	uint8_t buf[4096] = {0};
	uint64_t values[4 + COLUMNS];

	for (uint32_t c = 0; c < COLUMNS; c++) {
		head.column[c].kind = c < 2             ? LFP_HISTORY_COUNTER_US
				      : c + 1 < COLUMNS ? LFP_HISTORY_COUNTER
							: LFP_HISTORY_GAUGE;
		strcpy(head.column[c].name, names[c]);
	}
	lfp_history_head_encode(&head, buf);
	must(!ftruncate(fd, 0) && !ftruncate(fd, (off_t)lfp_history_size(COLUMNS, head.slots)));
	must(pwrite(fd, buf, lfp_history_head_size(COLUMNS), 0) ==
	     (ssize_t)lfp_history_head_size(COLUMNS));
	for (uint64_t serial = 1; size >= sizeof(values); serial++) {
		struct lfp_history_record record = {.serial = serial, .values = values + 4};
		size_t slot = lfp_history_slot_size(COLUMNS);

		memcpy(values, data, sizeof(values));
		record.run = values[1];
		record.begin = values[2];
		record.end = values[3];
		lfp_history_record_encode(&record, COLUMNS, buf);
		must(pwrite(fd, buf, slot,
			    (off_t)lfp_history_size(COLUMNS, (uint32_t)(serial % head.slots))) ==
		     (ssize_t)slot);
		data += sizeof(values);
		size -= sizeof(values);
	}
}

/* The texts of --from and --to. */
static void read_time(const uint8_t *data, size_t size)
{
	char text[64], back[WHEN_TEXT];
	uint64_t us;

	snprintf(text, sizeof(text), "%.*s", (int)(size < 60 ? size : 60), (const char *)data);
	if (!when_read(text, 1795953600, &us))
		must(us % 1000000 == 0 && *when_text(us, back) != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (fd < 0)
		fd = memfd_create("history", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	read_file();
	write_file(data, size);
	read_file();
	read_time(data, size);
	return 0;
}
