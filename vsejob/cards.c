/* SPDX-License-Identifier: Apache-2.0 */
/* cards.c - the lines of a job stream, as a card reader gives them */
#include "vsejob/cards.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "vsejob/sli.h"

#define COLUMNS      80u
#define CONTINUATION 72u /* counted from 1 */

/* The name of a member, for messages. */
struct card_name {
	struct card_name *next;
	char text[LFP_PLACE_MAX];
};

/* Before the text of a card that is kept. */
struct card_kept {
	const char *name;
	int line;
};

void cards_init(struct cards *cards, FILE *in, const char *name)
{
	memset(cards, 0, sizeof(*cards));
	cards->file[0] = (struct card_file){.in = in, .name = name};
	cards->nr_files = 1;
	cards->name = cards->given_name = name;
}

void cards_init_procedure(struct cards *cards, FILE *in, const char *name)
{
	cards_init(cards, in, name);
	cards->is_procedure = true;
}

void cards_finish(struct cards *cards)
{
	free(cards->ahead);
	cards->ahead = NULL;
	cards->ahead_at = cards->ahead_end = 0;
	while (cards->nr_files > 1)
		fclose(cards->file[--cards->nr_files].in);
	while (cards->names) {
		struct card_name *next = cards->names->next;

		free(cards->names);
		cards->names = next;
	}
}

int cards_fail(struct cards *cards, const char *key, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = lfp_reader_fail(&cards->err, cards->name, cards->line, key, fmt, ap);
	va_end(ap);
	return rc;
}

/* Reads the next line of the current file into cards->text. Returns 1, 0 at the end of the file, or
 * a negative errno. */
static int take_line(struct cards *cards)
{
	struct card_file *file = &cards->file[cards->nr_files - 1];
	size_t len = 0;
	int c;

	errno = 0;
	c = getc(file->in);
	if (c == EOF)
		return ferror(file->in) ? -(errno ? errno : EIO) : 0;
	cards->name = cards->given_name = file->name;
	cards->line = cards->given = ++file->taken;
	for (; c != EOF && c != '\n'; c = getc(file->in)) {
		if (c == '\r')
			continue;
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return cards_fail(cards, "", "control character 0x%02x in column %zu",
					  (unsigned int)c, len + 1);
		if (len == CARD_MAX)
			return cards_fail(cards, "", "the line is longer than %u bytes", CARD_MAX);
		cards->text[len++] = (char)c;
	}
	while (len && cards->text[len - 1] == ' ')
		len--;
	cards->text[len] = '\0';
	return 1;
}

/* Handles the card * $$ SLI: the next cards come from its member. */
static int include(struct cards *cards)
{
	struct card_name *name;
	const char *why;
	FILE *in;

	if (cards->nr_files > SLI_DEPTH)
		return cards_fail(cards, "* $$ SLI", "members include each other %u deep",
				  SLI_DEPTH);
	if (cards->nr_names == SLI_MAX)
		return cards_fail(cards, "* $$ SLI", "the stream has more than %u", SLI_MAX);
	name = malloc(sizeof(*name));
	if (!name)
		return -ENOMEM;
	why = sli_open(cards->text, &in, name->text);
	if (why) {
		int rc = cards_fail(cards, "* $$ SLI", "%s%s%s", *name->text ? name->text : "",
				    *name->text ? ": " : "", why);

		free(name);
		return rc;
	}
	name->next = cards->names;
	cards->names = name;
	cards->nr_names++;
	cards->file[cards->nr_files++] = (struct card_file){.in = in, .name = name->text};
	return 0;
}

/* Is the card the end of the procedure? Nothing behind it is read. */
static bool end_procedure(struct cards *cards)
{
	cards->ended |= !strncmp(cards->text, "/+", 2);
	return cards->ended;
}

/* Reads the next card of the stream into cards->text. Returns 1, 0 at the end, or a negative
 * errno. */
static int take_card(struct cards *cards)
{
	for (;;) {
		int rc = take_line(cards);

		if (rc < 0)
			return rc;
		if (cards->is_procedure)
			return rc && !end_procedure(cards);
		if (rc && !sli_is(cards->text))
			return 1;
		if (rc)
			rc = include(cards);
		else if (cards->nr_files == 1)
			return 0;
		else
			fclose(cards->file[--cards->nr_files].in);
		if (rc < 0)
			return rc;
	}
}

/* Keeps the card in cards->text, behind the other kept cards. */
static int keep_ahead(struct cards *cards)
{
	struct card_kept kept = {cards->given_name, cards->given};
	size_t size = sizeof(kept) + strlen(cards->text) + 1, space = cards->ahead_size;

	while (cards->ahead_end + size > space)
		space = space ? space * 2 : 4096;
	if (space > cards->ahead_size) {
		char *more = realloc(cards->ahead, space);

		if (!more)
			return -ENOMEM;
		cards->ahead = more;
		cards->ahead_size = space;
	}
	memcpy(cards->ahead + cards->ahead_end, &kept, sizeof(kept));
	memcpy(cards->ahead + cards->ahead_end + sizeof(kept), cards->text, size - sizeof(kept));
	cards->ahead_end += size;
	return 0;
}

/* Copies the kept card at @at into cards->text. Returns its size among the kept ones. */
static size_t load_kept(struct cards *cards, size_t at)
{
	const char *text = cards->ahead + at + sizeof(struct card_kept);
	struct card_kept kept;

	memcpy(&kept, cards->ahead + at, sizeof(kept));
	strcpy(cards->text, text);
	cards->name = cards->given_name = kept.name;
	cards->line = cards->given = kept.line;
	return sizeof(kept) + strlen(text) + 1;
}

static void take_ahead(struct cards *cards)
{
	cards->ahead_at += load_kept(cards, cards->ahead_at);
	if (cards->ahead_at == cards->ahead_end)
		cards->ahead_at = cards->ahead_end = 0;
}

int card_peek(struct cards *cards, struct card_peek *peek, size_t most)
{
	size_t at = cards->ahead_at + peek->at;
	int rc;

	if (at == cards->ahead_end) {
		rc = take_card(cards);
		if (rc <= 0)
			return rc;
		if (peek->bytes + strlen(cards->text) + 1 > most)
			return cards_fail(cards, "SYSIPT", "the data is longer than %zu MiB",
					  most >> 20);
		rc = keep_ahead(cards);
		if (rc < 0)
			return rc;
	}
	peek->at += load_kept(cards, at);
	peek->bytes += strlen(cards->text) + 1;
	return 1;
}

int card_read(struct cards *cards)
{
	if (!cards->held && cards->ahead_at == cards->ahead_end)
		return take_card(cards);
	if (!cards->held)
		take_ahead(cards);
	cards->held = false;
	cards->name = cards->given_name;
	cards->line = cards->given;
	return 1;
}

void card_put_back(struct cards *cards)
{
	cards->held = true;
}

bool card_is_control(const char *text)
{
	static const char *const begins[] = {"//", "/*", "/&", "/.", "* $$"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

int card_data_follows(struct cards *cards)
{
	struct card_peek peek = {0};
	int rc;

	if (cards->held)
		return !card_is_control(cards->text) || !strncmp(cards->text, "/*", 2);
	do {
		rc = card_peek(cards, &peek, AHEAD_MAX);
		if (rc <= 0)
			return rc;
	} while (*cards->text == '*' && !card_is_control(cards->text));
	return !card_is_control(cards->text) || !strncmp(cards->text, "/*", 2);
}

/* Cuts the text behind a comma and a blank, because the statement goes on in another card. */
static void cut_comment(char *text)
{
	bool quoted = false;
	int depth = 0;

	for (char *p = text; *p; p++) {
		quoted ^= *p == '\'';
		if (quoted)
			continue;
		depth += (*p == '(') - (*p == ')');
		if (!depth && p[0] == ',' && p[1] == ' ') {
			p[1] = '\0';
			return;
		}
	}
}

/* Adds the columns of the card that count. Returns true if another card continues the statement. */
static int add(struct cards *cards, char text[static STATEMENT_MAX], const char *from, bool *more)
{
	size_t len = strlen(cards->text), used = strlen(text), skipped;

	if (len > COLUMNS)
		return cards_fail(cards, "", "a statement has at most %u columns", COLUMNS);
	*more = len >= CONTINUATION && cards->text[CONTINUATION - 1] != ' ';
	if (len >= CONTINUATION)
		len = CONTINUATION - 1;
	skipped = (size_t)(from - cards->text);
	len = len > skipped ? len - skipped : 0;
	if (used + len >= STATEMENT_MAX)
		return cards_fail(cards, "", "the statement is longer than %u bytes",
				  STATEMENT_MAX - 1);
	memcpy(text + used, from, len);
	text[used + len] = '\0';
	if (*more)
		cut_comment(text);
	return 0;
}

int card_join(struct cards *cards, char text[static STATEMENT_MAX], int *line)
{
	bool more;
	int rc;

	*line = cards->line;
	text[0] = '\0';
	/* A comment has no continuation: its column 72 is text. */
	if (*cards->text == '*') {
		snprintf(text, STATEMENT_MAX, "%s", cards->text);
		return 0;
	}
	rc = add(cards, text, cards->text, &more);
	while (!rc && more) {
		rc = card_read(cards);
		if (rc < 0)
			return rc;
		if (!rc || card_is_control(cards->text)) {
			if (rc)
				card_put_back(cards);
			return cards_fail(
				cards, "",
				"column 72 of the previous line announces a continuation, but "
				"none follows");
		}
		rc = add(cards, text, cards->text + strspn(cards->text, " "), &more);
	}
	return rc;
}
