/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - the log of connections, summed up: which program reached what, and how often */
#include "lfp-run/summary.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 4096u /* further peers share the last row */
#define TEXT_MAX 320u

/* The fields of a record that count. */
struct record {
	char event[16], program[TEXT_MAX], direction[8], protocol[8], name[TEXT_MAX];
	char address[64], port[8], local_address[64], local_port[8];
	char refused_by[16], result[40], rule[16], bytes_out[24], bytes_in[24], count[24];
	char by_default[4], passed_over[16];
};

static const struct {
	const char *key;
	size_t offset, size;
} fields[] = {
#define FIELD(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct record, name), sizeof(((struct record *)0)->name)           \
	}
	FIELD(event),       FIELD(program),  FIELD(direction),  FIELD(protocol),
	FIELD(name),        FIELD(address),  FIELD(port),       FIELD(local_address),
	FIELD(local_port),  FIELD(rule),     FIELD(refused_by), FIELD(result),
	FIELD(bytes_out),   FIELD(bytes_in), FIELD(count),      FIELD(by_default),
	FIELD(passed_over),
};

struct row {
	char program[32], act[8], peer[TEXT_MAX];
	uint64_t times, failed, refused, out, in;
	char by[160]; /* what refused last */
};

struct summary {
	struct row *rows;
	size_t nr, room;
	uint64_t left_out, wrong;
};

struct summary *summary_create(void)
{
	return calloc(1, sizeof(struct summary));
}

void summary_destroy(struct summary *summary)
{
	if (summary)
		free(summary->rows);
	free(summary);
}

/* Reads a string of JSON, up to its closing quote. Escapes become '?', but \" and \\. Returns the
 * place behind, or NULL. */
static const char *take_string(const char *at, char *out, size_t size)
{
	size_t len = 0;

	if (*at++ != '"')
		return NULL;
	for (; *at && *at != '"'; at++) {
		char c = *at;

		if (c == '\\') {
			c = *++at;
			if (c == 'u') {
				for (int i = 0; i < 4; i++)
					if (!*++at)
						return NULL;
				c = '?';
			}
			if (!c)
				return NULL;
		}
		if (c < ' ' || c > '~')
			c = '?';
		if (len + 1 < size)
			out[len++] = c;
	}
	out[len] = '\0';
	return *at ? at + 1 : NULL;
}

static const char *take_number(const char *at, char *out, size_t size)
{
	size_t len = strspn(at, "0123456789");

	if (!len)
		return NULL;
	snprintf(out, size, "%.*s", (int)len, at);
	return at + len;
}

/* Keeps a value if its key counts. */
static void keep(struct record *record, const char *key, const char *value)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].key, key))
			snprintf((char *)record + fields[i].offset, fields[i].size, "%s", value);
}

/* Reads an object of strings and numbers. */
static bool parse(const char *at, struct record *record)
{
	char key[32], value[TEXT_MAX];

	memset(record, 0, sizeof(*record));
	if (*at != '{')
		return false;
	do {
		at = take_string(at + 1, key, sizeof(key));
		if (!at || *at++ != ':')
			return false;
		at = *at == '"' ? take_string(at, value, sizeof(value))
				: take_number(at, value, sizeof(value));
		if (!at)
			return false;
		keep(record, key, value);
	} while (*at == ',');
	return *at == '}';
}

static void name_peer(char *peer, const char *host, const char *port)
{
	snprintf(peer, TEXT_MAX, strchr(host, ':') && *port ? "[%.250s]%s%s" : "%.250s%s%s",
		 *host ? host : "-", *port ? ":" : "", port);
}

static struct row *find_key(const struct summary *summary, const struct row *key)
{
	for (size_t i = 0; i < summary->nr; i++) {
		struct row *row = &summary->rows[i];

		if (!strcmp(row->peer, key->peer) && !strcmp(row->act, key->act) &&
		    !strcmp(row->program, key->program))
			return row;
	}
	return NULL;
}

/* Returns the row of a program, what it did, and its peer. NULL without memory. */
static struct row *find_row(struct summary *summary, const struct record *record, const char *act,
			    const char *peer)
{
	static const struct row others = {.peer = "(others)"};
	const char *slash = strrchr(record->program, '/');
	struct row key = {.times = 0}, *row, *larger;

	snprintf(key.program, sizeof(key.program), "%.31s",
		 slash && slash[1] ? slash + 1 : record->program);
	snprintf(key.act, sizeof(key.act), "%.7s", act);
	snprintf(key.peer, sizeof(key.peer), "%s", peer);
	row = find_key(summary, &key);
	if (!row && summary->nr >= ROWS_MAX) {
		key = others;
		row = find_key(summary, &key);
	}
	if (row)
		return row;
	if (summary->nr == summary->room) {
		summary->room = summary->room ? 2 * summary->room : 64;
		larger = reallocarray(summary->rows, summary->room, sizeof(*larger));
		if (!larger) {
			summary->room = summary->nr;
			return NULL;
		}
		summary->rows = larger;
	}
	summary->rows[summary->nr] = key;
	return &summary->rows[summary->nr++];
}

/* Returns the act of a record, and names its peer; NULL if the record has no row. */
static const char *act_of(const struct record *record, char peer[static TEXT_MAX])
{
	bool in = !strcmp(record->direction, "in");

	if (!strcmp(record->event, "bind") && !strcmp(record->result, "OK"))
		return NULL;
	if (in || !strcmp(record->event, "bind") || !strcmp(record->event, "listen")) {
		name_peer(peer, record->local_address, record->local_port);
		return in ? "accept" : "listen";
	}
	if (!strcmp(record->event, "end") && !*record->address)
		return NULL;
	name_peer(peer, *record->name ? record->name : record->address, record->port);
	if (!strcmp(record->event, "lookup"))
		return "lookup";
	if (!strcmp(record->event, "socket") || !strcmp(record->event, "task"))
		return record->event;
	return !strcmp(record->protocol, "udp") ? "udp" : "tcp";
}

/* Writes what has refused a call, and why a rule about its name does not count. */
static void describe_refusal(char *by, size_t size, const struct record *record)
{
	size_t len;

	if (*record->by_default)
		snprintf(by, size, "the default");
	else if (*record->rule)
		snprintf(by, size, "rule %.15s", record->rule);
	else
		snprintf(by, size, "%.15s", record->refused_by);
	len = strlen(by);
	if (*record->passed_over)
		snprintf(by + len, size - len,
			 "; line %.15s does not allow the private address %.63s",
			 record->passed_over, record->address);
}

void summary_add(struct summary *summary, const char *line)
{
	char peer[TEXT_MAX];
	struct record record;
	const char *act;
	struct row *row;

	if (!parse(line, &record)) {
		summary->wrong++;
		return;
	}
	if (!strcmp(record.event, "left_out")) {
		summary->left_out += strtoull(record.count, NULL, 10);
		return;
	}
	act = act_of(&record, peer);
	row = act ? find_row(summary, &record, act, peer) : NULL;
	if (!row) {
		summary->left_out += act != NULL;
	} else if (!strcmp(record.event, "end")) {
		row->out += strtoull(record.bytes_out, NULL, 10);
		row->in += strtoull(record.bytes_in, NULL, 10);
	} else if (*record.refused_by) {
		row->refused++;
		describe_refusal(row->by, sizeof(row->by), &record);
	} else if (strcmp(record.result, "OK") != 0) {
		row->failed++;
	} else {
		row->times++;
	}
}

static int width_of(const struct summary *summary, size_t offset, int least, int most)
{
	int width = least;

	for (size_t i = 0; i < summary->nr; i++) {
		int len = (int)strlen((const char *)&summary->rows[i] + offset);

		width = len > width ? len : width;
	}
	return width < most ? width : most;
}

void summary_print(const struct summary *summary, FILE *out)
{
	int program = width_of(summary, offsetof(struct row, program), 7, 20);
	int peer = width_of(summary, offsetof(struct row, peer), 4, 60);

	fprintf(out, "%-*s  %-6s  %-*s  %7s  %7s  %7s  %12s  %12s\n", program, "PROGRAM", "ACT",
		peer, "PEER", "TIMES", "FAILED", "REFUSED", "BYTES OUT", "BYTES IN");
	for (size_t i = 0; i < summary->nr; i++) {
		const struct row *row = &summary->rows[i];

		fprintf(out,
			"%-*s  %-6s  %-*s  %7" PRIu64 "  %7" PRIu64 "  %7" PRIu64 "  %12" PRIu64
			"  %12" PRIu64,
			program, row->program, row->act, peer, row->peer, row->times, row->failed,
			row->refused, row->out, row->in);
		if (*row->by)
			fprintf(out, "  refused by %s", row->by);
		putc('\n', out);
	}
	if (summary->left_out || summary->wrong)
		fprintf(out, "%" PRIu64 " records are missing.\n",
			summary->left_out + summary->wrong);
}
