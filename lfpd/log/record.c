/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - the forms of a record: a line of JSON, a row for lfpd-admin */
#include "lfpd/log/record.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netdb.h>
#include <string.h>
#include <time.h>

#include "lfpd/log/json.h"

static const char *const events[] = {
	[LOG_TASK] = "task",         [LOG_SOCKET] = "socket", [LOG_LOOKUP] = "lookup",
	[LOG_BIND] = "bind",         [LOG_LISTEN] = "listen", [LOG_CONNECT] = "connect",
	[LOG_SEND] = "send",         [LOG_ACCEPT] = "accept", [LOG_END] = "end",
	[LOG_LEFT_OUT] = "left_out",
};

static const char *const deciders[] = {
	[DECISION_NONE] = "",         [DECISION_RULE] = "rule",
	[DECISION_HOSTID] = "hostid", [DECISION_INTERFACE] = "interface",
	[DECISION_LIMIT] = "limit",
};

static const char *const protocols[] = {"", "tcp", "udp"}, *const directions[] = {"", "out", "in"};

static const char *eai_name(int error)
{
	switch (error) {
	case EAI_AGAIN:
		return "EAI_AGAIN";
	case EAI_BADFLAGS:
		return "EAI_BADFLAGS";
	case EAI_FAIL:
		return "EAI_FAIL";
	case EAI_FAMILY:
		return "EAI_FAMILY";
	case EAI_MEMORY:
		return "EAI_MEMORY";
	case EAI_NODATA:
		return "EAI_NODATA";
	case EAI_NONAME:
		return "EAI_NONAME";
	case EAI_OVERFLOW:
		return "EAI_OVERFLOW";
	case EAI_SERVICE:
		return "EAI_SERVICE";
	case EAI_SOCKTYPE:
		return "EAI_SOCKTYPE";
	case EAI_SYSTEM:
		return "EAI_SYSTEM";
	}
	return "EAI_OTHER";
}

static const char *h_errno_name(int error)
{
	switch (error) {
	case HOST_NOT_FOUND:
		return "HOST_NOT_FOUND";
	case TRY_AGAIN:
		return "TRY_AGAIN";
	case NO_DATA:
		return "NO_DATA";
	}
	return "NO_RECOVERY";
}

const char *log_result(enum log_numbers numbers, int result)
{
	const char *name;

	if (!result)
		return "OK";
	if (numbers == LOG_EAI)
		return eai_name(result);
	if (numbers == LOG_H_ERRNO)
		return h_errno_name(result);
	name = strerrorname_np(result);
	return name ? name : "EUNKNOWN";
}

static void add(struct log_fields *fields, const char *key, const char *value, bool number)
{
	struct log_field *field = &fields->of[fields->nr];
	size_t len = strlen(value);

	if (!len)
		return;
	if (len > sizeof(field->value) - 1)
		len = sizeof(field->value) - 1;
	field->key = key;
	field->number = number;
	memcpy(field->value, value, len);
	field->value[len] = '\0';
	fields->nr++;
}

static void add_number(struct log_fields *fields, const char *key, uint64_t number)
{
	char text[24], *first = text + sizeof(text) - 1;

	/* A line has a dozen of them: snprintf() would take a third of its time. */
	*first = '\0';
	do
		*--first = (char)('0' + number % 10);
	while (number /= 10);
	add(fields, key, first, true);
}

static void add_addr(struct log_fields *fields, const char *key, const char *port_key,
		     const struct lfp_addr *addr)
{
	char text[INET6_ADDRSTRLEN];

	if (addr->family != LFP_AF_INET && addr->family != LFP_AF_INET6)
		return;
	inet_ntop(addr->family == LFP_AF_INET ? AF_INET : AF_INET6, addr->ip, text, sizeof(text));
	add(fields, key, text, false);
	if (addr->port)
		add_number(fields, port_key, addr->port);
}

static void add_time(struct log_fields *fields, uint64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	char text[48], whole[32];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(whole, sizeof(whole), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%06uZ", whole, (unsigned int)(us % 1000000));
	add(fields, "time", text, false);
}

void log_fields_fill(struct log_fields *fields, const struct log_record *record)
{
	char task[8];

	fields->nr = 0;
	add_time(fields, record->time);
	add(fields, "event", events[record->event], false);
	if (record->who.has_task) {
		snprintf(task, sizeof(task), "%02X", record->who.task);
		add(fields, "task", task, false);
	}
	if (record->who.pid)
		add_number(fields, "pid", record->who.pid);
	if (record->who.has_uid)
		add_number(fields, "uid", record->who.uid);
	add(fields, "program", record->who.program, false);
	add(fields, "executable", record->who.executable, false);
	add(fields, "protocol", protocols[record->protocol], false);
	add(fields, "direction", directions[record->direction], false);
	add(fields, "name", record->name, false);
	add_addr(fields, "address", "port", &record->peer);
	add_addr(fields, "local_address", "local_port", &record->local);
	if (record->decision.line)
		add_number(fields, "rule", record->decision.line);
	add(fields, "upstream", record->upstream, false);
	add(fields, "refused_by", deciders[record->decision.refused_by], false);
	if (record->decision.by_default)
		add_number(fields, "by_default", 1);
	if (record->decision.passed_over)
		add_number(fields, "passed_over", record->decision.passed_over);
	if (record->event != LOG_LEFT_OUT)
		add(fields, "result", log_result(record->numbers, record->result), false);
	if (record->has_bytes) {
		add_number(fields, "bytes_out", record->bytes_out);
		add_number(fields, "bytes_in", record->bytes_in);
	}
	if (record->joined)
		add_number(fields, "joined", 1);
	if (record->has_duration)
		add_number(fields, "duration_us", record->duration);
	if (record->has_slowed)
		add_number(fields, "slowed_us", record->slowed);
	if (record->event == LOG_LEFT_OUT)
		add_number(fields, "count", record->count);
}

void log_record_json(const struct log_record *record, const char *instance, FILE *out)
{
	struct log_fields fields;

	log_fields_fill(&fields, record);
	for (unsigned int i = 0; i < fields.nr; i++) {
		const struct log_field *field = &fields.of[i];

		fputs(i ? ",\"" : "{\"", out);
		fputs(field->key, out);
		fputs("\":", out);
		if (field->number)
			fputs(field->value, out);
		else
			log_json_string(field->value, out);
		if (!i) {
			fputs(",\"instance\":", out);
			log_json_string(instance, out);
		}
	}
	fputs("}\n", out);
}

/* In the order of log_fields_fill(). */
static const char *const columns[] = {
	"time",          "event",      "task",      "pid",      "uid",        "program",
	"executable",    "protocol",   "direction", "name",     "address",    "port",
	"local_address", "local_port", "rule",      "upstream", "refused_by", "by_default",
	"passed_over",   "result",     "bytes_out", "bytes_in", "joined",     "duration_us",
	"slowed_us",     "count",
};

const char log_record_columns[] =
	"columns\ttime:s\tevent:s\ttask:s\tpid:n\tuid:n\tprogram:s\texecutable:s\tprotocol:s\tdirection:s\tname:s\taddress:s\t"
	"port:n\tlocal_address:s\tlocal_port:n\trule:n\tupstream:s\trefused_by:s\tby_default:n\tpassed_over:n\tresult:s\tbytes_out:n\t"
	"bytes_in:n\tjoined:n\tduration_us:n\tslowed_us:n\tcount:n\n";

void log_record_row(const struct log_record *record, FILE *out)
{
	struct log_fields fields;
	unsigned int at = 0;

	log_fields_fill(&fields, record);
	fputs("row", out);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		putc('\t', out);
		if (at == fields.nr || strcmp(fields.of[at].key, columns[i]) != 0)
			continue;
		/* A name is the program's; it must not look like another row or column. */
		for (const char *c = fields.of[at].value; *c; c++)
			putc(*c < ' ' || *c > '~' ? '?' : *c, out);
		at++;
	}
	putc('\n', out);
}
