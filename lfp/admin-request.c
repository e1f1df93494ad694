/* SPDX-License-Identifier: Apache-2.0 */
/* admin-request.c - requests of lfpd-admin to lfpd, and their one decoder */
#include "lfp/admin-request.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "lfp/number.h"

static const char *const verbs[] = {
	[LFP_ADMIN_STATUS] = "status",         [LFP_ADMIN_TASKS] = "tasks",
	[LFP_ADMIN_SOCKETS] = "sockets",       [LFP_ADMIN_STATISTICS] = "statistics",
	[LFP_ADMIN_RELOAD] = "reload",         [LFP_ADMIN_TRACE_START] = "trace-start",
	[LFP_ADMIN_TRACE_STOP] = "trace-stop", [LFP_ADMIN_TRACE_STATUS] = "trace-status",
	[LFP_ADMIN_USERS] = "users",           [LFP_ADMIN_LOG] = "log",
	[LFP_ADMIN_RELOAD_CUT] = "reload-cut", [LFP_ADMIN_LIMITS] = "limits",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int find_verb(const char *word, enum lfp_admin_verb *verb)
{
	for (size_t i = 0; i < COUNT(verbs); i++) {
		if (!strcmp(verbs[i], word)) {
			*verb = (enum lfp_admin_verb)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int take_condition(struct lfp_trace_filter *filter, char *word, char why[static 96])
{
	char *equals = strchr(word, '=');

	if (!equals) {
		snprintf(why, 96, "%.60s is not a condition", word);
		return -EINVAL;
	}
	*equals = '\0';
	return lfp_trace_filter_set(filter, word, equals + 1, why);
}

int lfp_admin_decode(char *line, size_t len, struct lfp_admin_request *request, char why[static 96])
{
	char *rest = line, *word;

	/* Checks the whole text before any part of it appears in a message. */
	for (size_t i = 0; i < len; i++) {
		if (line[i] < ' ' || line[i] > '~') {
			snprintf(why, 96, "the request has an unprintable character");
			return -EINVAL;
		}
	}
	memset(request, 0, sizeof(*request));
	lfp_trace_filter_init(&request->filter);
	word = strsep(&rest, " ");
	if (find_verb(word, &request->verb)) {
		snprintf(why, 96, "unknown request");
		return -EINVAL;
	}
	while ((word = strsep(&rest, " "))) {
		if (request->verb == LFP_ADMIN_LOG) {
			if (!strncmp(word, "since=", 6) &&
			    !lfp_number(word + 6, 0, ULONG_MAX, &request->since))
				continue;
			snprintf(why, 96, "%.60s is not since=NUMBER", word);
			return -EINVAL;
		}
		if (request->verb != LFP_ADMIN_TRACE_START) {
			snprintf(why, 96, "%s takes no conditions", verbs[request->verb]);
			return -EINVAL;
		}
		if (take_condition(&request->filter, word, why))
			return -EINVAL;
	}
	return 0;
}

void lfp_admin_encode(const struct lfp_admin_request *request, FILE *out)
{
	const struct lfp_trace_filter *filter = &request->filter;
	bool all = !lfp_trace_names_task(filter) && filter->any_socket && filter->any_kind &&
		   !filter->payload;

	fputs(verbs[request->verb], out);
	if (request->verb == LFP_ADMIN_LOG && request->since)
		fprintf(out, " since=%lu", request->since);
	if (request->verb != LFP_ADMIN_TRACE_START || all)
		return;
	putc(' ', out);
	lfp_trace_filter_print(filter, out);
}
