/* SPDX-License-Identifier: Apache-2.0 */
/* instance.c - which LFP instance a program uses */
#include "lfp/instance.h"

#include <stdlib.h>

#include "lfp/places.h"

const char *lfp_instance(void)
{
	static const char *const own[] = {"LFP$ID", "LFP_ID"};
	static const char *const shared[] = {"SYSID", "SYSPARM"};
	const char *value;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		value = getenv(own[i]);
		if (value && *value)
			return value;
	}
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
		value = getenv(shared[i]);
		if (value && !lfp_check_nn(value))
			return value;
	}
	return "00";
}
