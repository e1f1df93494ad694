/* SPDX-License-Identifier: Apache-2.0 */
/* bitmask.c - EZACIC06: converts masks of SELECT to characters and back */
#include <string.h>

#include "include/ezasoket.h"
#include "libvsesock/core/export.h"
#include "libvsesock/eza/args.h"

/*
 * TOKEN, COMMAND, BIT-MASK, CHAR-STRING, CHAR-LENGTH, RETCODE, or the same without TOKEN, the older
 * call. The first character is descriptor 0 in both (SC27-3653, EZACIC06; z/Journal 9/2003, p. 4).
 */
#define WORD 4
enum { AT_COMMAND, AT_BITS, AT_CHARS, AT_LENGTH, AT_RETCODE, PARAMETERS };

struct mask {
	const struct eza_arg *args;
	long length;
	bool ebcdic;
};

static uint8_t *character(const struct mask *mask, long s)
{
	return (uint8_t *)mask->args[AT_CHARS].data + s;
}

static char *word(const struct mask *mask, long s)
{
	return (char *)mask->args[AT_BITS].data + s / 32 * 4;
}

/* Refuses characters other than 0 and 1 before it writes anything. */
static int to_bits(const struct mask *mask)
{
	enum eza_order order = mask->args[AT_BITS].order;
	uint8_t zero = mask->ebcdic ? 0xF0 : '0';

	for (long s = 0; s < mask->length; s++)
		if ((*character(mask, s) | 1) != (zero | 1))
			return -1;
	for (long first = 0; first < mask->length; first += 32) {
		uint32_t bits = 0;

		for (long s = first; s < mask->length && s < first + 32; s++)
			if (*character(mask, s) != zero)
				bits |= UINT32_C(1) << (s % 32);
		eza_set_word(order, word(mask, first), bits);
	}
	return 0;
}

static int to_characters(const struct mask *mask)
{
	enum eza_order order = mask->args[AT_BITS].order;

	for (long s = 0; s < mask->length; s++) {
		uint32_t bit = eza_word(order, word(mask, s)) >> (s % 32) & 1;

		*character(mask, s) = (uint8_t)((mask->ebcdic ? 0xF0 : '0') + bit);
	}
	return 0;
}

static int convert(struct mask *mask)
{
	const uint8_t *bytes = mask->args[AT_COMMAND].data;
	char command[WORD];
	bool gives_bits;

	if (eza_check(&mask->args[AT_COMMAND], WORD) || eza_check(&mask->args[AT_LENGTH], 4))
		return -1;
	mask->ebcdic = bytes[0] >= 0xC1;
	for (int i = 0; i < WORD; i++)
		command[i] = (char)(mask->ebcdic ? eza_to_latin[bytes[i]] : bytes[i]);
	mask->length = eza_number(&mask->args[AT_LENGTH], 4);
	if (mask->length < 1 || mask->length > VSE_DESCRIPTORS ||
	    eza_check(&mask->args[AT_CHARS], (size_t)mask->length) ||
	    eza_check(&mask->args[AT_BITS], (size_t)(mask->length + 31) / 32 * 4))
		return -1;
	gives_bits = !memcmp(command, "CTOB", WORD);
	if (!gives_bits && memcmp(command, "BTOC", WORD) != 0)
		return -1;
	if (gives_bits
		    ? eza_check_result(&mask->args[AT_BITS], (size_t)(mask->length + 31) / 32 * 4)
		    : eza_check_result(&mask->args[AT_CHARS], (size_t)mask->length))
		return -1;
	return gives_bits ? to_bits(mask) : to_characters(mask);
}

EXPORT int EZACIC06(void *first, ...)
{
	struct eza_arg args[PARAMETERS + 1];
	struct mask mask = {.args = args};
	va_list ap;
	int nr, rc;

	va_start(ap, first);
	nr = eza_take_args(args, PARAMETERS + 1, PARAMETERS, first, ap);
	va_end(ap);
	if (nr < PARAMETERS)
		return 0;
	mask.args = args + nr - PARAMETERS;
	if (eza_check_result(&mask.args[AT_RETCODE], 4))
		return 0;
	rc = convert(&mask);
	eza_set_number(&mask.args[AT_RETCODE], 4, rc);
	return 0;
}
