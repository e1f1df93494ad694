/* SPDX-License-Identifier: Apache-2.0 */
/* procedure.c - // EXEC PROC= and // PROC: cards from a procedure */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lfp/log.h"
#include "vsejob/job-inner.h"
#include "vsejob/listing.h"
#include "vsejob/member.h"

/*
 * A procedure is the member NAME.PROC of a library; job control reads it in place of the EXEC, up
 * to "/+" or the end of the member. IBM's page about procedures of z/VSE is not public. The rules
 * of symbolic parameters are those of z/OS's MVS JCL Reference ("Using symbols in nested
 * procedures"): a value of EXEC counts before the default of PROC, both before the value that the
 * caller has, and they end with the procedure.
 *
 * These rules are this project's: values that SETPARM sets in a procedure end with it, too. Only
 * the value of a parameter that EXEC names without a value goes back to the caller. A label is
 * looked for where its GOTO or ON stands. The caller's ON applies in the procedure, too; the
 * procedure's own ON ends with it. A step without data in the procedure takes the data behind EXEC
 * PROC=. OV, for statements that overwrite those of the procedure, is refused.
 */

/* Shares a parameter that EXEC names without a value: the procedure gets the caller's value. */
static const char *share(struct job *job, struct level *level, char *name)
{
	const char *value, *why;

	if (!strcasecmp(name, "OV"))
		return "OV is not supported: statements of a procedure cannot be overwritten";
	operands_fold(name);
	value = job_symbol(job, name);
	why = symbols_set(&level->symbols, name, value ? value : "");
	if (why)
		return why;
	if (level->nr_shared == SYMBOLS_MAX)
		return "too many parameters are named";
	strcpy(level->shared[level->nr_shared++], name);
	return NULL;
}

static const char *take_parameters(struct job *job, struct level *level, const struct operands *ops)
{
	const char *why = NULL;

	for (size_t i = 1; i < ops->nr && !why; i++) {
		const struct operand *op = &ops->item[i];

		why = *op->key ? symbols_set(&level->symbols, op->key, op->value)
			       : share(job, level, op->value);
	}
	return why;
}

int procedure_call(struct job *job, const struct operands *ops)
{
	struct level *level = &job->level[job->nr_calls + 1];
	char *name = ops->item[0].value;
	const char *why;

	if (!member_is_word(name))
		return job_wrong(job, "EXEC", "PROC= needs a name of 1 to 8 characters");
	if (job->nr_calls == PROCEDURE_DEPTH)
		return job_wrong(job, "EXEC", "procedures are nested more than 15 deep");
	memset(level, 0, sizeof(*level));
	strcpy(level->procedure, name);
	why = take_parameters(job, level, ops);
	if (!why)
		why = libdef_open(&job->libdef, name, &level->in, level->name);
	if (why)
		return job_wrong(job, "EXEC", why);
	cards_init_procedure(&level->cards, level->in, level->name);
	job->nr_calls++;
	job->cards = &level->cards;
	return 0;
}

int procedure_begin(struct job *job, const struct operands *ops)
{
	struct level *level = &job->level[job->nr_calls];

	if (!job->nr_calls || level->begun)
		return job_wrong(job, "PROC", "must be the first statement of a procedure");
	for (size_t i = 0; i < ops->nr; i++) {
		const struct operand *op = &ops->item[i];
		const char *why = NULL;

		if (!*op->key)
			return job_wrong(job, "PROC", "an operand is not NAME=value");
		if (!symbols_get(&level->symbols, op->key))
			why = symbols_set(&level->symbols, op->key, op->value);
		if (why)
			return job_wrong(job, op->key, why);
	}
	return 0;
}

/* Copies the values of shared parameters to the caller. */
static void give_back(struct job *job, const struct level *level)
{
	struct symbols *symbols = &job->level[job->nr_calls].symbols;

	for (size_t i = 0; i < level->nr_shared; i++) {
		const char *name = level->shared[i];
		const char *why = symbols_set(symbols, name, symbols_get(&level->symbols, name));

		if (!why)
			continue;
		cards_fail(job->cards, name, "%s", why);
		job_fail(job);
	}
}

/* The procedure ends while its cards are skipped: the label was not found. */
static void look_for_label(struct job *job, const struct level *level)
{
	if (!*job->skip_to || !job->nr_calls || job->skip_level != job->nr_calls)
		return;
	lfp_msg("VLFB606E", "%s: label %s of GOTO was not found in the procedure.", level->name,
		job->skip_to);
	job_set_rc(job, JOB_RC_WRONG);
	job_skip(job, TO_THE_END, 0);
}

bool procedure_leave(struct job *job)
{
	struct level *level = &job->level[job->nr_calls];

	if (!job->nr_calls)
		return false;
	look_for_label(job, level);
	while (job->nr_on && job->on[job->nr_on - 1].level == job->nr_calls)
		job->nr_on--;
	cards_finish(&level->cards);
	fclose(level->in);
	listing_end_procedure(level->procedure);
	job->skip_one = false;
	job->nr_calls--;
	job->cards = &job->level[job->nr_calls].cards;
	give_back(job, level);
	return true;
}
