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
	bool has_jecl;   /* between * $$ JOB and * $$ EOJ */
	bool skip_power; /* the job of VSE/POWER is refused: pass over cards up to its end */
	char jnm[9];     /* its name, or "" */
	bool open;       /* between its first statement and /& */
	bool named;      /* with // JOB, which wants a /& */
	char name[9];
	time_t begun;
	unsigned int rc, max_rc;
	bool cancelled, abended;     /* the last step */
	char skip_to[LABEL_MAX + 1]; /* "": nothing is passed over */
	bool skip_one;               /* // IF did not hold */
	struct symbols symbols;
	char sysparm[9];
	char upsi[9]; /* of // UPSI, "" if not given */
	struct on on[ONS_MAX];
	size_t nr_on;
	unsigned int worst; /* of all jobs */
};

/* Note what is wrong with the card that was read last. Returns -EINVAL. */
int job_wrong(struct job *job, const char *key, const char *why);

void job_begin(struct job *job, const char *name);
void job_end(struct job *job);
void job_set_rc(struct job *job, unsigned int rc);

/* The value of a symbolic parameter, of the job or else of the system; NULL: it is not set. */
const char *job_symbol(void *job, const char *name);

/* Does @condition hold now? */
bool job_condition_holds(struct job *job, const struct condition *condition);

/* statements.c: run a statement that begins with "//"; 0, or -EINVAL with what is wrong noted. */
int statement_run(struct job *job, char *text);

/* Tell that @what, of the statement at hand, has no effect. */
void statement_without_effect(struct job *job, const char *what);

/* exec.c: // EXEC, with the cards of data behind it. As statement_run(), or another negative errno.
 */
int exec_run(struct job *job, char *text);

#endif
