/* SPDX-License-Identifier: Apache-2.0 */
/* field-nearest.c - the key of a configuration that a misspelt one stands for */
#include "lfp/field.h"

#include <string.h>
#include <strings.h>

/* How many letters have to be changed, inserted or deleted to make @b of @a, in either case.
 * Both are at most NEAREST_MAX long. */
#define NEAREST_MAX 39

static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[NEAREST_MAX + 1];
	size_t len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = (unsigned int)j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int corner = row[0];

		row[0]++;
		for (size_t j = 0; j < len; j++) {
			unsigned int best = corner + (strncasecmp(&a[i], &b[j], 1) != 0);

			corner = row[j + 1];
			best = corner + 1 < best ? corner + 1 : best;
			row[j + 1] = row[j] + 1 < best ? row[j] + 1 : best;
		}
	}
	return row[len];
}

const char *lfp_fields_nearest(const struct lfp_field *fields, size_t nr, const char *key)
{
	unsigned int least = 3; /* a swap of two letters, or two other errors, are still meant */
	const char *found = NULL;

	if (strlen(key) > NEAREST_MAX)
		return NULL;
	for (size_t i = 0; i < nr; i++) {
		unsigned int letters;

		if (strlen(fields[i].key) > NEAREST_MAX)
			continue;
		letters = distance(key, fields[i].key);
		if (letters < least && letters * 2 < strlen(fields[i].key)) {
			least = letters;
			found = fields[i].key;
		}
	}
	return found;
}
