/* SPDX-License-Identifier: Apache-2.0 */
/* zhpf.c - the switch for zHPF */
#include "devemu/fabric/zhpf.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "devemu/fabric/trace.h"

enum { COLUMNS = 80, SEQUENCE = 8 };

static int fail(struct lfp_reader_error *err, const char *name, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int fail(struct lfp_reader_error *err, const char *name, int line, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = lfp_reader_fail(err, name, line, "ZHPF", fmt, ap);
	va_end(ap);
	return rc;
}

/* YES or NO, and nothing after it. */
static int yes_or_no(const char *text, bool *value)
{
	if (!strcasecmp(text, "YES"))
		*value = true;
	else if (!strcasecmp(text, "NO"))
		*value = false;
	else
		return -EINVAL;
	return 0;
}

/* Blank out what lies in a comment; @inside goes on from line to line. */
static void strip_comments(char *line, bool *inside)
{
	for (char *c = line; *c; c++) {
		if (!*inside && c[0] == '/' && c[1] == '*') {
			*inside = true;
			c[0] = c[1] = ' ';
			c++;
		} else if (*inside && c[0] == '*' && c[1] == '/') {
			*inside = false;
			c[0] = c[1] = ' ';
			c++;
		} else if (*inside) {
			*c = ' ';
		}
	}
}

int zhpf_member(const char *name, FILE *file, bool *zhpf, struct lfp_reader_error *err)
{
	char line[COLUMNS + 2]; /* with the end of the line */
	bool inside = false;

	*zhpf = false;
	for (int nr = 1; fgets(line, sizeof(line), file); nr++) {
		size_t len = strcspn(line, "\r\n");
		char *word, *rest = NULL;

		if (!line[len] && len > COLUMNS)
			return fail(err, name, nr, "the line is longer than %d columns", COLUMNS);
		if (len > COLUMNS - SEQUENCE)
			len = COLUMNS - SEQUENCE;
		line[len] = '\0';
		strip_comments(line, &inside);
		for (word = strtok_r(line, " \t,", &rest); word;
		     word = strtok_r(NULL, " \t,", &rest)) {
			if (strncasecmp(word, "ZHPF=", 5))
				continue;
			if (yes_or_no(word + 5, zhpf) < 0)
				return fail(err, name, nr, "'%.20s' is neither YES nor NO",
					    word + 5);
		}
	}
	if (ferror(file))
		return fail(err, name, 0, "cannot be read");
	return 0;
}

int zhpf_setios(struct fabric *fabric, const char *command)
{
	char text[64], end;
	bool zhpf;

	if (sscanf(command, " %*1[Ss]%*1[Ee]%*1[Tt]%*1[Ii]%*1[Oo]%*1[Ss] %63s %c", text, &end) !=
		    1 ||
	    strncasecmp(text, "ZHPF=", 5) || yes_or_no(text + 5, &zhpf) < 0)
		return -EINVAL;
	fabric->zhpf = zhpf;
	eventlog_add(&fabric->sim.log, fabric->sim.now, TRACE_SETIOS, 0, zhpf);
	return 0;
}

void zhpf_display(const struct fabric *fabric, FILE *out)
{
	fprintf(out,
		"IOS630I ZHPF FACILITY\n"
		"HIGH PERFORMANCE FICON FACILITY IS %s\n",
		fabric->zhpf ? "ENABLED" : "DISABLED");
}

bool zhpf_allowed(const struct fabric *fabric, const struct fabric_channel *channel,
		  const struct fabric_device *device)
{
	return fabric->zhpf && channel->config->type == CHANNEL_FC && !channel->config->no_zhpf &&
	       !device->config->no_zhpf && !device->control_unit->config->no_zhpf;
}
