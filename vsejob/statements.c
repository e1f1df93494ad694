/* SPDX-License-Identifier: Apache-2.0 */
/* statements.c - the statements of job control, but for EXEC */
#include <errno.h>
#include <string.h>

#include "lfp/places.h"
#include "vsejob/job-inner.h"
#include "vsejob/operands.h"

static int op_job(struct job *job, char *text)
{
	char *name = text + strspn(text, " ");

	name[strcspn(name, " ,")] = '\0';
	if (lfp_check_name(name) < 0)
		return job_wrong(job, "JOB", "a name of 1 to 8 characters is missing");
	job_begin(job, name);
	job->named = true;
	return 0;
}

static int set_label(struct job *job, char label[static LABEL_MAX + 1], char *text, const char *key)
{
	size_t len;

	text += strspn(text, " ");
	len = strcspn(text, " ");
	if (!len || len > LABEL_MAX)
		return job_wrong(job, key, "a label of 1 to 8 characters is missing");
	memcpy(label, text, len);
	label[len] = '\0';
	return 0;
}

static int op_goto(struct job *job, char *text)
{
	return set_label(job, job->skip_to, text, "GOTO");
}

static int op_if(struct job *job, char *text)
{
	struct condition condition;
	const char *why = condition_read(&condition, &text);

	if (why)
		return job_wrong(job, "IF", why);
	if (strncmp(text, "THEN", 4) || (text[4] && text[4] != ' '))
		return job_wrong(job, "IF", "THEN is missing");
	job->skip_one = !condition_holds(&condition, job->rc, job->max_rc);
	return 0;
}

static int op_on(struct job *job, char *text)
{
	struct on on = {.label = ""};
	const char *why = condition_read(&on.condition, &text);

	if (why)
		return job_wrong(job, "ON", why);
	if (!strncmp(text, "GOTO ", 5)) {
		if (set_label(job, on.label, text + 5, "ON"))
			return -EINVAL;
	} else if (strncmp(text, "CONTINUE", 8) || (text[8] && text[8] != ' ')) {
		return job_wrong(job, "ON", "GOTO label or CONTINUE is missing");
	}
	if (job->nr_on == ONS_MAX)
		return job_wrong(job, "ON", "there are more than 16 in the job");
	job->on[job->nr_on++] = on;
	return 0;
}

static int set_system(struct job *job, const struct operands *ops)
{
	struct symbols symbols;
	char path[LFP_PLACE_MAX];
	const char *why = NULL;
	size_t i;
	int lock = symbols_lock_system(path, sizeof(path));
	int rc = lock < 0 ? lock : symbols_load_system(&symbols, path, sizeof(path));

	for (i = 0; i < ops->nr && !rc && !why; i++)
		why = symbols_set(&symbols, ops->item[i].key, ops->item[i].value);
	if (!rc && !why)
		rc = symbols_save_system(&symbols, path, sizeof(path));
	symbols_unlock_system(lock);
	if (why)
		return job_wrong(job, ops->item[i - 1].key, why);
	if (rc < 0)
		return cards_fail(&job->cards, "SETPARM SYSTEM", "%s: %s", path,
				  rc == -EBADMSG ? "the file is damaged" : strerror(-rc));
	return 0;
}

static int op_setparm(struct job *job, char *text)
{
	struct operands ops;
	const char *why;
	bool of_system;

	text += strspn(text, " ");
	of_system = !strncmp(text, "SYSTEM", 6) && (text[6] == ' ' || text[6] == ',');
	if (of_system)
		text += 7;
	why = operands_split(&ops, text);
	if (why || !ops.nr)
		return job_wrong(job, "SETPARM", why ? why : "NAME=value is missing");
	for (size_t i = 0; i < ops.nr; i++) {
		if (!*ops.item[i].key)
			return job_wrong(job, "SETPARM", "an operand is not NAME=value");
	}
	if (of_system)
		return set_system(job, &ops);
	for (size_t i = 0; i < ops.nr; i++) {
		why = symbols_set(&job->symbols, ops.item[i].key, ops.item[i].value);
		if (why)
			return job_wrong(job, ops.item[i].key, why);
	}
	return 0;
}

static int op_option(struct job *job, char *text)
{
	/* Those of z/VSE that mean nothing here. */
	static const char others[] =
		" LOG NOLOG DUMP PARTDUMP NODUMP SYSDUMP NOSYSDUMP LIST "
		"NOLIST LINK NOLINK CATAL DECK NODECK XREF NOXREF ERRS NOERRS ";
	struct operands ops;
	const char *why = operands_split(&ops, text);

	if (why || !ops.nr)
		return job_wrong(job, "OPTION", why ? why : "an operand is missing");
	for (size_t i = 0; i < ops.nr; i++) {
		const struct operand *op = &ops.item[i];
		char word[40];

		if (!strcmp(op->key, "SYSPARM")) {
			if (strlen(op->value) >= sizeof(job->sysparm))
				return job_wrong(job, "SYSPARM", "has at most 8 characters");
			strcpy(job->sysparm, op->value);
			continue;
		}
		snprintf(word, sizeof(word), " %.30s ", op->value);
		if (*op->key || !strstr(others, word))
			return cards_fail(&job->cards, "OPTION", "'%.40s' is not known",
					  *op->key ? op->key : op->value);
	}
	return 0;
}

/* Accepted without effect: the statement has no meaning on Linux. */
static int op_nothing(struct job *job, char *text)
{
	(void)job;
	(void)text;
	return 0;
}

static const struct {
	const char *op;
	int (*run)(struct job *job, char *text);
} statements[] = {
	{"JOB", op_job},        {"EXEC", exec_run}, {"SETPARM", op_setparm},
	{"OPTION", op_option},  {"ON", op_on},      {"IF", op_if},
	{"GOTO", op_goto},      {"ID", op_nothing}, {"DLBL", op_nothing},
	{"LIBDEF", op_nothing},
};

int statement_run(struct job *job, char *text)
{
	char *op = text + 2 + strspn(text + 2, " ");
	size_t len = strcspn(op, " ");

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (strlen(statements[i].op) != len || strncmp(op, statements[i].op, len))
			continue;
		if (!job->open && statements[i].run != op_job)
			job_begin(job, "NO NAME");
		return statements[i].run(job, op + len + (op[len] == ' '));
	}
	return cards_fail(&job->cards, "", "'%.*s' is not a known statement of job control",
			  (int)(len < 40 ? len : 40), op);
}
