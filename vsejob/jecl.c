/* SPDX-License-Identifier: Apache-2.0 */
/* jecl.c - the parts of a statement of VSE/POWER, "* $$ WORD operands" */
#include "vsejob/jecl.h"

#include <string.h>
#include <strings.h>

bool jecl_is_statement(const char *card)
{
	return !strncmp(card, JECL_BEGIN, strlen(JECL_BEGIN));
}

const char *jecl_word(const char *card)
{
	card += strlen(JECL_BEGIN);
	return card + strspn(card, " ");
}

bool jecl_is(const char *card, const char *word)
{
	const char *op;

	if (!jecl_is_statement(card))
		return false;
	op = jecl_word(card);
	return strcspn(op, " ") == strlen(word) && !strncasecmp(op, word, strlen(word));
}

const char *jecl_operands(const char *card)
{
	const char *op = jecl_word(card);

	op += strcspn(op, " ");
	return op + strspn(op, " ");
}
