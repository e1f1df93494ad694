/* SPDX-License-Identifier: Apache-2.0 */
/* switches.c - two readers of switches */
#include "devemu/engine/switches.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { LINE = 512 };

struct place {
	const char *name;
	int line;
	struct lfp_reader_error *err;
};

static int refuse(const struct place *place, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(const struct place *place, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(place->err, place->name, place->line, key, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

void switches_init(struct switches *switches)
{
	*switches = (struct switches){.honor_priority = true};
}

/* Reads lines; @take gets each, at the end NULL. */
static int read_lines(struct place *place, FILE *file,
		      int (*take)(void *context, const struct place *place, char *text),
		      void *context)
{
	char text[LINE];
	int rc = 0;

	while (rc == 0 && fgets(text, sizeof(text), file)) {
		const size_t len = strlen(text);

		place->line++;
		if (len + 1 == sizeof(text) && text[len - 1] != '\n')
			return refuse(place, "", "the line is longer than %d characters", LINE - 2);
		if (!len || (text[len - 1] != '\n' && !feof(file)))
			return refuse(place, "", "the line has a zero byte");
		rc = take(context, place, text);
	}
	if (rc == 0 && ferror(file)) {
		place->line = 0;
		refuse(place, "", "cannot be read");
		return -EIO;
	}
	return rc < 0 ? rc : take(context, place, NULL);
}

struct profile_state {
	struct switches *switches;
	bool inside;  /* a GLOBALCONFIG statement */
	bool ziip;    /* behind ZIIP: its parameters */
	bool pending; /* ZIIP needs one */
};

static bool is_globalconfig(const char *word)
{
	/* IBM's diagram has GLOBALCONFig: the last two letters may be left out. */
	return !strcasecmp(word, "GLOBALCONFIG") || !strcasecmp(word, "GLOBALCONF") ||
	       !strcasecmp(word, "GLOBALCONFI");
}

static int profile_word(struct profile_state *state, const struct place *place, const char *word)
{
	if (!strcasecmp(word, "ZIIP")) {
		state->ziip = state->pending = true;
		return 0;
	}
	if (!state->ziip)
		return refuse(place, "GLOBALCONFIG", "only ZIIP is known, not '%s'", word);
	state->pending = false;
	if (!strcasecmp(word, "IPSECURITY"))
		state->switches->ziip_ipsecurity = true;
	else if (!strcasecmp(word, "NOIPSECURITY"))
		state->switches->ziip_ipsecurity = false;
	else
		return refuse(place, "GLOBALCONFIG ZIIP",
			      "'%s' is neither IPSECURITY nor NOIPSECURITY", word);
	return 0;
}

static int profile_line(void *context, const struct place *place, char *text)
{
	struct profile_state *state = context;
	const bool indented = text && (*text == ' ' || *text == '\t');
	char *rest = NULL, *word = NULL;
	int rc = 0;

	if (text) {
		text[strcspn(text, ";")] = '\0';
		word = strtok_r(text, " \t\r\n", &rest);
	}
	if (text && !word)
		return 0;
	if (state->pending && (!text || !indented))
		return refuse(place, "GLOBALCONFIG ZIIP", "needs a parameter");
	if (!text)
		return 0;
	if (is_globalconfig(word)) {
		state->inside = true;
		state->ziip = false;
		word = strtok_r(NULL, " \t\r\n", &rest);
	} else if (!indented) {
		state->inside = state->ziip = false;
	}
	for (; state->inside && rc == 0 && word; word = strtok_r(NULL, " \t\r\n", &rest))
		rc = profile_word(state, place, word);
	return rc;
}

int switches_read_profile(struct switches *switches, const char *name, FILE *file,
			  struct lfp_reader_error *err)
{
	struct profile_state state = {.switches = switches};
	struct place place = {name, 0, err};

	return read_lines(&place, file, profile_line, &state);
}

struct opt_state {
	struct switches *switches;
	bool comment;
};

/* Replaces comments by blanks. */
static void blank_comments(struct opt_state *state, char *text)
{
	for (; *text; text++) {
		const char end[3] = {text[0], text[1], 0};

		if (!state->comment && !strcmp(end, "/*")) {
			state->comment = true;
			text[0] = text[1] = ' ';
			text++;
		} else if (state->comment && !strcmp(end, "*/")) {
			state->comment = false;
			text[0] = text[1] = ' ';
			text++;
		} else if (state->comment && *text != '\n') {
			*text = ' ';
		}
	}
}

static int opt_word(struct opt_state *state, const struct place *place, char *word)
{
	char *value = strchr(word, '=');
	bool *to;

	if (!value)
		return refuse(place, "", "'%s' is not KEYWORD=VALUE", word);
	*value++ = '\0';
	if (!strcasecmp(word, "IIPHONORPRIORITY"))
		to = &state->switches->honor_priority;
	else if (!strcasecmp(word, "PROJECTCPU"))
		to = &state->switches->project_cpu;
	else
		return refuse(place, word, "only IIPHONORPRIORITY and PROJECTCPU are known");
	if (strcasecmp(value, "YES") && strcasecmp(value, "NO"))
		return refuse(place, word, "'%s' is neither YES nor NO", value);
	*to = !strcasecmp(value, "YES");
	return 0;
}

static int opt_line(void *context, const struct place *place, char *text)
{
	struct opt_state *state = context;
	char *rest = NULL, *word;
	int rc = 0;

	if (!text)
		return state->comment ? refuse(place, "", "the comment has no end") : 0;
	blank_comments(state, text);
	for (word = strtok_r(text, ", \t\r\n", &rest); rc == 0 && word;
	     word = strtok_r(NULL, ", \t\r\n", &rest))
		rc = opt_word(state, place, word);
	return rc;
}

int switches_read_opt(struct switches *switches, const char *name, FILE *file,
		      struct lfp_reader_error *err)
{
	struct opt_state state = {.switches = switches};
	struct place place = {name, 0, err};

	return read_lines(&place, file, opt_line, &state);
}
