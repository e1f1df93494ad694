/* SPDX-License-Identifier: Apache-2.0 */
/* needs.c - what transports need of the system */
#include "transport/needs.h"

#include <stdio.h>

#include "transport/choice.h"

static void report_other(const struct transport *other, const struct transport_report *report)
{
	char why[TRANSPORT_NEED_TEXT];

	snprintf(why, sizeof(why), "%s is not %s", transport_choice_field(TRANSPORT_LFPD, 0).key,
		 other->name);
	for (const char *const *what = other->needs; *what; what++)
		report->line(report->data, TRANSPORT_NEED_NONE, *what, why);
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
			report_other(transport, report);
	}
}
