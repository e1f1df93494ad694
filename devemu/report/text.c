/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - tables as lines of text */
#include <math.h>

#include "devemu/report/report.h"

/* RATE, ACTIVE, DEFER; blank where the channel does not speak that. */
static void operations(const struct report_value *value, int width, FILE *out)
{
	if (isnan(value[0].number))
		fprintf(out, " %*s", width + 13, "");
	else
		fprintf(out, " %*.1f %6.1f %5.1f", width, value[0].number, value[1].number,
			value[2].number);
}

static void channel_line(const struct report_value *row, FILE *out)
{
	const char over_util = row[CHANNEL_UTIL_TOTAL].number >= REPORT_GUIDELINE_PROCESSOR;
	const char over_bus = row[CHANNEL_BUS].number >= REPORT_GUIDELINE_BUS;

	fprintf(out, " %2s %-4s  %2s ", row[CHANNEL_ID].text, row[CHANNEL_TYPE].text,
		row[CHANNEL_G].text);
	if (isnan(row[CHANNEL_SPEED].number))
		fprintf(out, "%5s", "");
	else
		fprintf(out, "%4.0fG", row[CHANNEL_SPEED].number);
	fprintf(out, "  %s  %6.2f %6.2f%c %6.2f%c %7.2f %7.2f %7.2f %7.2f",
		row[CHANNEL_SHARED].text, row[CHANNEL_UTIL_PART].number,
		row[CHANNEL_UTIL_TOTAL].number, over_util ? '*' : ' ', row[CHANNEL_BUS].number,
		over_bus ? '*' : ' ', row[CHANNEL_READ_PART].number, row[CHANNEL_READ_TOTAL].number,
		row[CHANNEL_WRITE_PART].number, row[CHANNEL_WRITE_TOTAL].number);
	operations(&row[CHANNEL_FICON_RATE], 8, out);
	operations(&row[CHANNEL_ZHPF_RATE], 9, out);
	fputc('\n', out);
}

static void fcp_lines(const struct report_table *table, FILE *out)
{
	bool any = false;

	for (size_t r = 0; r < table->rows; r++) {
		const struct report_value *row = report_row(table, r);

		if (isnan(row[CHANNEL_FCP_RATE].number))
			continue;
		if (!any)
			fputs(" CHANNEL PATH        FCP OPERATIONS\n"
			      " ID TYPE             RATE ACTIVE DEFER\n",
			      out);
		any = true;
		fprintf(out, " %2s %-4s ", row[CHANNEL_ID].text, row[CHANNEL_TYPE].text);
		operations(&row[CHANNEL_FCP_RATE], 15, out);
		fputc('\n', out);
	}
}

void channel_text(const struct report_table *table, FILE *out)
{
	bool over = false;

	fputs(" CHANNEL PATH            UTILIZATION(%)          READ(MB/SEC)    WRITE(MB/SEC)    "
	      "FICON OPERATIONS      ZHPF OPERATIONS\n"
	      " ID TYPE  G  SPEED SHR   PART  TOTAL     BUS    PART   TOTAL    PART   TOTAL"
	      "     RATE ACTIVE DEFER      RATE ACTIVE DEFER\n",
	      out);
	for (size_t r = 0; r < table->rows; r++) {
		channel_line(report_row(table, r), out);
		over |= report_row(table, r)[CHANNEL_GUIDELINE].text[0] != '\0';
	}
	fcp_lines(table, out);
	if (over)
		fprintf(out,
			" * THE GUIDELINE IS PASSED: CHANNEL PROCESSOR BELOW %.0f %%, BUS BELOW "
			"%.0f %%\n",
			REPORT_GUIDELINE_PROCESSOR, REPORT_GUIDELINE_BUS);
}

static void ms_column(const struct report_value *value, int width, FILE *out)
{
	char text[16];

	report_ms(text, value->number);
	fprintf(out, " %*s", width, text);
}

static bool is_device(const struct report_value *level)
{
	return level->text[0] == 'd';
}

static void device_line(const struct report_value *row, FILE *out)
{
	if (is_device(&row[DEVICE_LEVEL]))
		fprintf(out, "         %5s %-6s %7.0f %-6s %3.1f%1s", row[DEVICE_NUMBER].text,
			row[DEVICE_TYPE].text, row[DEVICE_CYLINDERS].number,
			row[DEVICE_VOLSER].text, row[DEVICE_PAV].number, row[DEVICE_PAV].text);
	else
		fprintf(out, "%30s%-6s %4s", "", "LCU", "");
	fprintf(out, " %4s %10.2f%1s", row[DEVICE_LCU].text, row[DEVICE_RATE].number,
		row[DEVICE_SYNC_MARK].text);
	for (int c = DEVICE_RESP; c <= DEVICE_CONN; c++) {
		ms_column(&row[c], 4, out);
		if (c == DEVICE_CMR)
			fputs("    -    -", out);
	}
	fprintf(out, " %6.2f %6.2f     -     -     -\n", row[DEVICE_CONN_PERCENT].number,
		row[DEVICE_UTIL_PERCENT].number);
}

void device_text(const struct report_table *table, FILE *out)
{
	fputs("                                                    DEVICE    AVG  AVG  AVG  AVG  "
	      "AVG  "
	      "AVG  AVG  AVG      %      %     %   AVG     %\n"
	      "STORAGE  DEV   DEVICE  NUMBER VOLUME PAV  LCU    ACTIVITY   RESP IOSQ  CMR   DB  "
	      "INT PEND DISC CONN    DEV    DEV   DEV  NMBR   ANY\n"
	      "GROUP    NUM   TYPE    OF CYL SERIAL                 RATE   TIME TIME  DLY  DLY  "
	      "DLY TIME TIME TIME   CONN   UTIL  RESV ALLOC ALLOC\n",
	      out);
	for (size_t r = 0; r < table->rows; r++)
		device_line(report_row(table, r), out);
	if (!table->rows)
		fputs(" NO DEVICE HAS BEEN USED\n", out);
	fputs(" S: WITH SYNCHRONOUS I/O, WHICH IS NOT PART OF THE LINE   -: NOT MODELLED\n", out);
}

static void sync_line(const struct report_value *row, FILE *out)
{
	if (is_device(&row[SYNC_LEVEL]))
		fprintf(out, "         %5s %-6s %-6s", row[SYNC_NUMBER].text, row[SYNC_TYPE].text,
			row[SYNC_VOLSER].text);
	else
		fprintf(out, "%22s%-6s", "", "LCU");
	fprintf(out, " %4s %10.1f %9.3f %10.2f  %6.3f %6.3f", row[SYNC_LCU].text,
		row[SYNC_READ_RATE].number, row[SYNC_WRITE_RATE].number,
		row[SYNC_ASYNC_RATE].number, row[SYNC_READ_RESP].number,
		row[SYNC_WRITE_RESP].number);
	ms_column(&row[SYNC_ASYNC_RESP], 6, out);
	fprintf(out, " %8.2f %7.3f  %7.2f %6.2f %6.2f %6.2f %6.2f\n", row[SYNC_READ_MB].number,
		row[SYNC_WRITE_MB].number, row[SYNC_SUCCESS].number, row[SYNC_LINK_BUSY].number,
		row[SYNC_CACHE_MISS].number, row[SYNC_READ_REJECTS].number,
		row[SYNC_WRITE_REJECTS].number);
}

void sync_text(const struct report_table *table, FILE *out)
{
	fputs("                                  - DEVICE ACTIVITY RATE -       - AVG RESP TIME -  "
	      " "
	      " AVG SYNCH I/O        %      %      %   - REJECTS -\n"
	      "STORAGE  DEV   DEVICE VOLUME  LCU   - SYNCH I/O -      ASYNCH  - SYNCH I/O -  ASYNCH"
	      " TRANSFER RATE      REQ   LINK  CACHE\n"
	      "GROUP    NUM   TYPE   SERIAL         READ     WRITE        I/O    READ  WRITE    I/O"
	      "     READ   WRITE  SUCCESS   BUSY   MISS   READ  WRITE\n",
	      out);
	for (size_t r = 0; r < table->rows; r++)
		sync_line(report_row(table, r), out);
	if (!table->rows)
		fputs(" NO DEVICE HAS HAD SYNCHRONOUS I/O\n", out);
}
