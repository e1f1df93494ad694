/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - reading numbers with points and units */
#include "devemu/scenario/scenario.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lfp/number.h"

#define MILLION UINT64_C(1000000)

/* Digits and a point from the start of @text; *@rest is what follows. */
static int micro(const char *text, const char **rest, uint64_t *value)
{
	uint64_t result = 0;
	unsigned int digits = 0, places = 0;
	bool point = false;

	for (;; text++) {
		if (*text == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			break;
		if (result > UINT64_MAX / MILLION / 100)
			return -ERANGE;
		if (point && ++places > 6)
			return -EINVAL;
		result = 10 * result + (uint64_t)(*text - '0');
		digits++;
	}
	if (!digits || (point && !places))
		return -EINVAL;
	for (; places < 6; places++) {
		if (result > UINT64_MAX / 10)
			return -ERANGE;
		result *= 10;
	}
	*rest = text;
	*value = result;
	return 0;
}

int value_micro(const char *text, uint64_t max, uint64_t *value)
{
	const char *rest;
	uint64_t result;
	int rc = micro(text, &rest, &result);

	if (rc < 0)
		return rc;
	if (*rest)
		return -EINVAL;
	if (result > max)
		return -ERANGE;
	*value = result;
	return 0;
}

/* A decimal and one of @unit; the result is in units of the millionth part of @of_unit[]. */
static int with_unit(const char *text, const char *const unit[], const uint64_t of_unit[],
		     uint64_t max, uint64_t *value)
{
	const char *rest;
	uint64_t number;
	int rc = micro(text, &rest, &number);

	if (rc < 0)
		return rc;
	if (number == 0 && !*rest) {
		*value = 0;
		return 0;
	}
	for (size_t i = 0; unit[i]; i++) {
		if (strcmp(rest, unit[i]))
			continue;
		if (number / MILLION > max / of_unit[i])
			return -ERANGE;
		/* Whole part and millionths apart, so that neither overflows. */
		*value = number / MILLION * of_unit[i] + number % MILLION * of_unit[i] / MILLION;
		return *value > max ? -ERANGE : 0;
	}
	return -EINVAL;
}

int value_time(const char *text, int64_t *ps)
{
	static const char *const unit[] = {"ps", "ns", "us", "ms", "s", NULL};
	static const uint64_t of_unit[] = {1, 1000, 1000000, 1000000000, 1000000000000};
	uint64_t value;
	int rc = with_unit(text, unit, of_unit, UINT64_C(8640000000000000000), &value);

	if (rc == 0)
		*ps = (int64_t)value;
	return rc;
}

int value_distance(const char *text, unsigned long *metres)
{
	static const char *const unit[] = {"m", "km", NULL};
	static const uint64_t of_unit[] = {1, 1000};
	uint64_t value;
	int rc = with_unit(text, unit, of_unit, UINT64_C(100000000), &value);

	if (rc == 0)
		*metres = (unsigned long)value;
	return rc;
}

int value_percent(const char *text, unsigned int *percent)
{
	const size_t len = strlen(text);
	char digits[8];
	unsigned long value;
	int rc;

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len + 1);
	if (len && digits[len - 1] == '%')
		digits[len - 1] = '\0';
	rc = lfp_number(digits, 0, 100, &value);
	if (rc == 0)
		*percent = (unsigned int)value;
	return rc;
}

int value_bool(const char *text, bool *value)
{
	if (!strcmp(text, "yes"))
		*value = true;
	else if (!strcmp(text, "no"))
		*value = false;
	else
		return -EINVAL;
	return 0;
}

int value_hex(const char *text, unsigned int max, unsigned int *value)
{
	unsigned int result = 0;

	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		static const char digits[] = "0123456789ABCDEFabcdef";
		const char *digit = strchr(digits, *text);
		unsigned int nibble;

		if (!digit)
			return -EINVAL;
		nibble = (unsigned int)(digit - digits);
		if (nibble > 15)
			nibble -= 6;
		if (nibble > max || result > (max - nibble) / 16)
			return -ERANGE;
		result = 16 * result + nibble;
	}
	*value = result;
	return 0;
}

int value_devices(const char *text, unsigned int *first, unsigned int *count)
{
	const char *dash = strchr(text, '-');
	unsigned int from, to;
	char start[16];
	int rc;

	if (!dash) {
		*count = 1;
		return value_hex(text, 0xFFFF, first);
	}
	if ((size_t)(dash - text) >= sizeof(start))
		return -EINVAL;
	memcpy(start, text, (size_t)(dash - text));
	start[dash - text] = '\0';
	rc = value_hex(start, 0xFFFF, &from);
	if (rc == 0)
		rc = value_hex(dash + 1, 0xFFFF, &to);
	if (rc < 0)
		return rc;
	if (to < from)
		return -EINVAL;
	*first = from;
	*count = to - from + 1;
	return 0;
}
