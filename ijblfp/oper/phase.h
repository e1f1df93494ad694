/* SPDX-License-Identifier: Apache-2.0 */
/* phase.h - IJBLFPOP as a phase of z/VSE: its return codes in a job */
#ifndef IJBLFP_OPER_PHASE_H
#define IJBLFP_OPER_PHASE_H

#include <stdbool.h>

/*
 * vsejob(1) runs ijblfpop under the name of the phase, IJBLFPOP. Its return codes are then in the
 * style of z/VSE's programs, so that // IF and // ON can tell cases apart and only the gravest ends
 * a job. No public page says which case gets which code: the table, also in ijblfpop(8), is this
 * project's.
 */
enum phase_code {
	PHASE_DONE = 0,
	PHASE_NOT_THERE = 4,   /* the instance is not up, or START: it is up already */
	PHASE_NOT_DONE = 8,    /* no path to lfpd, another user's instance, lack of a resource */
	PHASE_STATEMENTS = 12, /* they are wrong or cannot be read */
	PHASE_PARM = 16,       /* it is wrong */
};

/* Is @argv0 the phase, and not the command of the shell? */
bool phase_is(const char *argv0);

/* The return code for an exit code of ijblfpop or SERVER_ALREADY_UP. */
enum phase_code phase_code(int exit_code, bool of_start);

#endif
