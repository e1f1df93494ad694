/* SPDX-License-Identifier: Apache-2.0 */
/* power.c - the statements of VSE/POWER, which begin with "* $$" */
#include "vsejob/power.h"

#include <errno.h>
#include <string.h>

#include "vsejob/jecl.h"
#include "vsejob/operands.h"

#define CONTINUATION 72u                 /* counted from 1 */
#define JOB_MAX      (64u * 1024 * 1024) /* bytes of a job, with what the cards need */

/* Where the operands of @text end: at the first blank outside quotes. */
static size_t operands_end(const char *text)
{
	bool quoted = false;
	size_t i;

	for (i = 0; text[i] && (quoted || text[i] != ' '); i++)
		quoted ^= text[i] == '\'';
	return i;
}

/* Adds a card. The operands begin at @from; what stands behind a last comma is a comment. */
static int add(struct cards *cards, char text[static STATEMENT_MAX], const char *from, bool *more)
{
	size_t used = strlen(text), len = strlen(cards->text),
	       skipped = (size_t)(from - cards->text);
	bool marked = len >= CONTINUATION && cards->text[CONTINUATION - 1] != ' ';

	if (len >= CONTINUATION)
		len = CONTINUATION - 1;
	len = len > skipped ? len - skipped : 0;
	if (used + len >= STATEMENT_MAX)
		return cards_fail(cards, "* $$", "the statement is longer than %u bytes",
				  STATEMENT_MAX - 1);
	memcpy(text + used, from, len);
	text[used + len] = '\0';
	len = operands_end(text + used);
	*more = marked || (len && text[used + len - 1] == ',');
	if (*more && len && text[used + len - 1] == ',')
		text[used + len] = '\0';
	return 0;
}

int power_join(struct cards *cards, char text[static STATEMENT_MAX],
	       int (*next)(struct cards *cards, void *data), void *data)
{
	const char *operands = jecl_operands(cards->text);
	size_t len = (size_t)(operands - cards->text);
	bool more;
	int rc;

	memcpy(text, cards->text, len);
	text[len] = '\0';
	rc = add(cards, text, operands, &more);
	while (!rc && more) {
		const char *from;

		rc = next(cards, data);
		if (rc < 0)
			return rc;
		from = cards->text;
		if (rc && jecl_is_statement(from))
			from += strlen(JECL_BEGIN);
		else if (!rc || *from != ' ')
			return cards_fail(cards, "* $$",
					  "the previous line is continued, but no continuation "
					  "follows");
		rc = add(cards, text, from + strspn(from, " "), &more);
	}
	return rc;
}

static const char *read_job(const char *text, char name[static 9])
{
	char copy[STATEMENT_MAX];
	struct operands ops;
	const char *why, *jnm;

	strcpy(copy, text);
	why = operands_split(&ops, copy);
	if (why)
		return why;
	jnm = operands_value(&ops, "JNM");
	if (!jnm && ops.nr && !*ops.item[0].key)
		jnm = ops.item[0].value;
	if (!jnm)
		return NULL;
	snprintf(name, 9, "%s", jnm);
	operands_fold(name);
	return strlen(jnm) > 8 || lfp_check_name(name) < 0
		       ? "JNM= needs a name of 1 to 8 characters"
		       : NULL;
}

const char *power_read(const char *text, enum power_op *op, char name[static 9])
{
	static const struct {
		const char *word;
		enum power_op op;
	} words[] = {
		{"JOB", POWER_JOB},
		{"EOJ", POWER_EOJ},
		{"LST", POWER_IGNORED},
		{"PUN", POWER_IGNORED},
	};
	static char why[80];

	name[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!jecl_is(text, words[i].word))
			continue;
		*op = words[i].op;
		return *op == POWER_EOJ ? NULL : read_job(jecl_operands(text), name);
	}
	snprintf(why, sizeof(why), "'%.40s' is not supported", jecl_word(text));
	return why;
}

static int look_ahead(struct cards *cards, void *data)
{
	return card_peek(cards, data, JOB_MAX);
}

int power_check_job(struct cards *cards)
{
	struct card_peek peek = {0};
	char text[STATEMENT_MAX], name[9];
	int rc;

	while ((rc = look_ahead(cards, &peek)) > 0) {
		enum power_op op = POWER_IGNORED;
		const char *why;

		if (!jecl_is_statement(cards->text))
			continue;
		rc = power_join(cards, text, look_ahead, &peek);
		if (rc < 0)
			return rc;
		why = power_read(text, &op, name);
		if (why)
			return cards_fail(cards, "* $$", "%s", why);
		if (op != POWER_IGNORED)
			return 0;
	}
	return rc;
}
