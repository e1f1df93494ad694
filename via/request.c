/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - commands to the appliance, and their answers in pieces */
#include "via/request.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lfp/number.h"

#define NUMBERS 0x10000u /* pieces of an answer; the digits have no more */

static const struct {
	const char *word;
	size_t least, most; /* words behind it */
} verbs[VIA_VERBS] = {
	[VIA_QUERY] = {"QUERY", 0, 1},       [VIA_STATUS] = {"STATUS", 0, 1},
	[VIA_LIST] = {"LIST", 0, 2},         [VIA_START] = {"START", 1, 1},
	[VIA_STOP] = {"STOP", 1, 1},         [VIA_RELOAD] = {"RELOAD", 0, 0},
	[VIA_TRACE] = {"TRACE", 2, 2},       [VIA_LOG] = {"LOG", 0, 1},
	[VIA_SHUTDOWN] = {"SHUTDOWN", 0, 0},
};

const char *via_verb_name(enum via_verb verb)
{
	return verbs[verb].word;
}

static int refuse(char *why, const char *fmt, const char *text)
{
	snprintf(why, VIA_WHY, fmt, text);
	return -EINVAL;
}

static bool is_printable(char c)
{
	return ' ' <= c && c <= '~';
}

/* The next word, folded. Returns its length, 0 at the end, or VIA_WORD_MAX if it is too long. */
static size_t next_word(const char *text, size_t len, size_t *at, char out[static VIA_WORD_MAX])
{
	size_t nr = 0;

	memset(out, 0, VIA_WORD_MAX);
	while (*at < len && text[*at] == ' ')
		++*at;
	for (; *at < len && text[*at] != ' '; ++*at) {
		if (nr == VIA_WORD_MAX - 1)
			return VIA_WORD_MAX;
		out[nr++] = (char)toupper((unsigned char)text[*at]);
	}
	return nr;
}

int via_request_decode(const char *text, size_t len, struct via_request *request,
		       char why[static VIA_WHY])
{
	char verb[VIA_WORD_MAX];
	size_t at = 0, got;

	memset(request, 0, sizeof(*request));
	if (len > VIA_REQUEST_MAX)
		return refuse(why, "a command is too long%s", "");
	for (size_t i = 0; i < len; i++)
		if (!is_printable(text[i]))
			return refuse(why, "a command has a byte that is not printable%s", "");
	got = next_word(text, len, &at, verb);
	if (!got || got == VIA_WORD_MAX)
		return refuse(why, "there is no such command%s", "");
	while (request->verb < VIA_VERBS && strcmp(verb, verbs[request->verb].word) != 0)
		request->verb++;
	if (request->verb == VIA_VERBS)
		return refuse(why, "there is no command %s", verb);
	for (;;) {
		char word[VIA_WORD_MAX];

		got = next_word(text, len, &at, word);
		if (!got)
			break;
		if (got == VIA_WORD_MAX || request->nr == verbs[request->verb].most)
			return refuse(why, "%s has a word too much, or one that is too long", verb);
		memcpy(request->words[request->nr++], word, sizeof(word));
	}
	if (request->nr < verbs[request->verb].least)
		return refuse(why, "%s lacks a word", verb);
	return 0;
}

void via_request_encode(const struct via_request *request, char out[static VIA_REQUEST_MAX + 1])
{
	size_t len = (size_t)snprintf(out, VIA_REQUEST_MAX + 1, "%s", verbs[request->verb].word);

	for (size_t i = 0; i < request->nr; i++)
		len += (size_t)snprintf(out + len, VIA_REQUEST_MAX + 1 - len, " %s",
					request->words[i]);
}

static int bad(char *why, const char *text)
{
	snprintf(why, VIA_WHY, "%s", text);
	return -EPROTO;
}

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c) : NULL;

	return found ? (int)(found - digits) : -1;
}

static int end_answer(struct via_answer *answer, const char *text, size_t len, char *why)
{
	unsigned long code;
	char digits[4];

	if (len >= sizeof(digits))
		return bad(why, "its exit code is too long");
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (lfp_number(digits, 0, 255, &code))
		return bad(why, "its exit code is no number");
	answer->ended = true;
	answer->code = (int)code;
	return 0;
}

int via_answer_take(struct via_answer *answer, const char *piece, size_t len, FILE *out,
		    char why[static VIA_WHY])
{
	unsigned int number = 0;

	if (answer->ended)
		return bad(why, "there is more behind its end");
	if (len < VIA_PIECE_HEAD || len > VIA_PIECE_MAX)
		return bad(why, "a piece has a wrong length");
	for (size_t i = 1; i < VIA_PIECE_HEAD; i++) {
		if (hex_digit(piece[i]) < 0)
			return bad(why, "a piece has no number");
		number = number * 16 + (unsigned int)hex_digit(piece[i]);
	}
	if (number != answer->next % NUMBERS)
		return bad(why, "a piece is missing");
	answer->next++;
	for (size_t i = VIA_PIECE_HEAD; i < len; i++)
		if (!is_printable(piece[i]))
			return bad(why, "a piece has a byte that is not printable");
	if (*piece == '.')
		return end_answer(answer, piece + VIA_PIECE_HEAD, len - VIA_PIECE_HEAD, why);
	if (*piece != '+' && *piece != '-')
		return bad(why, "a piece begins with an unknown sign");
	fwrite(piece + VIA_PIECE_HEAD, 1, len - VIA_PIECE_HEAD, out);
	if (*piece == '-')
		fputc('\n', out);
	return 0;
}

size_t via_piece_make(struct via_pieces *pieces, const char *text, size_t len,
		      char out[static VIA_PIECE_MAX + 1])
{
	const size_t room = VIA_PIECE_MAX - VIA_PIECE_HEAD, nr = len < room ? len : room;

	snprintf(out, VIA_PIECE_MAX + 1, "%c%04x", nr == len ? '-' : '+', pieces->next++ % NUMBERS);
	for (size_t i = 0; i < nr; i++)
		out[VIA_PIECE_HEAD + i] = is_printable(text[i]) ? text[i] : '?';
	out[VIA_PIECE_HEAD + nr] = '\0';
	return nr;
}

void via_piece_end(struct via_pieces *pieces, int code, char out[static VIA_PIECE_MAX + 1])
{
	snprintf(out, VIA_PIECE_MAX + 1, ".%04x%d", pieces->next++ % NUMBERS, code & 0xff);
}
