/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - the source of START's statements: SYSIPT, a library member, a file */
#include "ijblfp/oper/source.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define LETTERS     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$#@"
#define LIBRARY_LEN 7u
#define NAME_LEN    8u

/* lib.sublib(name.type), taken apart. */
struct member {
	char lib[LIBRARY_LEN + 1], sublib[NAME_LEN + 1];
	char name[NAME_LEN + 1], type[NAME_LEN + 1];
};

/* Parses a name of at most @most characters up to @end. Returns the text behind it, or NULL. */
static const char *take(char *out, size_t most, const char *text, char end)
{
	size_t len = strspn(text, LETTERS);

	if (!len || len > most || text[len] != end)
		return NULL;
	memcpy(out, text, len);
	out[len] = '\0';
	return text + len + 1;
}

static bool read_member(struct member *member, const char *text)
{
	text = take(member->lib, LIBRARY_LEN, text, '.');
	if (text)
		text = take(member->sublib, NAME_LEN, text, '(');
	if (text)
		text = take(member->name, NAME_LEN, text, '.');
	if (text)
		text = take(member->type, NAME_LEN, text, ')');
	return text && !*text;
}

static void fold(char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			*text = (char)(*text - 'A' + 'a');
}

static int open_file(struct source *source)
{
	source->in = fopen(source->name, "re");
	return source->in ? 0 : -errno;
}

static int find_member(struct source *source, const struct member *member)
{
	char file[2 * NAME_LEN + 2];
	int rc;

	snprintf(file, sizeof(file), "%s.%s", member->name, member->type);
	rc = lfp_place_member(source->name, member->lib, member->sublib, file);
	return rc ? rc : open_file(source);
}

static int open_member(struct source *source, const struct member *member)
{
	struct member lower = *member;
	int rc = find_member(source, member);

	if (rc != -ENOENT)
		return rc;
	fold(lower.lib);
	fold(lower.sublib);
	fold(lower.name);
	fold(lower.type);
	if (!find_member(source, &lower))
		return 0;
	/* The error names the operand as it was given. */
	return find_member(source, member);
}

int source_open(struct source *source, const char *word)
{
	struct member member;
	int rc = 0;

	source->in = NULL;
	if (!strcmp(word, "-") || !strcasecmp(word, "DD:SYSIPT")) {
		source->in = stdin;
		strcpy(source->name, "SYSIPT");
		return 0;
	}
	if (!strncasecmp(word, "DD:", 3)) {
		snprintf(source->name, sizeof(source->name), "%s", word);
		return read_member(&member, word + 3) ? open_member(source, &member) : -EINVAL;
	}
	if (!lfp_check_nn(word))
		rc = lfp_place_vse_conf(source->name, word);
	else if (snprintf(source->name, sizeof(source->name), "%s", word) >=
		 (int)sizeof(source->name))
		rc = -ENAMETOOLONG;
	return rc ? rc : open_file(source);
}

void source_close(struct source *source)
{
	if (source->in && source->in != stdin)
		fclose(source->in);
	source->in = NULL;
}
