/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-job.c - any bytes as cards of a job: all parsers read them, nothing is run */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vsejob/cards.h"
#include "vsejob/condition.h"
#include "vsejob/edctcpmc.h"
#include "vsejob/jecl.h"
#include "vsejob/libdef.h"
#include "vsejob/operands.h"
#include "vsejob/power.h"
#include "vsejob/runtime-options.h"
#include "vsejob/substitute.h"
#include "vsejob/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *value_of(void *data, const char *name)
{
	(void)data;
	return *name == 'A' ? "a value, it's long" : NULL;
}

static void replace_parameters(const char *statement)
{
	const struct substitution how = {.value_of = value_of};
	char text[STATEMENT_MAX];

	if (!substitute(&how, statement, text, sizeof(text)) && strlen(text) >= sizeof(text))
		abort();
}

static void take_apart(const char *statement)
{
	char text[STATEMENT_MAX], *rest = text;
	struct runtime_options options;
	struct condition condition;
	struct symbols symbols = {.nr = 0};
	struct libdef libdef = {.permanent = ""};
	struct operands ops;

	replace_parameters(statement);
	strcpy(text, statement);
	if (!condition_read(&condition, &rest, CONDITION_OF_IF) &&
	    rest - text > (ptrdiff_t)strlen(statement))
		abort();
	strcpy(text, statement);
	if (operands_split(&ops, text))
		return;
	for (size_t i = 0; i < ops.nr; i++)
		(void)symbols_set(&symbols, ops.item[i].key, ops.item[i].value);
	if (!libdef_set(&libdef, &ops) &&
	    (strlen(libdef.temporary) >= LIBDEF_MAX || strlen(libdef.permanent) >= LIBDEF_MAX))
		abort();
	if (ops.nr && !runtime_options_read(&options, ops.item[0].value)) {
		for (size_t i = 0; i < options.nr; i++) {
			if (!strchr(options.variable[i], '='))
				abort();
		}
	}
}

static int next_card(struct cards *cards, void *data)
{
	(void)data;
	return card_read(cards);
}

static int take_jecl(struct cards *cards)
{
	enum power_op op;
	char text[STATEMENT_MAX], name[9];
	int rc = power_join(cards, text, next_card, NULL);

	if (rc < 0)
		return rc;
	if (!power_read(text, &op, name) && op == POWER_JOB)
		rc = power_check_job(cards);
	return rc;
}

static void read_cards(FILE *in, bool is_procedure)
{
	struct edctcpmc table;
	struct cards cards;
	int rc, line;

	if (is_procedure)
		cards_init_procedure(&cards, in, "fuzz");
	else
		cards_init(&cards, in, "fuzz");
	while ((rc = card_read(&cards)) == 1) {
		char text[STATEMENT_MAX];

		if (jecl_is_statement(cards.text)) {
			rc = take_jecl(&cards);
			if (rc < 0)
				break;
			continue;
		}
		if (!strcmp(cards.text, "// EXEC ASMA90"))
			rc = edctcpmc_read(&table, &cards);
		else
			rc = card_join(&cards, text, &line);
		if (rc < 0)
			break;
		if (rc == 0 && strncmp(cards.text, "// EXEC ASMA90", 14)) {
			bool has_data = !strncmp(text, "// EXEC ", 8);

			take_apart(text + strspn(text, "/ "));
			if (has_data)
				rc = card_data_follows(&cards);
			if (rc < 0)
				break;
		}
	}
	cards_finish(&cards);
	if (rc == -EINVAL && (!cards.err.text[0] || strchr(cards.err.text, '\n')))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in;

	if (!size)
		return 0;
	in = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!in)
		abort();
	read_cards(in, false);
	rewind(in);
	read_cards(in, true);
	fclose(in);
	return 0;
}
