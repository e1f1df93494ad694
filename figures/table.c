/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - reading tables of published figures */
#include "figures/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[CHECK_COLUMNS] = {
	[CHECK_ID] = "id",
	[CHECK_SEED] = "seed",
	[CHECK_QUANTITY] = "quantity",
	[CHECK_VALUE] = "value",
	[CHECK_UNIT] = "unit",
	[CHECK_CONDITIONS] = "conditions",
	[CHECK_TOLERANCE] = "tolerance",
	[CHECK_LIMITS] = "limits",
	[CHECK_CLASS] = "class",
	[CHECK_MODEL] = "model",
	[CHECK_CLOSED] = "closed",
	[CHECK_NOTE] = "note",
};

struct reading {
	struct check_table *table;
	const char *name;
	char *error;
};

static int take_row(void *context, int nr, char *line)
{
	const struct reading *reading = context;
	struct check_table *table = reading->table;
	const char *name = reading->name;
	char *error = reading->error;
	struct check_row *row = &table->row[table->rows];
	const unsigned int cells = lines_cut(line, row->cell, CHECK_COLUMNS);
	struct check_limit limit;
	const char *at;
	int rc;

	if (cells != CHECK_COLUMNS) {
		snprintf(error, CHECK_ERROR, "%s:%d: %u cells instead of %d", name, nr, cells,
			 CHECK_COLUMNS);
		return -EINVAL;
	}
	if (nr == 1) {
		for (int c = 0; c < CHECK_COLUMNS; c++)
			if (strcmp(row->cell[c], columns[c])) {
				snprintf(error, CHECK_ERROR, "%s:1: column %d is '%.40s', not '%s'",
					 name, c + 1, row->cell[c], columns[c]);
				return -EINVAL;
			}
		return 0;
	}
	if (!row->cell[CHECK_ID][0] || check_table_find(table, row->cell[CHECK_ID])) {
		snprintf(error, CHECK_ERROR, "%s:%d: '%.40s' is empty or a duplicate", name, nr,
			 row->cell[CHECK_ID]);
		return -EINVAL;
	}
	at = row->cell[CHECK_LIMITS];
	while ((rc = check_limit_next(&at, &limit)) > 0)
		;
	if (rc < 0) {
		snprintf(error, CHECK_ERROR, "%s:%d: %s: invalid limits '%.80s'", name, nr,
			 row->cell[CHECK_ID], row->cell[CHECK_LIMITS]);
		return rc;
	}
	row->line = nr;
	table->rows++;
	return 0;
}

int check_table_read(struct check_table *table, const char *name, FILE *file,
		     char error[CHECK_ERROR])
{
	struct reading reading = {table, name, error};
	int rc;

	memset(table, 0, sizeof(*table));
	table->row = lines_open(file, name, sizeof(*table->row), &table->text, &rc, error);
	if (!table->row)
		return rc;
	rc = lines_each(table->text, take_row, &reading);
	if (rc < 0)
		return rc;
	if (table->rows)
		return 0;
	snprintf(error, CHECK_ERROR, "%s: the table has no rows", name);
	return -EINVAL;
}

void check_table_finish(struct check_table *table)
{
	free(table->row);
	free(table->text);
	memset(table, 0, sizeof(*table));
}

const struct check_row *check_table_find(const struct check_table *table, const char *id)
{
	for (size_t i = 0; i < table->rows; i++)
		if (!strcmp(table->row[i].cell[CHECK_ID], id))
			return &table->row[i];
	return NULL;
}

/* A number begins at a digit, or at a point or a sign before one, and not within a word. */
static bool begins_number(const char *text, const char *at)
{
	const char *digit = at + (*at == '-' || *at == '+');

	digit += *digit == '.';
	if (!isdigit((unsigned char)*digit))
		return false;
	return at == text || (!isalnum((unsigned char)at[-1]) && !(*at == '.' && at[-1] == '.'));
}

int check_number(const char *text, unsigned int nr, double *value)
{
	for (const char *at = text; *at; at++) {
		char digits[32];
		size_t len = 0;

		if (!begins_number(text, at))
			continue;
		if (*at == '-' || *at == '+')
			digits[len++] = *at++;
		/* A point behind a point ("1..20") ends the number, a comma within it goes. */
		for (; len < sizeof(digits) - 1; at++) {
			if (isdigit((unsigned char)*at) ||
			    (*at == '.' && isdigit((unsigned char)at[1])))
				digits[len++] = *at;
			else if (*at != ',' || !isdigit((unsigned char)at[1]) ||
				 !isdigit((unsigned char)at[2]) || !isdigit((unsigned char)at[3]))
				break;
		}
		digits[len] = '\0';
		at--;
		if (--nr == 0) {
			*value = strtod(digits, NULL);
			return 0;
		}
	}
	return -ENOENT;
}

static const char *number_end(const char *at, double *value)
{
	char *end;

	if (!isdigit((unsigned char)*at) && *at != '-' && *at != '.')
		return NULL;
	*value = strtod(at, &end);
	return end == at || !isfinite(*value) ? NULL : end;
}

int check_limit_next(const char **at, struct check_limit *limit)
{
	const char *next = *at + strspn(*at, "; "), *end;
	size_t len;

	if (!*next || !strcmp(next, "-"))
		return 0;
	len = strcspn(next, "=");
	if (next[len] != '=' || len == 0 || len >= sizeof(limit->name))
		return -EINVAL;
	memset(limit, 0, sizeof(*limit));
	memcpy(limit->name, next, len);
	next += len + 1;
	limit->low = -INFINITY;
	limit->high = INFINITY;
	if (!strncmp(next, "..", 2)) {
		limit->bound = CHECK_RANGE;
		end = number_end(next + 2, &limit->high);
	} else {
		/* "1..2": strtod() would take the first point. */
		char low[32];

		len = strspn(next, "-0123456789.e");
		end = strstr(next, "..");
		if (end && end < next + len) {
			len = (size_t)(end - next);
			if (len >= sizeof(low))
				return -EINVAL;
			memcpy(low, next, len);
			low[len] = '\0';
			limit->bound = CHECK_RANGE;
			if (!number_end(low, &limit->low))
				return -EINVAL;
			next = end + 2;
			end = *next && *next != ';' ? number_end(next, &limit->high) : next;
		} else {
			end = number_end(next, &limit->value);
			if (end && *end == '?') {
				limit->bound = CHECK_SHOWN;
				end++;
			} else if (end && *end == '~') {
				end = number_end(end + 1, &limit->tolerance);
				if (end && *end == '%') {
					limit->relative = true;
					limit->tolerance /= 100;
					end++;
				}
			} else {
				end = NULL;
			}
		}
	}
	if (!end || (*end && *end != ';') || limit->tolerance < 0 || limit->low > limit->high)
		return -EINVAL;
	*at = end;
	return 1;
}

bool check_limit_holds(const struct check_limit *limit, double model)
{
	/* Differences below the precision of a double do not count. */
	const double slack = 1e-9 * fabs(model);
	const double room =
		limit->relative ? limit->tolerance * fabs(limit->value) : limit->tolerance;

	switch (limit->bound) {
	case CHECK_WITHIN:
		return fabs(model - limit->value) <= room + slack;
	case CHECK_RANGE:
		return model >= limit->low - slack && model <= limit->high + slack;
	case CHECK_SHOWN:
		break;
	}
	return true;
}
