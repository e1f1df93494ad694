/* SPDX-License-Identifier: Apache-2.0 */
/* record-journal.c - a record of the log as an entry of systemd's journal */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <syslog.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "lfpd/log/record.h"

#define PREFIX   "VSELFPD_"
#define TEXT_MAX (LOG_NAME_MAX + 40)

/* Control characters would make journalctl show a text as a "blob". */
static void make_plain(char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static const char *value_of(const struct log_fields *fields, const char *key)
{
	for (unsigned int i = 0; i < fields->nr; i++)
		if (!strcmp(fields->of[i].key, key))
			return fields->of[i].value;
	return "";
}

/* "curl connect www.example.org:443 OK", as far as known */
static void put_message(char *text, size_t size, const struct log_fields *fields)
{
	const char *name = value_of(fields, "name"), *port = value_of(fields, "port");
	const char *program = value_of(fields, "program");

	if (!*name)
		name = value_of(fields, "address");
	if (!*name) {
		name = value_of(fields, "local_address");
		port = value_of(fields, "local_port");
	}
	snprintf(text, size, "MESSAGE=%.64s %s%s%s%s%s %s%s", *program ? program : "-",
		 value_of(fields, "event"), *name ? " " : "", name, *port ? ":" : "", port,
		 value_of(fields, "result"), value_of(fields, "count"));
	make_plain(text);
}

int log_record_journal(const struct log_record *record, const char *instance)
{
	char text[LOG_FIELDS_MAX + 4][TEXT_MAX];
	struct iovec parts[LOG_FIELDS_MAX + 4];
	struct log_fields fields;
	int nr = 0;

	log_fields_fill(&fields, record);
	put_message(text[nr++], TEXT_MAX, &fields);
	snprintf(text[nr++], TEXT_MAX, "PRIORITY=%d",
		 record->decision.refused_by ? LOG_NOTICE : LOG_INFO);
	strcpy(text[nr++], "SYSLOG_IDENTIFIER=lfpd");
	snprintf(text[nr++], TEXT_MAX, PREFIX "INSTANCE=%s", instance);
	for (unsigned int i = 0; i < fields.nr; i++, nr++) {
		snprintf(text[nr], TEXT_MAX, PREFIX "%s=%s", fields.of[i].key, fields.of[i].value);
		make_plain(text[nr]);
		for (char *c = text[nr]; *c != '='; c++)
			*c = (char)toupper((unsigned char)*c);
	}
	for (int i = 0; i < nr; i++)
		parts[i] = (struct iovec){text[i], strlen(text[i])};
	return sd_journal_sendv(parts, nr);
}
