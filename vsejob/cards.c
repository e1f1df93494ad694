/* SPDX-License-Identifier: Apache-2.0 */
/* cards.c - the lines of a job stream, as a card reader gives them */
#include "vsejob/cards.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS      80u
#define CONTINUATION 72u /* counted from 1 */

void cards_init(struct cards *cards, FILE *in, const char *name)
{
	memset(cards, 0, sizeof(*cards));
	cards->in = in;
	cards->name = name;
}

void cards_finish(struct cards *cards)
{
	free(cards->ahead);
	cards->ahead = NULL;
	cards->nr_ahead = 0;
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

/* The next line of the stream into cards->text. 1, 0 at the end, or a negative errno. */
static int take_line(struct cards *cards)
{
	size_t len = 0;
	int c;

	errno = 0;
	c = getc(cards->in);
	if (c == EOF)
		return ferror(cards->in) ? -(errno ? errno : EIO) : 0;
	cards->line = cards->given = ++cards->taken;
	for (; c != EOF && c != '\n'; c = getc(cards->in)) {
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

/* Keep the card in cards->text, behind those that are kept. */
static int keep_ahead(struct cards *cards)
{
	size_t size = strlen(cards->text) + 1, space = cards->ahead_size;

	if (cards->ahead_end + size > AHEAD_MAX)
		return cards_fail(cards, "SYSIPT", "the data is longer than 16 MiB");
	while (cards->ahead_end + size > space)
		space = space ? space * 2 : 4096;
	if (space > cards->ahead_size) {
		char *more = realloc(cards->ahead, space);

		if (!more)
			return -ENOMEM;
		cards->ahead = more;
		cards->ahead_size = space;
	}
	memcpy(cards->ahead + cards->ahead_end, cards->text, size);
	cards->ahead_end += size;
	if (!cards->nr_ahead++)
		cards->first_ahead = cards->given;
	return 0;
}

static void take_ahead(struct cards *cards)
{
	const char *text = cards->ahead + cards->ahead_at;

	strcpy(cards->text, text);
	cards->given = cards->first_ahead++;
	cards->ahead_at += strlen(text) + 1;
	if (!--cards->nr_ahead)
		cards->ahead_at = cards->ahead_end = 0;
}

int card_read(struct cards *cards)
{
	if (!cards->held && !cards->nr_ahead)
		return take_line(cards);
	if (!cards->held)
		take_ahead(cards);
	cards->held = false;
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
	int rc;

	do {
		int kept;

		rc = take_line(cards);
		if (rc <= 0)
			return rc;
		kept = keep_ahead(cards);
		if (kept < 0)
			return kept;
	} while (*cards->text == '*' && !card_is_control(cards->text));
	return !card_is_control(cards->text) || !strncmp(cards->text, "/*", 2);
}

/* The statement goes on in another card: what stands behind a comma and a blank does not count. */
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

/* Add the columns of the card that count; true if another card goes on with it. */
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
		if (!rc || card_is_control(cards->text))
			return cards_fail(
				cards, "",
				"column 72 of the previous line announces a continuation, but "
				"none follows");
		rc = add(cards, text, cards->text + strspn(cards->text, " "), &more);
	}
	return rc;
}
