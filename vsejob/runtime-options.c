/* SPDX-License-Identifier: Apache-2.0 */
/* runtime-options.c - LE run-time options in PARM, before the slash */
#include "vsejob/runtime-options.h"

#include <stdbool.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* Behind the parentheses that open at @p; NULL if they do not close. */
static char *skip_parentheses(char *p)
{
	bool quoted = false;
	int depth = 0;

	for (; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '(')
			depth++;
		else if (!quoted && *p == ')' && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/* The slash behind a text that looks like options, or NULL. */
static char *find_slash(char *p)
{
	for (;;) {
		p += strspn(p, " ,");
		if (*p == '/')
			return p;
		if (!strspn(p, LETTERS))
			return NULL;
		p += strspn(p, LETTERS);
		if (*p == '(')
			p = skip_parentheses(p);
		if (!p || !strchr(" ,/", *p))
			return NULL;
	}
}

static const char *take_variables(struct runtime_options *options, char *p)
{
	while (*p) {
		char *text, *end;

		p += strspn(p, " ,");
		if (!*p)
			break;
		if (*p == '"') {
			text = p + 1;
			end = strchr(text, '"');
			if (!end)
				return "a quote in ENVAR is not closed";
		} else {
			text = p;
			end = text + strcspn(text, ",");
		}
		p = *end ? end + 1 : end;
		*end = '\0';
		if (!strchr(text, '=') || *text == '=')
			return "ENVAR needs NAME=value";
		if (options->nr == RUNTIME_VARIABLES_MAX)
			return "there are more than 16 variables in ENVAR";
		options->variable[options->nr++] = text;
	}
	return NULL;
}

const char *runtime_options_read(struct runtime_options *options, char *parm)
{
	char *slash = find_slash(parm);
	char *p = parm;

	options->nr = 0;
	options->arguments = slash ? slash + 1 : parm;
	if (!slash)
		return NULL;
	*slash = '\0';
	for (;;) {
		char *name, *inside, *end;
		size_t len;

		p += strspn(p, " ,");
		if (!*p)
			return NULL;
		name = p;
		len = strspn(p, LETTERS);
		p += len;
		if (*p != '(')
			continue;
		inside = p + 1;
		end = skip_parentheses(p);
		p = end;
		if (len == 5 && !strncmp(name, "ENVAR", 5)) {
			const char *wrong;

			end[-1] = '\0';
			wrong = take_variables(options, inside);
			if (wrong)
				return wrong;
		}
	}
}
