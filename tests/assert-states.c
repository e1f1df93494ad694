/* SPDX-License-Identifier: Apache-2.0 */
/* assert-states.c - a change of state that is not in its table aborts */
#include <stdio.h>
#include <stdlib.h>

#include "lfp/transition.h"

static void abort_with(const char *text)
{
	(void)fprintf(stderr, "%s\n", text);
	abort();
}

__attribute__((constructor)) static void assert_states(void)
{
	lfp_transition_set_reporter(abort_with);
}
