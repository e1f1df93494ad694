/* SPDX-License-Identifier: Apache-2.0 */
/* jecl.h - the parts of a statement of VSE/POWER, "* $$ WORD operands" */
#ifndef VSEJOB_JECL_H
#define VSEJOB_JECL_H

#include <stdbool.h>

#define JECL_BEGIN "* $$"

bool jecl_is_statement(const char *card);

/* Is it the statement @word, in any case? */
bool jecl_is(const char *card, const char *word);

/* The statement from its word on, and from its operands on. */
const char *jecl_word(const char *card);
const char *jecl_operands(const char *card);

#endif
