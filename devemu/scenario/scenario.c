/* SPDX-License-Identifier: Apache-2.0 */
/* scenario.c - a scenario, line after line */
#include "devemu/scenario/scenario.h"

#include <errno.h>
#include <string.h>

#include "devemu/scenario/line.h"

/* "title" takes the rest of its line as it is. */
static int title(struct config *config, struct line *line, char *text)
{
	text = lfp_reader_trim(text);
	if (strlen(text) >= sizeof(config->title))
		return line_fail(line, "", "the title is longer than %zu characters",
				 sizeof(config->title) - 1);
	memcpy(config->title, text, strlen(text) + 1);
	return 0;
}

/* "display TIME COMMAND": the command is the rest of the line as it is. */
static int display(struct config *config, struct line *line, char *text)
{
	struct command_config *to =
		config_add(&config->command, &config->commands, sizeof(*config->command));
	char *rest;

	if (!to)
		return -ENOMEM;
	to->line = line->nr;
	text = lfp_reader_trim(text);
	rest = text + strcspn(text, " \t");
	if (!*rest)
		return line_fail(line, "", "'display' needs a time and a command");
	*rest = '\0';
	rest = lfp_reader_trim(rest + 1);
	if (value_time(text, &to->at) < 0)
		return line_fail(line, "", "'%s' is not a time such as 0.2us, 10ms or 1s", text);
	if (strlen(rest) >= sizeof(to->text))
		return line_fail(line, "", "the command is longer than %zu characters",
				 sizeof(to->text) - 1);
	memcpy(to->text, rest, strlen(rest) + 1);
	return 0;
}

static int take(struct config *config, struct line *line, char *text)
{
	int rc;

	text[strcspn(text, "\r\n")] = '\0';
	text = lfp_reader_trim(text);
	if (!strncmp(text, "title", 5) && (text[5] == ' ' || text[5] == '\t'))
		return title(config, line, text + 5);
	if (!strncmp(text, "display", 7) && (text[7] == ' ' || text[7] == '\t'))
		return display(config, line, text + 7);
	rc = line_cut(line, text);
	return rc <= 0 ? rc : statement_take(config, line);
}

int scenario_read(struct config *config, const char *name, FILE *file, struct lfp_reader_error *err)
{
	struct line line = {.file = name, .err = err};
	char text[LINE_LENGTH];
	int rc = 0;

	config_init(config);
	while (rc == 0 && fgets(text, sizeof(text), file)) {
		const size_t len = strlen(text);

		line.nr++;
		if (len + 1 == sizeof(text) && text[len - 1] != '\n')
			return line_fail(&line, "", "the line is longer than %d characters",
					 LINE_LENGTH - 2);
		/* A NUL byte, which fgets() accepts as part of a line, would end the string too
		 * early. */
		if (!len || (text[len - 1] != '\n' && !feof(file)))
			return line_fail(&line, "", "the line has a zero byte");
		rc = take(config, &line, text);
	}
	if (rc == -ENOMEM)
		line_fail(&line, "", "out of memory");
	if (rc == 0 && ferror(file)) {
		line.nr = 0;
		line_fail(&line, "", "cannot be read");
		rc = -EIO;
	}
	return rc;
}
