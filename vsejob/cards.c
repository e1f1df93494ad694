/* SPDX-License-Identifier: Apache-2.0 */
/* cards.c - the lines of a job stream, as a card reader gives them */
#include "vsejob/cards.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define COLUMNS      80u
#define CONTINUATION 72u /* counted from 1 */

void cards_init(struct cards *cards, FILE *in, const char *name)
{
	memset(cards, 0, sizeof(*cards));
	cards->in = in;
	cards->name = name;
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

int card_read(struct cards *cards)
{
	size_t len = 0;
	int c;

	if (cards->held) {
		cards->held = false;
		return 1;
	}
	errno = 0;
	c = getc(cards->in);
	if (c == EOF)
		return ferror(cards->in) ? -(errno ? errno : EIO) : 0;
	cards->line++;
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

/* Add the columns of the card that count; true if another card goes on with it. */
static int add(struct cards *cards, char text[static STATEMENT_MAX], const char *from, bool *more)
{
	size_t len = strlen(cards->text), used = strlen(text), skipped;

	if (len > COLUMNS)
		return cards_fail(cards, "", "a statement has at most %u columns", COLUMNS);
	*more = len >= CONTINUATION;
	if (*more)
		len = CONTINUATION - 1;
	skipped = (size_t)(from - cards->text);
	len = len > skipped ? len - skipped : 0;
	if (used + len >= STATEMENT_MAX)
		return cards_fail(cards, "", "the statement is longer than %u bytes",
				  STATEMENT_MAX - 1);
	memcpy(text + used, from, len);
	text[used + len] = '\0';
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
				"column 72 of the line before says that it goes on, and it "
				"does not");
		rc = add(cards, text, cards->text + strspn(cards->text, " "), &more);
	}
	return rc;
}
