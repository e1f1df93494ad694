/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - a job stream: its jobs, and its cards one after the other */
#include "vsejob/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "vsejob/jecl.h"
#include "vsejob/job-inner.h"
#include "vsejob/listing.h"
#include "vsejob/power.h"
#include "vsejob/substitute.h"

int job_wrong(struct job *job, const char *key, const char *why)
{
	return cards_fail(job->cards, key, "%s", why);
}

void job_skip(struct job *job, const char *label, size_t level)
{
	snprintf(job->skip_to, sizeof(job->skip_to), "%s", label);
	job->skip_level = level;
}

struct symbols *job_symbols(struct job *job)
{
	return &job->level[job->nr_calls].symbols;
}

int job_find_data(struct job *job, struct cards **from)
{
	for (size_t i = job->nr_calls + 1; i-- > 0;) {
		int rc;

		*from = &job->level[i].cards;
		rc = card_data_follows(*from);
		if (rc < 0 && *from != job->cards)
			job->cards->err = (*from)->err;
		if (rc)
			return rc;
	}
	return 0;
}

void job_begin(struct job *job, const char *name)
{
	snprintf(job->name, sizeof(job->name), "%s", name);
	job->open = true;
	job->named = false;
	job->begun = time(NULL);
	job->rc = job->max_rc = 0;
	job->skip_to[0] = '\0';
	job->skip_one = false;
	job->level[0].symbols.nr = 0;
	libdef_end_job(&job->libdef);
	job->sysparm[0] = '\0';
	job->upsi[0] = '\0';
	job->cancelled = job->abended = false;
	job->nr_on = 0;
}

/* Reports a job that ends while cards are skipped: the label was not found. */
static void look_for_label(struct job *job)
{
	if (!*job->skip_to || !strcmp(job->skip_to, TO_THE_END))
		return;
	lfp_msg("VLFB604E", "%s:%d: label %s of GOTO was not found in the job.", job->cards->name,
		job->cards->line, job->skip_to);
	job_set_rc(job, JOB_RC_WRONG);
}

void job_end(struct job *job)
{
	if (!job->open)
		return;
	look_for_label(job);
	listing_end(job->name, job->max_rc, job->begun, time(NULL));
	if (job->max_rc > job->worst)
		job->worst = job->max_rc;
	job->open = false;
	job->skip_one = false;
	job->skip_to[0] = '\0';
}

void job_set_rc(struct job *job, unsigned int rc)
{
	job->rc = rc;
	if (rc > job->max_rc)
		job->max_rc = rc;
}

void job_fail(struct job *job)
{
	lfp_msg("VLFB601E", "%s.", job->cards->err.text);
	if (!job->open)
		job_begin(job, job->skip_power && *job->jnm ? job->jnm : "NO NAME");
	job_set_rc(job, JOB_RC_WRONG);
	job_skip(job, TO_THE_END, 0);
}

/* Refuses the whole job, because a statement of VSE/POWER cannot be run. */
static int refuse(struct job *job, const char *why)
{
	job->skip_power = job->has_jecl;
	return job_wrong(job, "* $$", why);
}

/* A statement of VSE/POWER lacks its continuation; the card that was read last is another one. */
static void refuse_joined(struct job *job, bool is_job, int line)
{
	if (is_job) {
		job_end(job);
		job->has_jecl = true;
		job->jnm[0] = '\0';
	}
	job->skip_power = job->has_jecl;
	if (job->cards->given != line)
		card_put_back(job->cards);
}

static int begin_power_job(struct job *job, const char *name)
{
	int rc;

	if (job->has_jecl)
		return refuse(job, "the * $$ EOJ of the previous job is missing");
	job_end(job);
	job->has_jecl = true;
	strcpy(job->jnm, name);
	job->power_symbols.nr = 0;
	rc = power_check_job(job->cards);
	job->skip_power = rc == -EINVAL;
	return rc;
}

/* The end of a job of VSE/POWER, also of one that is refused. */
static void end_power_job(struct job *job)
{
	job_end(job);
	job->has_jecl = job->skip_power = false;
	job->power_symbols.nr = 0;
	job->jnm[0] = '\0';
}

static int run_power(struct job *job, const char *text)
{
	enum power_op op = POWER_IGNORED;
	char name[9];
	const char *why = power_read(text, &op, name);

	if (why)
		return refuse(job, why);
	if (op == POWER_JOB)
		return begin_power_job(job, name);
	if (op == POWER_IGNORED)
		return 0;
	if (!job->has_jecl)
		return refuse(job, "the * $$ JOB before * $$ EOJ is missing");
	end_power_job(job);
	return 0;
}

/* Handles a card of a job of VSE/POWER that is refused. Returns true if the card is skipped. */
static bool skip_in_power_job(struct job *job, const char *text)
{
	if (jecl_is(text, "JOB"))
		end_power_job(job);
	else if (!jecl_is(text, "EOJ") && !jecl_is_statement(text))
		listing_skipped(text);
	return !jecl_is(text, "JOB") && !jecl_is(text, "EOJ");
}

static bool is_job_card(const char *text)
{
	if (strncmp(text, "// ", 3))
		return false;
	text += 3 + strspn(text + 3, " ");
	return !strncasecmp(text, "JOB", 3) && (!text[3] || text[3] == ' ');
}

/* Is it the line of the label that the job goes on at? */
static bool is_label(const char *text, const char *label)
{
	if (strncmp(text, "/. ", 3))
		return false;
	text += 3 + strspn(text + 3, " ");
	return strcspn(text, " ") == strlen(label) && !strncasecmp(text, label, strlen(label));
}

/* Returns whether the card is skipped. */
static bool is_skipped(struct job *job, const char *text)
{
	if (!*job->skip_to)
		return false;
	if (job->skip_level == job->nr_calls && is_label(text, job->skip_to)) {
		job->skip_to[0] = '\0';
		return false;
	}
	/* A procedure has no end of a job. */
	if (job->nr_calls)
		return true;
	return strncmp(text, "/&", 2) && strncmp(text, "* $$", 4) && !is_job_card(text);
}

/* Skips the statement behind an // IF that does not hold, and the data if that is an EXEC. */
static int skip_statement(struct job *job, const char *text)
{
	struct cards *from;
	int rc = 0;

	job->skip_one = false;
	listing_skipped(text);
	if (strncasecmp(text + 2 + strspn(text + 2, " "), "EXEC", 4))
		return 0;
	rc = job_find_data(job, &from);
	while (rc > 0 && (rc = card_read(from)) > 0 && !card_is_control(from->text))
		listing_skipped(from->text);
	if (rc > 0 && strncmp(from->text, "/*", 2))
		card_put_back(from);
	return rc < 0 ? rc : 0;
}

static bool is_statement(const char *text)
{
	return !strncmp(text, "// ", 3);
}

const char *job_symbol(void *data, const char *name)
{
	static struct symbols of_system;
	struct job *job = data;
	const char *value = NULL;
	char path[LFP_PLACE_MAX];

	for (size_t i = job->nr_calls + 1; i-- > 0 && !value;)
		value = symbols_get(&job->level[i].symbols, name);
	if (!value)
		value = symbols_get(&job->power_symbols, name);
	if (!value && !symbols_load_system(&of_system, path, sizeof(path)))
		value = symbols_get(&of_system, name);
	return value;
}

bool job_condition_holds(struct job *job, const struct condition *condition)
{
	const struct condition_facts facts = {
		.rc = job->rc,
		.max_rc = job->max_rc,
		.cancelled = job->cancelled,
		.abended = job->abended,
		.value_of = job_symbol,
		.data = job,
	};

	return condition_holds(condition, &facts);
}

/* A statement with its symbolic parameters replaced, as the listing shows it. */
static int run_statement(struct job *job, const char *written)
{
	const struct substitution how = {.value_of = job_symbol, .data = job};
	char text[STATEMENT_MAX];
	const char *why = substitute(&how, written, text, sizeof(text));

	printf("%s\n", why ? written : text);
	return why ? job_wrong(job, "", why) : statement_run(job, text);
}

static int next_card(struct cards *cards, void *data)
{
	(void)data;
	return card_read(cards);
}

/* The statement that begins with the card that was read last. */
static int join(struct job *job, char text[static STATEMENT_MAX])
{
	bool is_job = jecl_is(job->cards->text, "JOB");
	int rc, line = job->cards->line;

	if (!jecl_is_statement(job->cards->text) || job->nr_calls)
		return card_join(job->cards, text, &line);
	rc = power_join(job->cards, text, next_card, NULL);
	if (rc == -EINVAL)
		refuse_joined(job, is_job, line);
	return rc;
}

/* A card that a procedure must not have, or 0. */
static int refuse_in_procedure(struct job *job)
{
	const char *text = job->cards->text;

	if (!job->nr_calls || (strncmp(text, "/&", 2) && !is_job_card(text)))
		return 0;
	printf("%s\n", text);
	return job_wrong(job, "", "a procedure must not contain // JOB or /&");
}

static int run_card(struct job *job)
{
	char text[STATEMENT_MAX];
	int rc;

	if (job->skip_power && skip_in_power_job(job, job->cards->text))
		return 0;
	if (is_skipped(job, job->cards->text)) {
		listing_skipped(job->cards->text);
		return 0;
	}
	rc = refuse_in_procedure(job);
	if (!rc)
		rc = join(job, text);
	if (rc < 0)
		return rc;
	if (jecl_is_statement(text) && !job->nr_calls)
		return run_power(job, text);
	if (!strncmp(text, "/&", 2)) {
		job_end(job);
		return 0;
	}
	if (is_job_card(text)) {
		job_end(job);
		listing_job(text, time(NULL));
		return statement_run(job, text);
	}
	if (job->skip_one && is_statement(text))
		return skip_statement(job, text);
	if (is_statement(text))
		return run_statement(job, text);
	printf("%s\n", text);
	if (jecl_is_statement(text))
		statement_without_effect(job, "* $$ in a procedure");
	if (*text == '*' || !strncmp(text, "/*", 2) || !strncmp(text, "/.", 2) || !*text)
		return 0;
	return cards_fail(job->cards, "", "'%.40s' is not a statement, and no data is read here",
			  text);
}

unsigned int job_run_stream(FILE *in, const char *name)
{
	static struct job job;
	int rc;

	memset(&job, 0, sizeof(job));
	job.cards = &job.level[0].cards;
	cards_init(job.cards, in, name);
	while ((rc = card_read(job.cards)) != 0 || procedure_leave(&job)) {
		if (rc == 1)
			rc = run_card(&job);
		if (rc == -EINVAL) {
			job_fail(&job);
		} else if (rc < 0) {
			cards_fail(job.cards, "", "cannot be read: %s", strerror(-rc));
			job_fail(&job);
			if (!procedure_leave(&job))
				break;
		}
	}
	/* An unreadable stream has no known end. */
	if (!rc && (job.has_jecl || (job.open && job.named))) {
		cards_fail(job.cards, "", "the stream ends before %s",
			   job.has_jecl ? "* $$ EOJ" : "/&");
		job_fail(&job);
	}
	job_end(&job);
	cards_finish(job.cards);
	return job.worst;
}
