/* SPDX-License-Identifier: Apache-2.0 */
/* would.c - "check --would": what the rules would decide about a call */
#include "lfpd-ctl/commands.h"

#include <string.h>

#include "lfp/log.h"
#include "lfp/options.h"
#include "lfp/places.h"
#include "lfpd-ctl/service.h"

int would_command(char **words)
{
	bool alone = words[0] && !strcmp(words[0], "--rules");
	const char *name = alone ? NULL : words[0], *file = alone ? words[1] : NULL;
	char conf[LFP_PLACE_MAX];
	int rc;

	if (alone && !file) {
		lfp_options_wrong("lfpd-ctl", "--rules needs a FILE");
		return LSB_USAGE;
	}
	words += alone ? 2 : 1;
	if (!*words || strcmp(*words, "--would") != 0 || !words[1]) {
		lfp_options_wrong("lfpd-ctl", "--would and a call are missing");
		return LSB_USAGE;
	}
	if (alone)
		return service_would(file, NULL, file, words + 1);
	if (lfp_check_name(name) < 0) {
		lfp_msg("VLFD828E", "%s is not a valid instance name: 1 to 8 of A-Z 0-9 $ # @ _.",
			name);
		return LSB_USAGE;
	}
	rc = service_any_conf(conf, name);
	return rc ? rc : service_would(name, conf, NULL, words + 1);
}
