/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c - settings of transports by their keys */
#include "tests/transport/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <string.h>

void settings_set(struct transport_settings *settings, const char *key, const char *value)
{
	const struct lfp_field *field = NULL;
	struct lfp_field fields[32];
	char reason[128];

	for (enum transport_side side = 0; side < TRANSPORT_SIDES && !field; side++) {
		size_t nr = transport_fields(side, 0, fields, 32);

		assert_in_range(nr, 1, 32);
		field = lfp_fields_find(fields, nr, key);
	}
	assert_non_null(field);
	if (!*value)
		memset((char *)settings + field->offset, 0, 1);
	else if (lfp_field_set(field, settings, value, reason, sizeof(reason)))
		fail_msg("%s: %s", key, reason);
}

void settings_init(struct transport_settings *settings)
{
	transport_settings_init(settings, TRANSPORT_LFPD);
	settings_set(settings, "ShmRingSize", "256K");
	settings_set(settings, "SHM_POLL", "0");
}
