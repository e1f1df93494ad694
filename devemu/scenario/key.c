/* SPDX-License-Identifier: Apache-2.0 */
/* key.c - one key after another */
#include "devemu/scenario/key.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "devemu/scenario/scenario.h"
#include "lfp/number.h"

static int whole(struct line *line, const char *key, unsigned long min, unsigned long max,
		 unsigned int *value,
		 int (*read)(const char *, unsigned long, unsigned long, unsigned long *))
{
	const char *text = line_value(line, key);
	unsigned long result;
	int rc;

	if (!text)
		return 0;
	rc = read(text, min, max, &result);
	if (rc == -ERANGE)
		return line_fail(line, key, "'%s' is not in the range %lu to %lu", text, min, max);
	if (rc < 0)
		return line_fail(line, key, "'%s' is not a number", text);
	*value = (unsigned int)result;
	return 0;
}

int key_number(struct line *line, const char *key, unsigned long min, unsigned long max,
	       unsigned int *value)
{
	return whole(line, key, min, max, value, lfp_number);
}

int key_size(struct line *line, const char *key, unsigned long min, unsigned long max,
	     unsigned int *value)
{
	return whole(line, key, min, max, value, lfp_size);
}

/* Reports an invalid value (@rc < 0). @wants describes a valid one. */
static int judge(const struct line *line, const char *key, const char *text, int rc,
		 const char *wants)
{
	if (rc == -ERANGE)
		return line_fail(line, key, "'%s' is out of range: use %s", text, wants);
	if (rc < 0)
		return line_fail(line, key, "'%s' is not %s", text, wants);
	return 0;
}

int key_time(struct line *line, const char *key, int64_t *value)
{
	const char *text = line_value(line, key);

	return text ? judge(line, key, text, value_time(text, value),
			    "a time such as 0.2us, 10ms or 1s, up to 100 days")
		    : 0;
}

int key_distance(struct line *line, const char *key, unsigned long *value)
{
	const char *text = line_value(line, key);

	return text ? judge(line, key, text, value_distance(text, value),
			    "a distance such as 150m or 100km, up to 100000km")
		    : 0;
}

int key_percent(struct line *line, const char *key, unsigned int min, unsigned int *value)
{
	const char *text = line_value(line, key);
	unsigned int result;
	int rc;

	if (!text)
		return 0;
	rc = judge(line, key, text, value_percent(text, &result), "a percentage up to 100%");
	if (rc == 0 && result < min)
		return line_fail(line, key, "'%s' is less than %u%%", text, min);
	if (rc == 0)
		*value = result;
	return rc;
}

int key_bool(struct line *line, const char *key, bool *value)
{
	const char *text = line_value(line, key);

	return text ? judge(line, key, text, value_bool(text, value), "yes or no") : 0;
}

int key_not(struct line *line, const char *key, bool *value)
{
	bool yes = !*value;
	int rc = key_bool(line, key, &yes);

	*value = !yes;
	return rc;
}

int key_hex(struct line *line, const char *key, unsigned int max, unsigned int *value)
{
	const char *text = line_value(line, key);
	int rc = text ? value_hex(text, max, value) : 0;

	if (rc == -ERANGE)
		return line_fail(line, key, "'%s' is above %X", text, max);
	return rc < 0 ? line_fail(line, key, "'%s' is not a hexadecimal number", text) : 0;
}

int key_hex64(struct line *line, const char *key, uint64_t *value)
{
	const char *text = line_value(line, key);
	uint64_t result = 0;

	if (!text)
		return 0;
	if (strlen(text) != 16 || strspn(text, "0123456789abcdefABCDEF") != 16)
		return line_fail(line, key, "'%s' is not 16 hexadecimal digits", text);
	for (int half = 0; half < 2; half++) {
		char digits[9];
		unsigned int part;

		memcpy(digits, text + 8 * half, 8);
		digits[8] = '\0';
		if (value_hex(digits, UINT_MAX, &part) < 0)
			return line_fail(line, key, "'%s' is not 16 hexadecimal digits", text);
		result = result << 32 | part;
	}
	*value = result;
	return 0;
}

int key_devices(struct line *line, const char *key, unsigned int *first, unsigned int *count)
{
	const char *text = line_value(line, key);

	return text ? judge(line, key, text, value_devices(text, first, count),
			    "a device such as 7800, or devices such as 7800-781F")
		    : 0;
}

int key_text(struct line *line, const char *key, char *value, size_t size)
{
	const char *text = line_value(line, key);

	if (!text)
		return 0;
	if (!*text)
		return line_fail(line, key, "is empty");
	if (strlen(text) >= size)
		return line_fail(line, key, "'%.20s...' is longer than %zu characters", text,
				 size - 1);
	memcpy(value, text, strlen(text) + 1);
	return 0;
}

int key_word(struct line *line, const char *key, const char *const words[], unsigned int *index)
{
	const char *text = line_value(line, key);

	if (!text)
		return 0;
	for (unsigned int i = 0; words[i]; i++)
		if (!strcmp(words[i], text)) {
			*index = i;
			return 0;
		}
	return line_fail(line, key, "unknown value '%s'", text);
}

int names_are(const struct line *line, unsigned int count)
{
	if (line->names < count)
		return line_fail(line, "", "'%s' takes %u name%s, not %u", line->word, count,
				 count == 1 ? "" : "s", line->names);
	if (line->names > count)
		return line_fail(line, "", "'%s' is one name too many", line->name[count]);
	return 0;
}

int name_hex(struct line *line, unsigned int nr, const char *what, unsigned int max,
	     unsigned int *value)
{
	if (value_hex(line->name[nr], max, value) < 0)
		return line_fail(line, "", "'%s' is not a %s: use a hexadecimal number up to %X",
				 line->name[nr], what, max);
	return 0;
}

int name_text(struct line *line, unsigned int nr, const char *what, char *value, size_t size)
{
	if (strlen(line->name[nr]) >= size)
		return line_fail(line, "", "%s '%.20s...' is longer than %zu characters", what,
				 line->name[nr], size - 1);
	memcpy(value, line->name[nr], strlen(line->name[nr]) + 1);
	return 0;
}

int name_time(struct line *line, unsigned int nr, int64_t *value)
{
	return judge(line, "", line->name[nr], value_time(line->name[nr], value),
		     "a time such as 0.2us, 10ms or 1s, up to 100 days");
}
