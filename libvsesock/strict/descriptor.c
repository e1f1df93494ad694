/* SPDX-License-Identifier: Apache-2.0 */
/* descriptor.c - rules of descriptors: their owner, MAXSOC, TERMAPI */
#include <stdio.h>

#include "libvsesock/strict/strict.h"

int strict_other_task(int s, int task, bool shared)
{
	char name[32] = "the program outside of all tasks";

	if (task)
		snprintf(name, sizeof(name), "task %d", task);
	if (shared)
		return strict_found(
			STRICT_OTHER_TASK,
			"socket %d belongs to %s; z/VSE needs LFP$CIC=SHARE for it, too", s, name);
	return strict_found(STRICT_OTHER_TASK,
			    "socket %d belongs to %s; it must be given and taken", s, name);
}

int strict_new_descriptor(int s, int maxsoc)
{
	if (maxsoc < 1 || s < maxsoc)
		return 0;
	return strict_found(STRICT_MAXSOC, "descriptor %d is not below MAXSOC, which is %d", s,
			    maxsoc);
}

int strict_select(int n, int max)
{
	if (n <= max)
		return 0;
	return strict_found(STRICT_MAXSOC, "its MAXSOC, %d, is above that of INITAPI, %d", n, max);
}

int strict_mask(int n, int s)
{
	return strict_found(STRICT_MAXSOC, "descriptor %d in a mask is not below its MAXSOC, %d", s,
			    n);
}

void strict_no_term(void)
{
	strict_call("EZA", "at the end");
	(void)strict_found(STRICT_NO_TERM, "the task ends without TERMAPI");
}
