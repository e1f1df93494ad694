/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - conditions of // IF and // ON */
#ifndef VSEJOB_CONDITION_H
#define VSEJOB_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

/*
 * // IF tests "the value of the last return code, the maximum return code found so far during this
 * job, or the value of parameters" (SG24-2043, 4.3.10.9):
 *
 *	$RC op number, $MRC op number	the number 0 to 9999
 *	NAME op value			a parameter of SETPARM and a text; one that is not set
 *					is empty (ours); quotes around the text as in operands
 *
 * // ON tests $RC and $MRC, and $CANCEL and $ABEND alone: the step was cancelled, or has ended
 * abnormally. op is one of = ^= > < >= <= and EQ NE GT LT GE LE, with or without blanks around it.
 * Several comparisons are joined by AND or &, OR or |; AND binds closer (ours). Texts compare as in
 * EBCDIC, the shorter one with blanks behind it: blank, other characters, small letters, letters,
 * digits.
 */
#define CONDITION_MAX   8u  /* comparisons */
#define CONDITION_NAME  9u  /* with the NUL */
#define CONDITION_VALUE 51u /* with the NUL */

enum condition_of { CONDITION_OF_IF, CONDITION_OF_ON };

enum comparison_of {
	COMPARE_RC,
	COMPARE_MRC,
	COMPARE_NAME,
	COMPARE_CANCEL,
	COMPARE_ABEND,
};

enum condition_op {
	CONDITION_EQ,
	CONDITION_NE,
	CONDITION_GT,
	CONDITION_LT,
	CONDITION_GE,
	CONDITION_LE,
};

struct comparison {
	bool or_before; /* joined by OR to those before it */
	enum comparison_of of;
	enum condition_op op;
	unsigned int number;
	char name[CONDITION_NAME];
	char value[CONDITION_VALUE];
};

struct condition {
	struct comparison item[CONDITION_MAX];
	size_t nr;
};

/* What conditions are about: the last step and the job. */
struct condition_facts {
	unsigned int rc, max_rc;
	bool cancelled, abended;
	const char *(*value_of)(void *data, const char *name); /* NULL: it is not set */
	void *data;
};

/* Read one at *@text, which then stands behind it and the blanks. NULL, or what is wrong. */
const char *condition_read(struct condition *condition, char **text, enum condition_of of);

bool condition_holds(const struct condition *condition, const struct condition_facts *facts);

#endif
