/* SPDX-License-Identifier: Apache-2.0 */
/* job-inner.h - the state of a job, shared by the files that run it */
#ifndef VSEJOB_JOB_INNER_H
#define VSEJOB_JOB_INNER_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "vsejob/cards.h"
#include "vsejob/condition.h"
#include "vsejob/job.h"
#include "vsejob/libdef.h"
#include "vsejob/operands.h"
#include "vsejob/symbols.h"

#define ONS_MAX    16u
#define LABEL_MAX  8u
#define TO_THE_END "$EOJ"

/* z/OS's number (MVS JCL Reference, "Nested procedures"); z/VSE's is not public. */
#define PROCEDURE_DEPTH 15u

struct on {
	struct condition condition;
	size_t level;              /* where it stands, and its label is looked for */
	char label[LABEL_MAX + 1]; /* "" is CONTINUE */
};

/* Where cards come from: the stream, or a procedure that the level above calls. */
struct level {
	struct cards cards;
	struct symbols symbols; /* end with the procedure, or with the job */
	FILE *in;               /* NULL: the stream, which is not closed here */
	char name[LFP_PLACE_MAX];
	char procedure[9];
	bool begun;                            /* its first statement has been read */
	char shared[SYMBOLS_MAX][SYMBOL_NAME]; /* parameters whose values go back to the caller */
	size_t nr_shared;
};

struct job {
	struct level level[1 + PROCEDURE_DEPTH];
	size_t nr_calls;     /* procedures that are being read */
	struct cards *cards; /* of the innermost of them, or of the stream */
	bool has_jecl;       /* between * $$ JOB and * $$ EOJ */
	bool skip_power;     /* the job of VSE/POWER is refused: pass over cards up to its end */
	char jnm[9];         /* its name, or "" */
	bool open;           /* between its first statement and /& */
	bool named;          /* with // JOB, which wants a /& */
	char name[9];
	time_t begun;
	unsigned int rc, max_rc;
	bool cancelled, abended;      /* the last step */
	char skip_to[LABEL_MAX + 1];  /* "": nothing is passed over */
	size_t skip_level;            /* where the label is */
	bool skip_one;                /* // IF did not hold */
	struct symbols power_symbols; /* of the job of VSE/POWER */
	struct libdef libdef;
	char sysparm[9];
	char upsi[9]; /* of // UPSI, "" if not given */
	struct on on[ONS_MAX];
	size_t nr_on;
	unsigned int worst; /* of all jobs */
};

/* Notes the error of the card that was read last. Returns -EINVAL. */
int job_wrong(struct job *job, const char *key, const char *why);

/* Skips all cards from here on up to @label of level @level. */
void job_skip(struct job *job, const char *label, size_t level);

/* Reports the noted error and skips the rest of the job. */
void job_fail(struct job *job);

void job_begin(struct job *job, const char *name);
void job_end(struct job *job);
void job_set_rc(struct job *job, unsigned int rc);

/* Returns the value of a symbolic parameter of the job, else of the system, or NULL if it is not
 * set. */
const char *job_symbol(void *job, const char *name);

/* Returns true if @condition holds now. */
bool job_condition_holds(struct job *job, const struct condition *condition);

/* statements.c: run a statement that begins with "//"; 0, or -EINVAL with what is wrong noted. */
int statement_run(struct job *job, char *text);

/* Reports that @what, of the current statement, has no effect. */
void statement_without_effect(struct job *job, const char *what);

/* Returns the symbolic parameters that SETPARM sets at this level. */
struct symbols *job_symbols(struct job *job);

/**
 * job_find_data() - the cards with the data of a step
 * @from:	set to them. A procedure may have them, or else the next one that calls it, or the
 *		stream
 *
 * Return: 1, 0 if there are none, or a negative errno with the reason noted.
 */
int job_find_data(struct job *job, struct cards **from);

/* exec.c: // EXEC, with the cards of data behind it. As statement_run(), or another negative errno.
 */
int exec_run(struct job *job, char *text);

/* procedure.c: // EXEC PROC=name,...: the next cards are those of the procedure. 0, or -EINVAL with
 * what is wrong noted. */
int procedure_call(struct job *job, const struct operands *ops);

/* // PROC name=value,...: the first statement of a procedure. As procedure_call(). */
int procedure_begin(struct job *job, const struct operands *ops);

/* Leaves a procedure whose cards have ended. Returns false if the cards are those of the stream. */
bool procedure_leave(struct job *job);

#endif
