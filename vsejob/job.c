/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - a job stream: its jobs, and its cards one after the other */
#include "vsejob/job.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lfp/log.h"
#include "vsejob/job-inner.h"
#include "vsejob/listing.h"

int job_wrong(struct job *job, const char *key, const char *why)
{
	return cards_fail(&job->cards, key, "%s", why);
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
	job->symbols.nr = 0;
	job->sysparm[0] = '\0';
	job->nr_on = 0;
}

/* The job ends while cards are passed over: a label has not come. */
static void look_for_label(struct job *job)
{
	if (!*job->skip_to || !strcmp(job->skip_to, TO_THE_END))
		return;
	lfp_msg("VLFB604E", "%s:%d: label %s of GOTO was not found in the job.", job->cards.name,
		job->cards.line, job->skip_to);
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

/* Reports the noted error and skips the rest of the job. */
static void cancel(struct job *job)
{
	lfp_msg("VLFB601E", "%s.", job->cards.err.text);
	if (!job->open)
		job_begin(job, "NO NAME");
	job_set_rc(job, JOB_RC_WRONG);
	strcpy(job->skip_to, TO_THE_END);
}

/* * $$ JOB, * $$ EOJ and others of POWER. */
static int run_jecl(struct job *job, const char *text)
{
	const char *op = text + 4 + strspn(text + 4, " ");

	if (!strncmp(op, "JOB", 3) && (!op[3] || op[3] == ' ')) {
		if (job->has_jecl)
			return job_wrong(job, "* $$ JOB",
					 "the * $$ EOJ of the previous job is missing");
		job_end(job);
		job->has_jecl = true;
		return 0;
	}
	if (!strcmp(op, "EOJ")) {
		if (!job->has_jecl)
			return job_wrong(job, "* $$ EOJ", "the * $$ JOB before it is missing");
		job_end(job);
		job->has_jecl = false;
		return 0;
	}
	if (!strncmp(op, "LST ", 4) || !strncmp(op, "PUN ", 4))
		return 0;
	return cards_fail(&job->cards, "* $$", "'%.40s' is not known", op);
}

static bool is_job_card(const char *text)
{
	if (strncmp(text, "// ", 3))
		return false;
	text += 3 + strspn(text + 3, " ");
	return !strncmp(text, "JOB", 3) && (!text[3] || text[3] == ' ');
}

/* Returns whether the card is skipped. */
static bool is_skipped(struct job *job, const char *text)
{
	if (!*job->skip_to)
		return false;
	if (!strncmp(text, "/. ", 3) && !strcmp(text + 3 + strspn(text + 3, " "), job->skip_to)) {
		job->skip_to[0] = '\0';
		return false;
	}
	return strncmp(text, "/&", 2) && strncmp(text, "* $$", 4) && !is_job_card(text);
}

/* The statement behind an // IF that does not hold, and its data if it is an EXEC. */
static int skip_statement(struct job *job, const char *text)
{
	int rc = 0;

	job->skip_one = false;
	listing_skipped(text);
	if (strncmp(text + 2 + strspn(text + 2, " "), "EXEC", 4))
		return 0;
	rc = card_data_follows(&job->cards);
	while (rc > 0 && (rc = card_read(&job->cards)) > 0 && !card_is_control(job->cards.text))
		listing_skipped(job->cards.text);
	if (rc > 0 && strncmp(job->cards.text, "/*", 2))
		card_put_back(&job->cards);
	return rc < 0 ? rc : 0;
}

static bool is_statement(const char *text)
{
	return !strncmp(text, "// ", 3);
}

static int run_card(struct job *job)
{
	char text[STATEMENT_MAX];
	int line, rc;

	if (is_skipped(job, job->cards.text)) {
		listing_skipped(job->cards.text);
		return 0;
	}
	rc = card_join(&job->cards, text, &line);
	if (rc < 0)
		return rc;
	if (!strncmp(text, "* $$", 4))
		return run_jecl(job, text);
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
	printf("%s\n", text);
	if (*text == '*' || !strncmp(text, "/*", 2) || !strncmp(text, "/.", 2) || !*text)
		return 0;
	if (!is_statement(text))
		return cards_fail(&job->cards, "",
				  "'%.40s' is not a statement, and no data is read here", text);
	return statement_run(job, text);
}

unsigned int job_run_stream(FILE *in, const char *name)
{
	static struct job job;
	int rc;

	memset(&job, 0, sizeof(job));
	cards_init(&job.cards, in, name);
	while ((rc = card_read(&job.cards)) != 0) {
		if (rc == 1)
			rc = run_card(&job);
		if (rc == -EINVAL) {
			cancel(&job);
		} else if (rc < 0) {
			cards_fail(&job.cards, "", "cannot be read: %s", strerror(-rc));
			cancel(&job);
			break;
		}
	}
	/* An unreadable stream has no known end. */
	if (!rc && (job.has_jecl || (job.open && job.named))) {
		cards_fail(&job.cards, "", "the stream ends before %s",
			   job.has_jecl ? "* $$ EOJ" : "/&");
		cancel(&job);
	}
	job_end(&job);
	cards_finish(&job.cards);
	return job.worst;
}
