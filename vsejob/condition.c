/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - conditions of // IF and // ON on return codes */
#include "vsejob/condition.h"

#include <string.h>
#include <strings.h>

#include "lfp/number.h"

#define NUMBER_MAX 9999

static void skip_blanks(char **text)
{
	*text += strspn(*text, " ");
}

static bool take_word(char **text, const char *word)
{
	if (strncasecmp(*text, word, strlen(word)))
		return false;
	*text += strlen(word);
	skip_blanks(text);
	return true;
}

const char *condition_read(struct condition *condition, char **text)
{
	/* Those that begin another one come after it. */
	static const struct {
		const char *text;
		enum condition_op op;
	} ops[] = {
		{">=", CONDITION_GE}, {"<=", CONDITION_LE}, {"^=", CONDITION_NE},
		{"=", CONDITION_EQ},  {">", CONDITION_GT},  {"<", CONDITION_LT},
		{"EQ", CONDITION_EQ}, {"NE", CONDITION_NE}, {"GT", CONDITION_GT},
		{"LT", CONDITION_LT}, {"GE", CONDITION_GE}, {"LE", CONDITION_LE},
	};
	unsigned long number;
	char digits[8];
	size_t i, len;

	skip_blanks(text);
	condition->of_max = take_word(text, "$MRC");
	if (!condition->of_max && !take_word(text, "$RC"))
		return "a condition must begin with $RC or $MRC";
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && !take_word(text, ops[i].text); i++)
		;
	if (i == sizeof(ops) / sizeof(ops[0]))
		return "= ^= > < >= <= EQ NE GT LT GE or LE is missing";
	condition->op = ops[i].op;
	len = strspn(*text, "0123456789");
	if (!len || len >= sizeof(digits))
		return "a return code of 0 to 9999 is missing";
	memcpy(digits, *text, len);
	digits[len] = '\0';
	if (lfp_number(digits, 0, NUMBER_MAX, &number) < 0)
		return "a return code is at most 9999";
	condition->number = (unsigned int)number;
	*text += len;
	if (**text && **text != ' ')
		return "a blank is missing after the return code";
	skip_blanks(text);
	return NULL;
}

bool condition_holds(const struct condition *condition, unsigned int rc, unsigned int max_rc)
{
	unsigned int value = condition->of_max ? max_rc : rc;

	switch (condition->op) {
	case CONDITION_EQ:
		return value == condition->number;
	case CONDITION_NE:
		return value != condition->number;
	case CONDITION_GT:
		return value > condition->number;
	case CONDITION_LT:
		return value < condition->number;
	case CONDITION_GE:
		return value >= condition->number;
	case CONDITION_LE:
		return value <= condition->number;
	}
	return false;
}
