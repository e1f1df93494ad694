/* SPDX-License-Identifier: Apache-2.0 */
/* power.h - the statements of VSE/POWER, which begin with "* $$" */
#ifndef VSEJOB_POWER_H
#define VSEJOB_POWER_H

#include "vsejob/cards.h"

/*
 * A statement goes on in the next card if its operands end with a comma, or if column 72 is not
 * blank. The next card begins with "* $$", too, or with blanks. IBM's page about it is not public:
 * these are the forms in use.
 */
enum power_op {
	POWER_JOB,
	POWER_EOJ,
	POWER_IGNORED, /* LST and PUN: there is no spool */
};

/* Joins the statement that begins with the card in cards->text. @next gets its next cards: it is
 * card_read(), or looks ahead. Returns 0 or a negative errno. */
int power_join(struct cards *cards, char text[static STATEMENT_MAX],
	       int (*next)(struct cards *cards, void *data), void *data);

/* Sets the operation of the statement, and the name from JNM= of * $$ JOB, else "". Returns NULL,
 * or the error as a half-sentence. */
const char *power_read(const char *text, enum power_op *op, char name[static 9]);

/* Checks the statements up to * $$ EOJ, because VSE/POWER reads a whole job before it runs. Returns
 * 0 or a negative errno; -EINVAL with the reason in cards->err. */
int power_check_job(struct cards *cards);

#endif
