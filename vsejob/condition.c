/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - conditions of // IF and // ON */
#include "vsejob/condition.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lfp/number.h"
#include "vsejob/operands.h"

#define NUMBER_MAX 9999
#define LETTERS    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$#@"

static void skip_blanks(char **text)
{
	*text += strspn(*text, " ");
}

static bool take_text(char **text, const char *word)
{
	if (strncasecmp(*text, word, strlen(word)))
		return false;
	*text += strlen(word);
	skip_blanks(text);
	return true;
}

/* A word ends at a character that is no letter. */
static bool take_word(char **text, const char *word)
{
	return strspn(*text, LETTERS) == strlen(word) && take_text(text, word);
}

static const char *take_op(enum condition_op *op, char **text)
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
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		bool is_word = isalpha((unsigned char)*ops[i].text) != 0;

		if (is_word ? take_word(text, ops[i].text) : take_text(text, ops[i].text))
			break;
	}
	if (i == sizeof(ops) / sizeof(ops[0]))
		return "= ^= > < >= <= EQ NE GT LT GE or LE is missing";
	*op = ops[i].op;
	return NULL;
}

static const char *take_number(unsigned int *out, char **text)
{
	size_t len = strspn(*text, "0123456789");
	unsigned long number;
	char digits[8];

	if (!len || len >= sizeof(digits))
		return "a return code of 0 to 9999 is missing";
	memcpy(digits, *text, len);
	digits[len] = '\0';
	if (lfp_number(digits, 0, NUMBER_MAX, &number) < 0)
		return "a return code is at most 9999";
	*out = (unsigned int)number;
	*text += len;
	return **text && !strchr(" &|", **text) ? "a blank is missing after the return code" : NULL;
}

/* A word, or a text in quotes, in which '' is one. */
static const char *take_value(char value[static CONDITION_VALUE], char **text)
{
	bool quoted = **text == '\'', closed = !quoted;
	size_t len = 0;
	char *p = *text + quoted;

	for (; *p && (quoted || !strchr(" &|", *p)); p++) {
		closed = quoted ? *p == '\'' && *++p != '\'' : true;
		if (quoted && closed)
			break;
		if (len == CONDITION_VALUE - 1)
			return "a value has at most 50 characters";
		value[len++] = *p;
	}
	if (!closed)
		return "a quote is not closed";
	if (!quoted && !len)
		return "a value is missing";
	value[len] = '\0';
	*text = p;
	return **text && !strchr(" &|", **text) ? "a blank is missing after the value" : NULL;
}

static const char *take_name(struct comparison *one, char **text)
{
	size_t len = strspn(*text, LETTERS);

	if (!len || len >= sizeof(one->name))
		return "a condition must begin with $RC, $MRC or a name of SETPARM";
	memcpy(one->name, *text, len);
	one->name[len] = '\0';
	operands_fold(one->name);
	*text += len;
	skip_blanks(text);
	return NULL;
}

static const char *take_comparison(struct comparison *one, char **text, enum condition_of of)
{
	const char *why = NULL;
	bool is_cancel;

	skip_blanks(text);
	is_cancel = !strncasecmp(*text, "$C", 2);
	if (take_word(text, "$CANCEL") || take_word(text, "$ABEND")) {
		if (of == CONDITION_OF_IF)
			return "$CANCEL and $ABEND go with ON";
		one->of = is_cancel ? COMPARE_CANCEL : COMPARE_ABEND;
		return NULL;
	}
	if (take_word(text, "$RC"))
		one->of = COMPARE_RC;
	else if (take_word(text, "$MRC"))
		one->of = COMPARE_MRC;
	else if (of == CONDITION_OF_ON)
		return "a condition must begin with $RC, $MRC, $CANCEL or $ABEND";
	else {
		one->of = COMPARE_NAME;
		why = take_name(one, text);
	}
	if (!why)
		why = take_op(&one->op, text);
	if (!why)
		why = one->of == COMPARE_NAME ? take_value(one->value, text)
					      : take_number(&one->number, text);
	return why;
}

/* AND or OR at *@text: another comparison follows. */
static bool take_join(bool *is_or, char **text)
{
	skip_blanks(text);
	*is_or = take_word(text, "OR") || (**text == '|' && take_text(text, "|"));
	return *is_or || take_word(text, "AND") || (**text == '&' && take_text(text, "&"));
}

const char *condition_read(struct condition *condition, char **text, enum condition_of of)
{
	bool is_or = false;

	condition->nr = 0;
	do {
		struct comparison *one = &condition->item[condition->nr];
		const char *why;

		if (condition->nr == CONDITION_MAX)
			return "there are more than 8 comparisons";
		memset(one, 0, sizeof(*one));
		one->or_before = is_or;
		why = take_comparison(one, text, of);
		if (why)
			return why;
		condition->nr++;
	} while (take_join(&is_or, text));
	return NULL;
}

/* The place of a character in EBCDIC: its kind, then the order of ASCII, which is the same within
 * a kind. */
static int ebcdic_place(char c)
{
	unsigned char u = (unsigned char)c;
	int kind = 1;

	if (u == ' ')
		kind = 0;
	else if (u >= 'a' && u <= 'z')
		kind = 2;
	else if (u >= 'A' && u <= 'Z')
		kind = 3;
	else if (u >= '0' && u <= '9')
		kind = 4;
	return kind * 256 + u;
}

static int compare_texts(const char *one, const char *other)
{
	while (*one || *other) {
		int a = ebcdic_place(*one ? *one : ' '), b = ebcdic_place(*other ? *other : ' ');

		if (a != b)
			return a < b ? -1 : 1;
		one += *one != '\0';
		other += *other != '\0';
	}
	return 0;
}

static bool op_holds(enum condition_op op, int order)
{
	switch (op) {
	case CONDITION_EQ:
		return order == 0;
	case CONDITION_NE:
		return order != 0;
	case CONDITION_GT:
		return order > 0;
	case CONDITION_LT:
		return order < 0;
	case CONDITION_GE:
		return order >= 0;
	case CONDITION_LE:
		return order <= 0;
	}
	return false;
}

static bool holds(const struct comparison *one, const struct condition_facts *facts)
{
	unsigned int rc = one->of == COMPARE_MRC ? facts->max_rc : facts->rc;
	const char *value;

	switch (one->of) {
	case COMPARE_CANCEL:
		return facts->cancelled;
	case COMPARE_ABEND:
		return facts->abended;
	case COMPARE_NAME:
		value = facts->value_of(facts->data, one->name);
		return op_holds(one->op, compare_texts(value ? value : "", one->value));
	case COMPARE_RC:
	case COMPARE_MRC:
		break;
	}
	return op_holds(one->op, (rc > one->number) - (rc < one->number));
}

bool condition_holds(const struct condition *condition, const struct condition_facts *facts)
{
	bool all = true;

	for (size_t i = 0; i < condition->nr; i++) {
		if (condition->item[i].or_before) {
			if (all)
				return true;
			all = true;
		}
		all = all && holds(&condition->item[i], facts);
	}
	return all;
}
