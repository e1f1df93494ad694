/* SPDX-License-Identifier: Apache-2.0 */
/* step.h - a step of a job: one program that // EXEC runs */
#ifndef VSEJOB_STEP_H
#define VSEJOB_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct step {
	const char *program; /* as EXEC names it */
	char *parm;          /* its text, changed; NULL: none */
	int sysipt; /* descriptor of the data, at their begin; standard input of the program */
	const char *setparm; /* of the job, "NAME=value,..." */
	const char *sysparm; /* of OPTION; "" if not given */
	const char *upsi;    /* eight of 0 and 1; "" if not given */
};

/* Result of a step. */
struct step_end {
	unsigned int rc; /* return code */
	int signal;      /* 0, or what ended it */
};

/**
 * step_run() - run it and wait for its end
 *
 * The switches of UPSI are COB_SWITCH_0 to COB_SWITCH_7 of its environment, ON or OFF, where
 * GnuCOBOL looks for UPSI-0 to UPSI-7.
 *
 * IJBLFPOP is ijblfpop of this installation under that name, with PARM as its one argument. Any
 * other name is a Linux program. A name with a slash is a path; others are looked for in PATH,
 * unchanged and then in lower case. The program gets the words of PARM as its arguments. It runs
 * under lfp-run, with the environment of the job: no variable of vsejob's own environment chooses
 * its LFP instance.
 *
 * Return: NULL, or what is wrong with PARM or the program, a half-sentence.
 */
const char *step_run(struct step *step, struct step_end *end);

#endif
