/* SPDX-License-Identifier: Apache-2.0 */
/* idna.c - international names in the form of the DNS */
#include "lfpd/policy/idna.h"

#include <idn2.h>
#include <string.h>

static bool is_ascii(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name > 127)
			return false;
	return true;
}

const char *idna_name(char out[static RULES_NAME_MAX], const char *name)
{
	uint8_t *dns = NULL;
	const char *why = NULL;
	int rc;

	if (is_ascii(name))
		return rules_name(out, name, strlen(name)) ? NULL : "it is not valid in the DNS";
	rc = idn2_lookup_u8((const uint8_t *)name, &dns, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (rc != IDN2_OK)
		return idn2_strerror(rc);
	if (!rules_name(out, (const char *)dns, strlen((const char *)dns)))
		why = "it is not valid in the DNS";
	idn2_free(dns);
	return why;
}
