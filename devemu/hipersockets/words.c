/* SPDX-License-Identifier: Apache-2.0 */
/* words.c - the words of a text file with their lines and columns */
#include "devemu/hipersockets/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

void words_begin(struct words *words, const char *name, FILE *file, char comment, bool quotes,
		 struct lfp_reader_error *err)
{
	*words = (struct words){.file = file,
				.name = name,
				.err = err,
				.comment = comment,
				.quotes = quotes,
				.line = 1,
				.column = 0};
}

int words_fail(const struct words *words, const struct word_place *at, const char *fmt, ...)
{
	struct lfp_reader_error *err = words->err;
	va_list ap;
	int used;

	err->line = at->line;
	err->key[0] = '\0';
	used = snprintf(err->text, sizeof(err->text), "%.255s:%d:%d: ", words->name, at->line,
			at->column);
	va_start(ap, fmt);
	vsnprintf(err->text + used, sizeof(err->text) - (size_t)used, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int next_byte(struct words *words)
{
	const int byte = getc(words->file);

	if (byte != EOF)
		words->column++;
	return byte;
}

static void put_back(struct words *words, int byte)
{
	if (byte == EOF)
		return;
	ungetc(byte, words->file);
	words->column--;
}

static bool is_printable(int byte)
{
	return byte > ' ' && byte < 0x7f;
}

static bool is_between(int byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static int end_of_file(struct words *words)
{
	if (!ferror(words->file)) {
		words->at_end = true;
		return WORD_END;
	}
	snprintf(words->err->text, sizeof(words->err->text), "%.255s: cannot be read", words->name);
	words->err->line = 0;
	words->err->key[0] = '\0';
	return -EIO;
}

static int end_of_line(struct words *words)
{
	words->line++;
	words->column = 0;
	words->in_comment = false;
	return WORD_LINE_END;
}

static int comment_word(struct words *words, struct word *word, int byte)
{
	size_t len = 0;

	for (; byte != EOF && byte != '\n' && !is_between(byte); byte = next_byte(words))
		if (len + 1 < sizeof(word->text))
			word->text[len++] = (char)(is_printable(byte) ? byte : '?');
	put_back(words, byte);
	word->text[len] = '\0';
	return WORD_COMMENT;
}

static int plain_word(struct words *words, struct word *word, int byte)
{
	size_t len = 0;
	int quote = 0;

	for (; byte != EOF && byte != '\n'; byte = next_byte(words)) {
		if (!quote && is_between(byte))
			break;
		if (!is_printable(byte) && !(quote && byte == ' '))
			return words_fail(
				words,
				&(struct word_place){words->name, words->line, words->column},
				"the byte X'%02X' is no printable character", byte);
		if (len + 1 == sizeof(word->text))
			return words_fail(words, &word->at,
					  "the word is longer than %zu characters",
					  sizeof(word->text) - 1);
		word->text[len++] = (char)byte;
		if (words->quotes && byte == quote)
			quote = 0;
		else if (words->quotes && !quote && (byte == '\'' || byte == '"'))
			quote = byte;
	}
	put_back(words, byte);
	word->text[len] = '\0';
	if (quote)
		return words_fail(words, &word->at, "the quote %c is not closed", quote);
	return WORD_PLAIN;
}

int words_next(struct words *words, struct word *word)
{
	int byte;

	do
		byte = next_byte(words);
	while (is_between(byte));
	word->at = (struct word_place){words->name, words->line, words->column + (byte == EOF)};
	word->text[0] = '\0';
	if (byte == EOF)
		return end_of_file(words);
	if (byte == '\n')
		return end_of_line(words);
	if (byte == words->comment)
		words->in_comment = true;
	return words->in_comment ? comment_word(words, word, byte) : plain_word(words, word, byte);
}

bool word_is(const char *text, const char *keyword)
{
	const size_t len = strlen(text);
	size_t needed = 0;

	while (keyword[needed] && !islower((unsigned char)keyword[needed]))
		needed++;
	return len >= needed && len <= strlen(keyword) && !strncasecmp(text, keyword, len);
}
