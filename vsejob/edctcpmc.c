/* SPDX-License-Identifier: Apache-2.0 */
/* edctcpmc.c - the source of the LE/C socket multiplexer's table, as EXEC ASMA90 gets it */
#include "vsejob/edctcpmc.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lfp/places.h"
#include "vsejob/operands.h"
#include "vsejob/replace.h"

#define NAME "EDCTCPMC"

struct source {
	bool csect, amode, rmode, end;
};

/* A statement of the assembler about the whole: "EDCTCPMC word operand". 1 if it is one. */
static int take_section(struct source *src, struct cards *cards, char *text)
{
	static const struct {
		const char *word, *operand;
		size_t given;
	} words[] = {
		{"CSECT", "", offsetof(struct source, csect)},
		{"AMODE", "ANY", offsetof(struct source, amode)},
		{"RMODE", "ANY", offsetof(struct source, rmode)},
	};
	char *rest = NULL, *word, *operand;

	if (strncmp(text, NAME " ", strlen(NAME) + 1))
		return 0;
	word = strtok_r(text + strlen(NAME), " ", &rest);
	operand = strtok_r(NULL, " ", &rest);
	for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
		bool *given = (bool *)((char *)src + words[i].given);

		if (strcmp(word, words[i].word))
			continue;
		if (strcmp(operand ? operand : "", words[i].operand))
			return cards_fail(cards, word, "is '%s' and must be '%s'",
					  operand ? operand : "", words[i].operand);
		if (*given)
			return cards_fail(cards, word, "is given twice");
		if (i && !src->csect)
			return cards_fail(cards, word, "comes before CSECT");
		*given = true;
		return 1;
	}
	return cards_fail(cards, word ? word : "", "only CSECT, AMODE and RMODE go with " NAME);
}

static int take_entry(struct edctcpmc *table, struct cards *cards, char *text)
{
	const char *wrong, *sysid, *phase;
	struct operands ops;

	wrong = operands_split(&ops, text);
	if (wrong)
		return cards_fail(cards, "EDCTCPME", "%s", wrong);
	sysid = operands_value(&ops, "SYSID");
	phase = operands_value(&ops, "PHASE");
	if (ops.nr != 2 || !sysid || !phase)
		return cards_fail(cards, "EDCTCPME", "takes SYSID='nn',PHASE='name'");
	if (lfp_check_nn(sysid) < 0)
		return cards_fail(cards, "SYSID", "'%s' is not two digits", sysid);
	if (lfp_check_name(phase) < 0)
		return cards_fail(cards, "PHASE", "'%s' is not a name of a phase", phase);
	for (size_t i = 0; i < table->nr; i++) {
		if (!strcmp(table->entry[i].sysid, sysid))
			return cards_fail(cards, "SYSID", "'%s' is given twice", sysid);
	}
	/* Two digits, each once: it fits. */
	strcpy(table->entry[table->nr].sysid, sysid);
	strcpy(table->entry[table->nr++].phase, phase);
	return 0;
}

static int take_statement(struct edctcpmc *table, struct source *src, struct cards *cards,
			  char *text)
{
	int rc;

	if (*text == '*')
		return 0;
	text += strspn(text, " ");
	if (!*text)
		return 0;
	if (src->end)
		return cards_fail(cards, "", "'%.40s' comes after END", text);
	rc = take_section(src, cards, text);
	if (rc)
		return rc < 0 ? rc : 0;
	if (!strncmp(text, "EDCTCPME ", 9)) {
		if (!src->csect)
			return cards_fail(cards, "EDCTCPME", "comes before CSECT");
		return take_entry(table, cards, text + 9);
	}
	if (!strcmp(text, "END") || !strncmp(text, "END ", 4)) {
		src->end = true;
		return 0;
	}
	return cards_fail(cards, "",
			  "'%.40s' is not a statement of the source " NAME ", the only source that "
			  "EXEC ASMA90 takes",
			  text);
}

/* The statement that begins with the card that was read last. */
static int take_card(struct edctcpmc *table, struct source *src, struct cards *cards)
{
	char text[STATEMENT_MAX];
	int last, line, rc = card_join(cards, text, &line);

	if (rc < 0)
		return rc;
	/* Errors are reported with the first line of the statement. */
	last = cards->line;
	cards->line = line;
	rc = take_statement(table, src, cards, text);
	cards->line = last;
	return rc;
}

int edctcpmc_read(struct edctcpmc *table, struct cards *cards)
{
	struct source src = {0};
	int rc;

	table->nr = 0;
	for (;;) {
		rc = card_read(cards);
		if (rc < 0)
			return rc;
		if (!rc || card_is_control(cards->text))
			break;
		rc = take_card(table, &src, cards);
		if (rc < 0)
			return rc;
	}
	if (rc && strncmp(cards->text, "/*", 2))
		card_put_back(cards);
	if (!src.csect)
		return cards_fail(cards, NAME, "CSECT is missing");
	if (!src.end)
		return cards_fail(cards, "END", "is missing");
	if (!table->nr)
		return cards_fail(cards, "EDCTCPME", "the table has no entry");
	return 0;
}

static void put_table(FILE *out, const void *data)
{
	const struct edctcpmc *table = data;

	for (size_t i = 0; i < table->nr; i++)
		fprintf(out, "%s %s\n", table->entry[i].sysid, table->entry[i].phase);
}

int edctcpmc_install(const struct edctcpmc *table, char *path, size_t size)
{
	char place[LFP_PLACE_MAX];
	int rc = lfp_place_edctcpmc(place);

	snprintf(path, size, "%s", place);
	return rc < 0 ? rc : replace_file(place, put_table, table);
}
