/* SPDX-License-Identifier: Apache-2.0 */
/* ask.c - a question to an instance, and what to say if there is no answer */
#include "lfpd-admin/ask.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lfp/admin.h"
#include "lfp/elsewhere.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/places.h"
#include "lfpd-admin/text.h"

static int __attribute__((format(printf, 4, 5)))
fail(struct ask_error *error, int code, const char *id, const char *fmt, ...)
{
	va_list ap;

	error->id = id;
	error->exit = code;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return -1;
}

/* An instance of this user that is gone may have left its socket. Otherwise the system's was asked.
 */
static bool runs_elsewhere(const char *name)
{
	char file[sizeof("vselfpd/NNNNNNNN/admin")];

	snprintf(file, sizeof(file), "vselfpd/%.8s/admin", name);
	return lfp_elsewhere(file, SOCK_STREAM);
}

int ask(const char *name, const char *request, char **answer, struct ask_error *error)
{
	char place[LFP_PLACE_MAX], why[256];
	int rc = lfp_place_find_lfpd(place, name, "admin");

	if (rc == -EINVAL)
		return fail(
			error, LFP_EXIT_USAGE, "VLFD901E",
			"%s is not a valid instance name: 1 to 8 of A to Z, 0 to 9, $ # @ and _.",
			name);
	if (!rc)
		rc = lfp_admin_ask(place, request, answer);
	if (rc == -ENOENT || rc == -ECONNREFUSED)
		return fail(error, LFP_EXIT_UNAVAILABLE, "VLFD902E",
			    "Instance %s of lfpd is not running.%s", name,
			    runs_elsewhere(name) ? LFP_ELSEWHERE_HINT : "");
	if (rc == -EACCES)
		return fail(error, LFP_EXIT_UNAVAILABLE, "VLFD903E",
			    "Cannot ask instance %s of lfpd at %.200s: %s. Its user and members of "
			    "ADMIN_GROUP may.",
			    name, place, lfp_place_strerror(rc));
	if (rc)
		return fail(error, LFP_EXIT_UNAVAILABLE, "VLFD903E",
			    "Cannot ask instance %s of lfpd at %.200s: %s.", name, place,
			    lfp_place_strerror(rc));
	if (!lfp_admin_value(*answer, "error", why, sizeof(why))) {
		free(*answer);
		text_clean(why);
		return fail(error, LFP_EXIT_UNAVAILABLE, "VLFD904E",
			    "Instance %s of lfpd refuses this: %s.", name, why);
	}
	return 0;
}

void ask_forget(char *answer)
{
	free(answer);
}

int ask_say(const struct ask_error *error)
{
	lfp_msg(error->id, "%s", error->text);
	return error->exit;
}
