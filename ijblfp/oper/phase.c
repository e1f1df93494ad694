/* SPDX-License-Identifier: Apache-2.0 */
/* phase.c - IJBLFPOP as a phase of z/VSE: its return codes in a job */
#include "ijblfp/oper/phase.h"

#include <string.h>

#include "lfp/exit.h"

bool phase_is(const char *argv0)
{
	return argv0 && !strcmp(argv0, "IJBLFPOP");
}

enum phase_code phase_code(int exit_code, bool of_start)
{
	switch (exit_code) {
	case LFP_EXIT_OK:
		return PHASE_DONE;
	case LFP_EXIT_USAGE:
		return PHASE_PARM;
	case LFP_EXIT_CONFIG:
		return PHASE_STATEMENTS;
	case LFP_EXIT_UNAVAILABLE:
		return of_start ? PHASE_NOT_DONE : PHASE_NOT_THERE;
	default:
		return PHASE_NOT_DONE;
	}
}
