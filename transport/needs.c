/* SPDX-License-Identifier: Apache-2.0 */
/* needs.c - what transports need of the system */
#include "transport/needs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "transport/choice.h"

static bool has_need(const struct transport *transport, const char *what)
{
	for (const char *const *need = transport->needs; need && *need; need++) {
		if (!strcmp(*need, what))
			return true;
	}
	return false;
}

/* Returns true if @what is reported with the chosen transport, or with one before @other. */
static bool is_reported(const struct transport *chosen, const struct transport *other,
			const char *what)
{
	bool found = has_need(chosen, what);

	for (unsigned int i = 0; transport_at(i) != other && !found; i++)
		found = has_need(transport_at(i), what);
	return found;
}

static void report_other(const struct transport *chosen, const struct transport *other,
			 const struct transport_report *report)
{
	char why[TRANSPORT_NEED_TEXT];

	snprintf(why, sizeof(why), "%s is not %s", transport_choice_field(TRANSPORT_LFPD, 0).key,
		 other->name);
	for (const char *const *what = other->needs; *what; what++) {
		if (!is_reported(chosen, other, *what))
			report->line(report->data, TRANSPORT_NEED_NONE, *what, why);
	}
}

void transport_check_needs(const struct transport_settings *settings, uint32_t mtu,
			   const struct transport_report *report)
{
	const struct transport *transport;

	for (unsigned int i = 0; (transport = transport_at(i)); i++) {
		if (!transport->needs)
			continue;
		if (transport == transport_chosen(settings))
			transport->check_needs(settings, mtu, report);
		else
			report_other(transport_chosen(settings), transport, report);
	}
}
