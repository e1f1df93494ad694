/* SPDX-License-Identifier: Apache-2.0 */
/* statements-system.c - the system's names and its zHyperLinks */
#include "devemu/scenario/line.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devemu/clock/sim.h"
#include "devemu/scenario/key.h"

/* MM/DD/YYYY, as reports show it */
static int date(struct line *line, struct system_config *to)
{
	static const unsigned int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const char *text = line_value(line, "date");
	unsigned int year, month, day;
	char end;

	if (!text)
		return 0;
	if (strlen(text) != 10 || sscanf(text, "%2u/%2u/%4u%c", &month, &day, &year, &end) != 3 ||
	    month < 1 || month > 12 || day < 1 || day > days[month - 1] || year < 1900 ||
	    year > 2999 ||
	    (month == 2 && day == 29 && (year % 4 != 0 || (year % 100 == 0 && year % 400 != 0))))
		return line_fail(line, "date", "'%s' is not a date such as 05/31/2022", text);
	to->year = year;
	to->month = month;
	to->day = day;
	return 0;
}

/* HH.MM.SS */
static int clock_of(struct line *line, struct system_config *to)
{
	const char *text = line_value(line, "clock");
	unsigned int hours, minutes, seconds;
	char end;

	if (!text)
		return 0;
	if (strlen(text) != 8 ||
	    sscanf(text, "%2u.%2u.%2u%c", &hours, &minutes, &seconds, &end) != 3 || hours > 23 ||
	    minutes > 59 || seconds > 59)
		return line_fail(line, "clock", "'%s' is not a time of day such as 09.17.58", text);
	to->clock = (int64_t)(hours * 3600 + minutes * 60 + seconds) * SIM_SEC;
	return 0;
}

/* TYPE-MODEL-CAPACITY, such as 3931-A01-701 */
static int machine(struct line *line, struct system_config *to)
{
	const char *text = line_value(line, "machine");
	char type[5], model[4], capacity[4], end;

	if (!text)
		return 0;
	if (sscanf(text, "%4[0-9]-%3[0-9A-Z]-%3[0-9A-Z]%c", type, model, capacity, &end) != 3 ||
	    strlen(type) != 4 || strlen(model) != 3 || strlen(capacity) != 3)
		return line_fail(line, "machine", "'%s' is not a machine such as 3931-A01-701",
				 text);
	memcpy(to->machine, type, sizeof(type));
	memcpy(to->model, model, sizeof(model));
	memcpy(to->capacity, capacity, sizeof(capacity));
	return 0;
}

/* A key of letters and digits; @exact: of just as many as it can have. */
static int word(struct line *line, const char *key, char *value, size_t size, bool exact)
{
	const char *text = line_value(line, key);

	if (key_text(line, key, value, size) < 0)
		return -EINVAL;
	for (const char *c = text; c && *c; c++)
		if (!isalnum((unsigned char)*c))
			return line_fail(line, key,
					 "'%s' has characters other than letters and digits", text);
	if (text && exact && strlen(text) != size - 1)
		return line_fail(line, key, "'%s' does not have %zu characters", text, size - 1);
	return 0;
}

int statement_system(struct config *config, struct line *line)
{
	struct system_config *to = &config->system;

	if (names_are(line, 1) < 0 || name_text(line, 0, "system", to->id, sizeof(to->id)) < 0 ||
	    date(line, to) < 0 || clock_of(line, to) < 0 || machine(line, to) < 0 ||
	    word(line, "serial", to->serial, sizeof(to->serial), true) < 0 ||
	    word(line, "cpc", to->cpc, sizeof(to->cpc), false) < 0 ||
	    word(line, "lpar", to->lpar, sizeof(to->lpar), false) < 0 ||
	    key_hex(line, "lpar-id", 0xFF, &to->lpar_id) < 0 ||
	    key_hex(line, "css", 5, &to->css) < 0 || key_hex(line, "mif", 0xF, &to->mif) < 0 ||
	    key_number(line, "cpus", 1, 200, &to->cpus) < 0 ||
	    key_number(line, "ziips", 0, 50, &to->ziips) < 0)
		return -EINVAL;
	return 0;
}

int statement_zhyperlink(struct config *config, struct line *line)
{
	struct zhyperlink_config *to =
		config_add(&config->zhyperlink, &config->zhyperlinks, sizeof(*config->zhyperlink));

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	to->functions = 1;
	if (names_are(line, 1) < 0 || name_hex(line, 0, "control unit", 0xFFFF, &to->cu) < 0 ||
	    key_number(line, "adapter", 0, 65535, &to->adapter) < 0 ||
	    key_number(line, "port", 0, 65535, &to->port) < 0 ||
	    key_number(line, "functions", 1, 65535, &to->functions) < 0 ||
	    key_distance(line, "distance", &to->metres) < 0)
		return -EINVAL;
	return 0;
}
