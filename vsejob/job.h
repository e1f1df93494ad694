/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - a job stream: its statements one after the other */
#ifndef VSEJOB_JOB_H
#define VSEJOB_JOB_H

#include <stdio.h>

/*
 * Theory of operation
 *
 * The cards are read once, from the first to the last, as z/VSE reads SYSRDR: GOTO goes forward
 * only. The listing, on standard output, has each statement as it is met, each card that is passed
 * over, marked so, and what the programs print; errors go to standard error.
 *
 * A statement that is wrong ends its job: the cards up to the end of the job are passed over, and
 * its return code is JOB_RC_WRONG. The end of the job is /&, * $$ EOJ or the next // JOB. What
 * follows it is the next job, NO NAME without // JOB. A step with a return code of 16 or more,
 * unless // ON says something else; that of a step that a signal ends is JOB_RC_WRONG.
 */
#define JOB_RC_WRONG 16u

/**
 * job_run_stream() - run every job of a stream
 * @in:		the stream, @name its name for messages
 *
 * Return: the greatest return code of all its jobs.
 */
unsigned int job_run_stream(FILE *in, const char *name);

#endif
