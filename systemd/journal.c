/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - messages with fields of their own, where systemd's journal is */
#include "systemd/systemd.h"

#define SD_JOURNAL_SUPPRESS_LOCATION /* a message is known by its id, not by a line of source */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include "lfp/log.h"

#define SOCKET    "/run/systemd/journal/socket"
#define ID_PREFIX "9d5f0c6ae2b74f1b" /* drawn once: these messages are ours */

static const char *program, *fields, *instance;

static bool send_message(int priority, const char *id, const char *text)
{
	char message_id[sizeof(ID_PREFIX) + 16] = "";

	/* libsystemd reports no error without a journal (sd_journal_send(3)). */
	if (access(SOCKET, W_OK))
		return false;
	if (strlen(id) != 8)
		return !sd_journal_send("MESSAGE=%s", text, "PRIORITY=%i", priority,
					"SYSLOG_IDENTIFIER=%s", program, "%s_INSTANCE=%s", fields,
					instance, NULL);
	strcpy(message_id, ID_PREFIX);
	for (size_t i = 0; i < 8; i++)
		snprintf(message_id + sizeof(ID_PREFIX) - 1 + 2 * i, 3, "%02x",
			 (unsigned char)id[i]);
	return !sd_journal_send("MESSAGE=%s", text, "PRIORITY=%i", priority, "SYSLOG_IDENTIFIER=%s",
				program, "%s_INSTANCE=%s", fields, instance, "%s_ID=%s", fields, id,
				"MESSAGE_ID=%s", message_id, NULL);
}

void journal_open(const char *its_program, const char *its_fields, const char *name)
{
	program = its_program;
	fields = its_fields;
	instance = name;
	lfp_log_set_journal(send_message);
}
