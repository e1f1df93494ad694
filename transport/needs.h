/* SPDX-License-Identifier: Apache-2.0 */
/* needs.h - what transports need of the system */
#ifndef TRANSPORT_NEEDS_H
#define TRANSPORT_NEEDS_H

#include <stdint.h>

#include "transport/settings.h"

enum transport_need {
	TRANSPORT_NEED_MET,
	TRANSPORT_NEED_MISSING,
	TRANSPORT_NEED_REQUIRED, /* missing, too, but the path is possible without it */
	TRANSPORT_NEED_NONE,     /* the transport does not need it with these settings */
};

#define TRANSPORT_NEED_TEXT 256

/* Gets a line for each need. @text says what is there, what to do, or why it is not needed. */
struct transport_report {
	void (*line)(void *data, enum transport_need need, const char *what, const char *text);
	void *data;
};

/* Reports the needs of all transports of lfpd. Only those of the chosen one are looked for; @mtu is
 * that of the path, bytes. */
void transport_check_needs(const struct transport_settings *settings, uint32_t mtu,
			   const struct transport_report *report);

#endif
