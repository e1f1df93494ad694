/* SPDX-License-Identifier: Apache-2.0 */
/* statements.c - the statements of job control, but for EXEC */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "vsejob/job-inner.h"
#include "vsejob/operands.h"

static int op_job(struct job *job, char *text)
{
	char *name = text + strspn(text, " ");

	name[strcspn(name, " ,")] = '\0';
	operands_fold(name);
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
	operands_fold(label);
	return 0;
}

static int op_goto(struct job *job, char *text)
{
	job->skip_level = job->nr_calls;
	return set_label(job, job->skip_to, text, "GOTO");
}

/* Returns true if @word comes next at *@text, and moves *@text behind it. */
static bool take_keyword(char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(*text, word, len) || ((*text)[len] && (*text)[len] != ' '))
		return false;
	*text += len;
	return true;
}

static int op_if(struct job *job, char *text)
{
	struct condition condition;
	const char *why = condition_read(&condition, &text, CONDITION_OF_IF);

	if (why)
		return job_wrong(job, "IF", why);
	if (!take_keyword(&text, "THEN"))
		return job_wrong(job, "IF", "THEN is missing");
	job->skip_one = !job_condition_holds(job, &condition);
	return 0;
}

static int op_on(struct job *job, char *text)
{
	struct on on = {.label = ""};
	const char *why = condition_read(&on.condition, &text, CONDITION_OF_ON);

	if (why)
		return job_wrong(job, "ON", why);
	if (take_keyword(&text, "GOTO")) {
		if (set_label(job, on.label, text, "ON"))
			return -EINVAL;
	} else if (!take_keyword(&text, "CONTINUE")) {
		return job_wrong(job, "ON", "GOTO label or CONTINUE is missing");
	}
	if (job->nr_on == ONS_MAX)
		return job_wrong(job, "ON", "there are more than 16 in the job");
	on.level = job->nr_calls;
	job->on[job->nr_on++] = on;
	return 0;
}

/* Sets up to eight switches to 0 or 1. X leaves a switch unchanged, as does a missing one at the
 * end. */
static int op_upsi(struct job *job, char *text)
{
	size_t len;

	text += strspn(text, " ");
	len = strspn(text, "01Xx");
	if (!len || len >= sizeof(job->upsi) || (text[len] && text[len] != ' '))
		return job_wrong(job, "UPSI", "needs 1 to 8 of 0, 1 and X");
	if (!*job->upsi)
		strcpy(job->upsi, "00000000");
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '0' || text[i] == '1')
			job->upsi[i] = text[i];
	}
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
		return cards_fail(job->cards, "SETPARM SYSTEM", "%s: %s", path,
				  rc == -EBADMSG ? "the file is damaged" : strerror(-rc));
	return 0;
}

/* Returns true if @word is the first operand at *@text, and moves *@text behind it. */
static bool take_scope(char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncasecmp(*text, word, len) || ((*text)[len] != ' ' && (*text)[len] != ','))
		return false;
	*text += len + 1;
	return true;
}

static int op_setparm(struct job *job, char *text)
{
	struct symbols *symbols = job_symbols(job);
	struct operands ops;
	const char *why;
	bool of_system;

	text += strspn(text, " ");
	of_system = take_scope(&text, "SYSTEM");
	if (!of_system && take_scope(&text, "PWRJOB"))
		symbols = &job->power_symbols;
	if (symbols == &job->power_symbols && !job->has_jecl)
		return job_wrong(job, "SETPARM", "PWRJOB needs a job of VSE/POWER, * $$ JOB");
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
		why = symbols_set(symbols, ops.item[i].key, ops.item[i].value);
		if (why)
			return job_wrong(job, ops.item[i].key, why);
	}
	return 0;
}

static int op_option(struct job *job, char *text)
{
	/* z/VSE's options that mean nothing here. */
	static const char others[] =
		" ACANCEL NOACANCEL ALIGN NOALIGN CATAL CLASSTD DECK NODECK DUMP NODUMP EDECK "
		"NOEDECK ERRS NOERRS JCANCEL NOJCANCEL LINK NOLINK LIST NOLIST LISTX NOLISTX LOG "
		"NOLOG LOGSRC NOLOGSRC ONLINE PARSTD PARTDUMP RLD NORLD SCANCEL NOSCANCEL STDLABEL "
		"SXREF NOSXREF SYM NOSYM SYSDUMP NOSYSDUMP SYSDUMPC TERM NOTERM USRLABEL XREF "
		"NOXREF ";
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
		operands_fold(word);
		if (*op->key || !strstr(others, word))
			return cards_fail(job->cards, "OPTION", "'%.40s' is not known",
					  *op->key ? op->key : op->value);
	}
	return 0;
}

static int op_libdef(struct job *job, char *text)
{
	struct operands ops;
	const char *why = operands_split(&ops, text);

	if (!why && libdef_is_for_procedures(&ops))
		why = libdef_set(&job->libdef, &ops);
	else if (!why)
		statement_without_effect(job, "LIBDEF of other members than procedures");
	return why ? job_wrong(job, "LIBDEF", why) : 0;
}

static int op_libdrop(struct job *job, char *text)
{
	struct operands ops;
	const char *why = operands_split(&ops, text);

	if (!why && libdef_is_for_procedures(&ops))
		why = libdef_drop(&job->libdef, &ops);
	else if (!why)
		statement_without_effect(job, "LIBDROP of other members than procedures");
	return why ? job_wrong(job, "LIBDROP", why) : 0;
}

static int op_proc(struct job *job, char *text)
{
	struct operands ops;
	const char *why = operands_split(&ops, text);

	return why ? job_wrong(job, "PROC", why) : procedure_begin(job, &ops);
}

static const struct {
	const char *op;
	int (*run)(struct job *job, char *text);
} statements[] = {
	{"JOB", op_job},         {"EXEC", exec_run}, {"SETPARM", op_setparm},
	{"OPTION", op_option},   {"ON", op_on},      {"IF", op_if},
	{"GOTO", op_goto},       {"UPSI", op_upsi},  {"LIBDEF", op_libdef},
	{"LIBDROP", op_libdrop}, {"PROC", op_proc},
};

/* Statements whose effect has no place on Linux: files, devices, libraries, the console. */
static const char without_effect[] =
	" ASSGN CLOSE DLBL EXTENT ID LIBLIST LISTIO LOG NOLOG PAUSE RESET STDOPT "
	"TLBL ";

/* Statements without which a job would do something else. */
static const char refused[] =
	" DATE DVCDN DVCUP HOLD JCLEXIT LFCB LUCB MTC NPGR PWR QUERY ROD RSTRT SETPFIX SETPRT "
	"SYSDEF UCS VDISK ZONE ";

static bool is_among(const char *list, const char *op)
{
	char word[16];

	snprintf(word, sizeof(word), " %.12s ", op);
	return strstr(list, word) != NULL;
}

void statement_without_effect(struct job *job, const char *what)
{
	lfp_msg("VLFB605I", "%s:%d: %s has no effect here.", job->cards->name, job->cards->line,
		what);
}

static int run_other(struct job *job, const char *op)
{
	if (is_among(without_effect, op)) {
		statement_without_effect(job, op);
		return 0;
	}
	if (is_among(refused, op))
		return job_wrong(job, op, "this statement of z/VSE is not supported");
	return cards_fail(job->cards, "", "'%s' is not a known statement of job control", op);
}

int statement_run(struct job *job, char *text)
{
	char *written = text + 2 + strspn(text + 2, " "), op[41];
	size_t len = strcspn(written, " ");
	struct level *level = &job->level[job->nr_calls];
	int rc;

	snprintf(op, sizeof(op), "%.*s", (int)len, written);
	operands_fold(op);
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (strcmp(op, statements[i].op))
			continue;
		if (!job->open && statements[i].run != op_job)
			job_begin(job, "NO NAME");
		rc = statements[i].run(job, written + len + (written[len] == ' '));
		level->begun = true;
		return rc;
	}
	if (!job->open)
		job_begin(job, "NO NAME");
	level->begun = true;
	return run_other(job, op);
}
