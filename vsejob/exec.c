/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - // EXEC: a step, its data, and the effect of its return code on the job */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "vsejob/edctcpmc.h"
#include "vsejob/job-inner.h"
#include "vsejob/listing.h"
#include "vsejob/operands.h"
#include "vsejob/step.h"

#define RC_LIMIT   16u /* ends a job, unless an // ON applies */
#define SYSIPT_MAX (16u * 1024 * 1024)

/* Reads the data behind an EXEC, up to the end of data: the standard input of the step. */
static int take_sysipt(struct job *job)
{
	int fd = memfd_create("SYSIPT", MFD_CLOEXEC);
	struct cards *from;
	size_t total = 0;
	FILE *out;
	int rc;

	out = fd < 0 ? NULL : fdopen(dup(fd), "w");
	if (!out) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return cards_fail(job->cards, "SYSIPT", "%s", strerror(-rc)) ? rc : 0;
	}
	rc = job_find_data(job, &from);
	while (rc > 0 && (rc = card_read(from)) > 0) {
		const char *text = from->text;

		if (card_is_control(text)) {
			if (strncmp(text, "/*", 2))
				card_put_back(from);
			break;
		}
		total += strlen(text) + 1;
		if (total > SYSIPT_MAX) {
			rc = cards_fail(from, "SYSIPT", "the data is longer than 16 MiB");
			break;
		}
		fprintf(out, "%s\n", text);
	}
	if (rc < 0)
		job->cards->err = from->err;
	if (fclose(out) && rc >= 0)
		rc = cards_fail(job->cards, "SYSIPT", "%s", strerror(errno));
	if (rc >= 0 && lseek(fd, 0, SEEK_SET) < 0)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

static void note_rc(struct job *job, unsigned int rc)
{
	job_set_rc(job, rc);
	listing_step(rc);
}

/* Applies // ON to the return code of the step that has ended. */
static void look_at_rc(struct job *job)
{
	for (size_t i = job->nr_on; i-- > 0;) {
		const struct on *on = &job->on[i];

		if (job_condition_holds(job, &on->condition)) {
			job_skip(job, on->label, on->level);
			return;
		}
	}
	if (job->rc >= RC_LIMIT)
		job_skip(job, TO_THE_END, 0);
}

/* Collects the parameters for a program; those of the innermost procedure come first. */
static void gather_symbols(const struct job *job, struct symbols *symbols)
{
	symbols->nr = 0;
	for (size_t i = job->nr_calls + 1; i-- > 0;)
		symbols_add(symbols, &job->level[i].symbols);
	symbols_add(symbols, &job->power_symbols);
}

static int run_step(struct job *job, const char *program, char *parm)
{
	static char setparm[SYMBOLS_MAX * (SYMBOL_NAME + SYMBOL_TEXT)];
	static struct symbols symbols;
	struct step step = {.program = program, .parm = parm, .setparm = setparm};
	struct step_end ended;
	int line = job->cards->line;
	const char *why;

	step.sysparm = job->sysparm;
	step.upsi = job->upsi;
	gather_symbols(job, &symbols);
	(void)symbols_print(&symbols, setparm, sizeof(setparm));
	step.sysipt = take_sysipt(job);
	if (step.sysipt < 0)
		return step.sysipt;
	why = step_run(&step, &ended);
	close(step.sysipt);
	if (why) {
		job->cards->line = line;
		return cards_fail(job->cards, program, "%s", why);
	}
	/* SIGINT or SIGTERM comes from outside; after any other signal the step has failed. */
	job->cancelled = ended.signal == SIGINT || ended.signal == SIGTERM;
	job->abended = ended.signal && !job->cancelled;
	if (ended.signal)
		lfp_msg("VLFB602E", "Job %s: %s was ended by signal %d (%s).", job->name, program,
			ended.signal, strsignal(ended.signal));
	note_rc(job, ended.signal ? JOB_RC_WRONG : ended.rc);
	look_at_rc(job);
	return 0;
}

static int assemble(struct job *job)
{
	char path[LFP_PLACE_MAX];
	struct edctcpmc table;
	struct cards *from;
	int rc = job_find_data(job, &from);

	if (rc < 0)
		return rc;
	rc = edctcpmc_read(&table, from);
	if (rc < 0) {
		job->cards->err = from->err;
		return rc;
	}
	rc = edctcpmc_install(&table, path, sizeof(path));
	if (rc < 0)
		return cards_fail(job->cards, "EDCTCPMC", "cannot be installed as %s: %s", path,
				  strerror(-rc));
	lfp_msg("VLFB603I", "The multiplexer's table EDCTCPMC is installed, system ids: %zu.",
		table.nr);
	note_rc(job, 0);
	return 0;
}

/* The operands of // EXEC. */
struct exec {
	const char *program;
	char *parm; /* NULL: none */
	char text[STATEMENT_MAX];
};

/* Several PARM= are one text. */
static void join_parm(struct exec *exec, const char *value)
{
	size_t used = strlen(exec->text);

	snprintf(exec->text + used, sizeof(exec->text) - used, "%s", value);
	exec->parm = exec->text;
}

static int take_operand(struct job *job, struct exec *exec, const struct operand *op)
{
	static const char *const silent[] = {"SIZE", "REAL", "GO"};
	static const char *const told[] = {"OS390", "DSPACE", "TRACE"};
	const char *key = *op->key ? op->key : op->value;

	if (!strcmp(op->key, "PARM")) {
		join_parm(exec, op->value);
		return 0;
	}
	if (!strcmp(op->key, "PROC"))
		return job_wrong(job, "EXEC", "PROC= must be the first operand");
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
		if (!strcasecmp(key, silent[i]))
			return 0;
	}
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		if (strcasecmp(key, told[i]))
			continue;
		statement_without_effect(job, told[i]);
		return 0;
	}
	return cards_fail(job->cards, "EXEC", "'%.40s' is not known", key);
}

static int read_exec(struct job *job, struct exec *exec, struct operands *ops)
{
	const struct operand *first = &ops->item[0];

	if (ops->nr && !*first->key)
		exec->program = first->value;
	else if (ops->nr && !strcmp(first->key, "PGM"))
		exec->program = first->value;
	for (size_t i = exec->program != NULL; i < ops->nr; i++) {
		int rc = take_operand(job, exec, &ops->item[i]);

		if (rc < 0)
			return rc;
	}
	if (!exec->program || !*exec->program)
		return job_wrong(job, "EXEC", "the name of a program is missing");
	return 0;
}

int exec_run(struct job *job, char *text)
{
	struct exec exec = {.program = NULL};
	struct operands ops;
	const char *why = operands_split(&ops, text);
	int rc;

	if (why)
		return job_wrong(job, "EXEC", why);
	if (ops.nr && !strcmp(ops.item[0].key, "PROC"))
		return procedure_call(job, &ops);
	rc = read_exec(job, &exec, &ops);
	if (rc < 0)
		return rc;
	if (!strcasecmp(exec.program, "ASMA90"))
		return assemble(job);
	return run_step(job, exec.program, exec.parm);
}
