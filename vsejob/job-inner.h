/* SPDX-License-Identifier: Apache-2.0 */
/* job-inner.h - what the files about a job share: its state */
#ifndef VSEJOB_JOB_INNER_H
#define VSEJOB_JOB_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "vsejob/cards.h"
#include "vsejob/condition.h"
#include "vsejob/job.h"
#include "vsejob/symbols.h"

#define ONS_MAX    16u
#define LABEL_MAX  8u
#define TO_THE_END "$EOJ"

struct on {
	struct condition condition;
	char label[LABEL_MAX + 1]; /* "" is CONTINUE */
};

struct job {
	struct cards cards;
	bool has_jecl; /* between * $$ JOB and * $$ EOJ */
	bool open;     /* between its first statement and /& */
	bool named;    /* with // JOB, which wants a /& */
	char name[9];
	time_t begun;
	unsigned int rc, max_rc;
	char skip_to[LABEL_MAX + 1]; /* "": nothing is passed over */
	bool skip_one;               /* // IF did not hold */
	struct symbols symbols;
	char sysparm[9];
	struct on on[ONS_MAX];
	size_t nr_on;
	unsigned int worst; /* of all jobs */
};

/* Note what is wrong with the card that was read last. Returns -EINVAL. */
int job_wrong(struct job *job, const char *key, const char *why);

void job_begin(struct job *job, const char *name);
void job_end(struct job *job);
void job_set_rc(struct job *job, unsigned int rc);

/* statements.c: run a statement that begins with "//"; 0, or -EINVAL with what is wrong noted. */
int statement_run(struct job *job, char *text);

/* exec.c: // EXEC, with the cards of data behind it. As statement_run(), or another negative errno.
 */
int exec_run(struct job *job, char *text);

#endif
