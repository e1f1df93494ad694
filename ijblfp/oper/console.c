/* SPDX-License-Identifier: Apache-2.0 */
/* console.c - the console log, to which LOGALL copies the messages of commands and instances */
#include "ijblfp/oper/console.h"

#include <stdio.h>
#include <string.h>

#include "lfp/log.h"
#include "lfp/places.h"

void console_log(const char *id)
{
	char path[LFP_PLACE_MAX];
	int rc;

	if (!id) {
		lfp_log_also(NULL);
		return;
	}
	rc = lfp_place_console(path);
	if (!rc)
		rc = lfp_place_make_parent(path);
	if (!rc)
		rc = lfp_log_also(path);
	if (rc)
		lfp_msg("VLFB044W", "LOGALL%s%s: cannot write the console log %s: %s.",
			*id ? " of instance " : "", id, path, lfp_place_strerror(rc));
}

void console_text(const char *text)
{
	char line[512];

	while (*text) {
		size_t len = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		lfp_log_also_line(line);
		text += len + (text[len] == '\n');
	}
}
