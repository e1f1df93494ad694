/* SPDX-License-Identifier: Apache-2.0 */
/* operands.h - the operands of a statement: words and KEY=value, apart by commas */
#ifndef VSEJOB_OPERANDS_H
#define VSEJOB_OPERANDS_H

#include <stddef.h>

/*
 * Operands end at the first blank that is neither in quotes nor in parentheses; what follows is a
 * comment. In quotes '' stands for one.
 */
#define OPERANDS_MAX 32u

struct operand {
	char *key;   /* upper case; "" for a word without '=' */
	char *value; /* without its quotes */
};

struct operands {
	struct operand item[OPERANDS_MAX];
	size_t nr;
};

/**
 * operands_split() - take them apart, in place
 *
 * Return: NULL, or what is wrong, a half-sentence in a static text.
 */
const char *operands_split(struct operands *ops, char *text);

/* Folds @text to upper case. */
void operands_fold(char *text);

/* The value of @key, or NULL. */
const char *operands_value(const struct operands *ops, const char *key);

#endif
