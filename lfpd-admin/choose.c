/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - the instance that is asked if the command line names none */
#include "lfpd-admin/choose.h"

#include <stdio.h>
#include <string.h>

#include "lfp/exit.h"
#include "lfp/log.h"

int choose_instance(const struct running *found, char name[static 9])
{
	char list[RUNNING_MAX * sizeof("LINR0001, ")];
	size_t used = 0;

	if (found->nr == 1) {
		memcpy(name, found->name[0], sizeof(found->name[0]));
		return LFP_EXIT_OK;
	}
	if (!found->nr) {
		lfp_msg("VLFD913E", "No instance of lfpd is running.");
		return LFP_EXIT_UNAVAILABLE;
	}
	for (size_t i = 0; i < found->nr; i++)
		used += (size_t)sprintf(list + used, "%s%s", i ? ", " : "", found->name[i]);
	lfp_msg("VLFD914E", "Several instances of lfpd are running: %s. Choose one with -i NAME.",
		list);
	return LFP_EXIT_UNAVAILABLE;
}
