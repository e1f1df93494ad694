/* SPDX-License-Identifier: Apache-2.0 */
/* job.c - a job stream: its statements one after the other */
#include "vsejob/job.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "vsejob/cards.h"
#include "vsejob/condition.h"
#include "vsejob/edctcpmc.h"
#include "vsejob/operands.h"
#include "vsejob/step.h"
#include "vsejob/symbols.h"

#define ONS_MAX    16u
#define LABEL_MAX  8u
#define RC_LIMIT   16u /* a job ends at it where no // ON says something else */
#define SYSIPT_MAX (16u * 1024 * 1024)
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
	unsigned int rc, max_rc;
	char skip_to[LABEL_MAX + 1]; /* "": nothing is passed over */
	bool skip_one;               /* // IF did not hold */
	struct symbols symbols;
	char sysparm[9];
	struct on on[ONS_MAX];
	size_t nr_on;
	unsigned int worst; /* of all jobs */
};

static int wrong(struct job *job, const char *key, const char *why)
{
	return cards_fail(&job->cards, key, "%s", why);
}

/* --- begin and end of a job --------------------------------------------------------------- */

static void begin(struct job *job, const char *name)
{
	snprintf(job->name, sizeof(job->name), "%s", name);
	job->open = true;
	job->named = false;
	job->rc = job->max_rc = 0;
	job->skip_to[0] = '\0';
	job->skip_one = false;
	job->symbols.nr = 0;
	job->sysparm[0] = '\0';
	job->nr_on = 0;
}

static void end(struct job *job)
{
	if (!job->open)
		return;
	printf("EOJ %s MAX.RETURN CODE=%04u\n", job->name, job->max_rc);
	if (job->max_rc > job->worst)
		job->worst = job->max_rc;
	job->open = false;
}

static void set_rc(struct job *job, unsigned int rc)
{
	job->rc = rc;
	if (rc > job->max_rc)
		job->max_rc = rc;
}

/* What is wrong has been noted: say it, and pass over the rest of the job. */
static void cancel(struct job *job)
{
	lfp_msg("VLFB601E", "%s.", job->cards.err.text);
	if (!job->open)
		begin(job, "NO NAME");
	set_rc(job, JOB_RC_WRONG);
	strcpy(job->skip_to, TO_THE_END);
}

/* --- statements ---------------------------------------------------------------------------- */

static int op_job(struct job *job, char *text)
{
	char *name = text + strspn(text, " ");

	name[strcspn(name, " ,")] = '\0';
	if (lfp_check_name(name) < 0)
		return wrong(job, "JOB", "a name of 1 to 8 characters is missing");
	end(job);
	begin(job, name);
	job->named = true;
	return 0;
}

static int set_label(struct job *job, char label[static LABEL_MAX + 1], char *text, const char *key)
{
	size_t len;

	text += strspn(text, " ");
	len = strcspn(text, " ");
	if (!len || len > LABEL_MAX)
		return wrong(job, key, "a label of 1 to 8 characters is missing");
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
		return wrong(job, "IF", why);
	if (strncmp(text, "THEN", 4) || (text[4] && text[4] != ' '))
		return wrong(job, "IF", "THEN is missing");
	job->skip_one = !condition_holds(&condition, job->rc, job->max_rc);
	return 0;
}

static int op_on(struct job *job, char *text)
{
	struct on on = {.label = ""};
	const char *why = condition_read(&on.condition, &text);

	if (why)
		return wrong(job, "ON", why);
	if (!strncmp(text, "GOTO ", 5)) {
		if (set_label(job, on.label, text + 5, "ON"))
			return -EINVAL;
	} else if (strncmp(text, "CONTINUE", 8) || (text[8] && text[8] != ' ')) {
		return wrong(job, "ON", "GOTO label or CONTINUE is missing");
	}
	if (job->nr_on == ONS_MAX)
		return wrong(job, "ON", "there are more than 16 in the job");
	job->on[job->nr_on++] = on;
	return 0;
}

static int set_system(struct job *job, const struct operands *ops)
{
	struct symbols symbols;
	char path[LFP_PLACE_MAX];
	const char *why;
	int rc = symbols_load_system(&symbols, path, sizeof(path));

	for (size_t i = 0; i < ops->nr && !rc; i++) {
		why = symbols_set(&symbols, ops->item[i].key, ops->item[i].value);
		if (why)
			return wrong(job, ops->item[i].key, why);
	}
	if (!rc)
		rc = symbols_save_system(&symbols, path, sizeof(path));
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
		return wrong(job, "SETPARM", why ? why : "NAME=value is missing");
	for (size_t i = 0; i < ops.nr; i++) {
		if (!*ops.item[i].key)
			return wrong(job, "SETPARM", "an operand is not NAME=value");
	}
	if (of_system)
		return set_system(job, &ops);
	for (size_t i = 0; i < ops.nr; i++) {
		why = symbols_set(&job->symbols, ops.item[i].key, ops.item[i].value);
		if (why)
			return wrong(job, ops.item[i].key, why);
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
		return wrong(job, "OPTION", why ? why : "an operand is missing");
	for (size_t i = 0; i < ops.nr; i++) {
		const struct operand *op = &ops.item[i];
		char word[40];

		if (!strcmp(op->key, "SYSPARM")) {
			if (strlen(op->value) >= sizeof(job->sysparm))
				return wrong(job, "SYSPARM", "has at most 8 characters");
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

/* Accepted, for what it says means nothing here. */
static int op_nothing(struct job *job, char *text)
{
	(void)job;
	(void)text;
	return 0;
}

/* --- EXEC ---------------------------------------------------------------------------------- */

/* The data behind an EXEC, up to the end of data: standard input of the step. */
static int take_sysipt(struct job *job)
{
	int fd = memfd_create("SYSIPT", MFD_CLOEXEC);
	size_t total = 0;
	FILE *out;
	int rc;

	out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	if (!out) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return cards_fail(&job->cards, "SYSIPT", "%s", strerror(-rc)) ? rc : 0;
	}
	for (bool first = true; (rc = card_read(&job->cards)) > 0; first = false) {
		const char *text = job->cards.text;

		/* Where no data has begun an asterisk is a comment of job control. */
		if (card_is_control(text) || (first && *text == '*')) {
			if (strncmp(text, "/*", 2))
				card_put_back(&job->cards);
			break;
		}
		total += strlen(text) + 1;
		if (total > SYSIPT_MAX) {
			rc = wrong(job, "SYSIPT", "there is more data than 16 MiB");
			break;
		}
		fprintf(out, "%s\n", text);
	}
	if (fclose(out) && rc >= 0)
		rc = cards_fail(&job->cards, "SYSIPT", "%s", strerror(errno));
	if (rc >= 0 && lseek(fd, 0, SEEK_SET) < 0)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

/* The step has ended: what // ON says of its return code. */
static void look_at_rc(struct job *job)
{
	for (size_t i = job->nr_on; i-- > 0;) {
		const struct on *on = &job->on[i];

		if (condition_holds(&on->condition, job->rc, job->max_rc)) {
			strcpy(job->skip_to, on->label);
			return;
		}
	}
	if (job->rc >= RC_LIMIT)
		strcpy(job->skip_to, TO_THE_END);
}

static int run_step(struct job *job, const char *program, char *parm)
{
	static char setparm[SYMBOLS_MAX * (SYMBOL_NAME + SYMBOL_TEXT)];
	struct step step = {.program = program, .parm = parm, .setparm = setparm};
	struct step_end ended;
	int line = job->cards.line;
	const char *why;

	step.sysparm = job->sysparm;
	(void)symbols_print(&job->symbols, setparm, sizeof(setparm));
	step.sysipt = take_sysipt(job);
	if (step.sysipt < 0)
		return step.sysipt;
	why = step_run(&step, &ended);
	close(step.sysipt);
	if (why) {
		job->cards.line = line;
		return cards_fail(&job->cards, program, "%s", why);
	}
	if (ended.signal) {
		lfp_msg("VLFB602E", "Job %s: %s was ended by signal %d (%s).", job->name, program,
			ended.signal, strsignal(ended.signal));
		set_rc(job, JOB_RC_WRONG);
		strcpy(job->skip_to, TO_THE_END);
		return 0;
	}
	set_rc(job, ended.rc);
	look_at_rc(job);
	return 0;
}

static int assemble(struct job *job)
{
	char path[LFP_PLACE_MAX];
	struct edctcpmc table;
	int rc = edctcpmc_read(&table, &job->cards);

	if (rc < 0)
		return rc;
	rc = edctcpmc_install(&table, path, sizeof(path));
	if (rc < 0)
		return cards_fail(&job->cards, "EDCTCPMC", "cannot be installed as %s: %s", path,
				  strerror(-rc));
	lfp_msg("VLFB603I", "The multiplexer's table EDCTCPMC is installed, system ids: %zu.",
		table.nr);
	set_rc(job, 0);
	return 0;
}

static int op_exec(struct job *job, char *text)
{
	const char *why, *program;
	struct operands ops;
	char *parm = NULL;

	why = operands_split(&ops, text);
	if (why)
		return wrong(job, "EXEC", why);
	for (size_t i = 0; i < ops.nr; i++) {
		const struct operand *op = &ops.item[i];

		if (i == 0 && (!*op->key || !strcmp(op->key, "PGM")))
			continue;
		if (!strcmp(op->key, "PARM"))
			parm = op->value;
		else if (strcmp(op->key, "SIZE") && strcmp(op->value, "REAL") &&
			 strcmp(op->value, "GO"))
			return cards_fail(&job->cards, "EXEC", "'%.40s' is not known",
					  *op->key ? op->key : op->value);
	}
	program = ops.nr ? ops.item[0].value : "";
	if (!*program || (*ops.item[0].key && strcmp(ops.item[0].key, "PGM")))
		return wrong(job, "EXEC", "the name of a program is missing");
	if (!strcmp(program, "ASMA90"))
		return assemble(job);
	return run_step(job, program, parm);
}

/* --- the stream ---------------------------------------------------------------------------- */

static const struct {
	const char *op;
	int (*run)(struct job *job, char *text);
} statements[] = {
	{"JOB", op_job},        {"EXEC", op_exec},  {"SETPARM", op_setparm},
	{"OPTION", op_option},  {"ON", op_on},      {"IF", op_if},
	{"GOTO", op_goto},      {"ID", op_nothing}, {"DLBL", op_nothing},
	{"LIBDEF", op_nothing},
};

static int run_statement(struct job *job, char *text)
{
	char *op = text + 2 + strspn(text + 2, " ");
	size_t len = strcspn(op, " ");

	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]); i++) {
		if (strlen(statements[i].op) != len || strncmp(op, statements[i].op, len))
			continue;
		if (!job->open && statements[i].run != op_job)
			begin(job, "NO NAME");
		return statements[i].run(job, op + len + (op[len] == ' '));
	}
	return cards_fail(&job->cards, "", "'%.*s' is no statement of job control that is known",
			  (int)(len < 40 ? len : 40), op);
}

/* * $$ JOB, * $$ EOJ and others of POWER. */
static int run_jecl(struct job *job, const char *text)
{
	const char *op = text + 4 + strspn(text + 4, " ");

	if (!strncmp(op, "JOB", 3) && (!op[3] || op[3] == ' ')) {
		if (job->has_jecl)
			return wrong(job, "* $$ JOB", "the * $$ EOJ before is missing");
		job->has_jecl = true;
		return 0;
	}
	if (!strcmp(op, "EOJ")) {
		if (!job->has_jecl)
			return wrong(job, "* $$ EOJ", "the * $$ JOB before is missing");
		end(job);
		job->has_jecl = false;
		return 0;
	}
	if (!strncmp(op, "LST ", 4) || !strncmp(op, "PUN ", 4))
		return 0;
	return cards_fail(&job->cards, "* $$", "'%.40s' is not known", op);
}

/* Is the card passed over? */
static bool is_skipped(struct job *job, const char *text)
{
	if (!*job->skip_to)
		return false;
	if (!strncmp(text, "/. ", 3) && !strcmp(text + 3 + strspn(text + 3, " "), job->skip_to)) {
		job->skip_to[0] = '\0';
		return true;
	}
	return strncmp(text, "/&", 2) && strncmp(text, "* $$", 4) && strncmp(text, "// JOB ", 7);
}

/* The statement behind an // IF that does not hold, and its data if it is an EXEC. */
static int skip_statement(struct job *job, const char *text)
{
	int rc = 0;

	job->skip_one = false;
	if (strncmp(text + 2 + strspn(text + 2, " "), "EXEC", 4))
		return 0;
	while ((rc = card_read(&job->cards)) > 0 && !card_is_control(job->cards.text))
		;
	if (rc > 0 && strncmp(job->cards.text, "/*", 2))
		card_put_back(&job->cards);
	return rc < 0 ? rc : 0;
}

static int run_card(struct job *job)
{
	char text[STATEMENT_MAX];
	int line, rc;

	if (is_skipped(job, job->cards.text))
		return 0;
	rc = card_join(&job->cards, text, &line);
	if (rc < 0)
		return rc;
	if (!strncmp(text, "* $$", 4))
		return run_jecl(job, text);
	if (!strncmp(text, "/&", 2)) {
		if (*job->skip_to && strcmp(job->skip_to, TO_THE_END)) {
			lfp_msg("VLFB604E", "%s:%d: label %s of GOTO was not found in the job.",
				job->cards.name, line, job->skip_to);
			set_rc(job, JOB_RC_WRONG);
		}
		end(job);
		return 0;
	}
	printf("%s\n", text);
	if (*text == '*' || !strncmp(text, "/*", 2) || !strncmp(text, "/.", 2) || !*text)
		return 0;
	if (strncmp(text, "// ", 3))
		return cards_fail(&job->cards, "",
				  "'%.40s' is no statement, and no data is read here", text);
	if (job->skip_one)
		return skip_statement(job, text);
	return run_statement(job, text);
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
	if (job.has_jecl || (job.open && job.named)) {
		bool without = !*job.skip_to || strcmp(job.skip_to, TO_THE_END);

		cards_fail(&job.cards, "", "the stream ends, and %s is missing",
			   job.has_jecl ? "* $$ EOJ" : "/&");
		if (without || job.has_jecl)
			lfp_msg("VLFB601E", "%s.", job.cards.err.text);
		if (!job.open)
			begin(&job, "NO NAME");
		set_rc(&job, JOB_RC_WRONG);
	}
	end(&job);
	return job.worst;
}
