/* SPDX-License-Identifier: Apache-2.0 */
/* condition.h - conditions of // IF and // ON on return codes */
#ifndef VSEJOB_CONDITION_H
#define VSEJOB_CONDITION_H

#include <stdbool.h>

/*
 * "$RC op number": $RC is the return code of the last step, $MRC the greatest so far. op is one of
 * = ^= > < >= <= and EQ NE GT LT GE LE, with or without blanks around it; the number 0 to 9999.
 */
enum condition_op {
	CONDITION_EQ,
	CONDITION_NE,
	CONDITION_GT,
	CONDITION_LT,
	CONDITION_GE,
	CONDITION_LE,
};

struct condition {
	bool of_max; /* $MRC */
	enum condition_op op;
	unsigned int number;
};

/* Read one at *@text, which then stands behind it and the blanks. NULL, or what is wrong. */
const char *condition_read(struct condition *condition, char **text);

bool condition_holds(const struct condition *condition, unsigned int rc, unsigned int max_rc);

#endif
