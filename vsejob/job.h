/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - a job stream: its statements one after the other */
#ifndef VSEJOB_JOB_H
#define VSEJOB_JOB_H

#include <stdio.h>

/*
 * Theory of operation
 *
 * The cards are read once, from the first to the last, as z/VSE reads SYSRDR. So GOTO goes only
 * forward. The listing, on standard output, shows each statement when it is met, each skipped card
 * with a mark, and the output of the programs. Errors go to standard error.
 *
 * A wrong statement ends its job: the cards up to the end of the job are skipped, and the return
 * code of the job is JOB_RC_WRONG. The end of the job is /&, * $$ EOJ or the next // JOB. The next
 * job follows it, and is called NO NAME without // JOB. A step with a return code of 16 or more
 * also ends the job, unless an // ON applies. The return code of a step that a signal ended is
 * JOB_RC_WRONG.
 */
#define JOB_RC_WRONG 16u

/**
 * job_run_stream() - run every job of a stream
 * @in:		the stream
 * @name:	its name, for messages
 *
 * Return: the greatest return code of all its jobs.
 */
unsigned int job_run_stream(FILE *in, const char *name);

#endif
