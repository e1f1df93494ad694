/* SPDX-License-Identifier: Apache-2.0 */
/* sli.c - * $$ SLI: a member of a library in the place of a card */
#include "vsejob/sli.h"

#include <errno.h>
#include <string.h>

#include "vsejob/jecl.h"
#include "vsejob/operands.h"

#define LETTERS     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@"
#define LIBRARY_LEN 7u
#define NAME_LEN    8u

bool sli_is(const char *card)
{
	return jecl_is(card, "SLI");
}

/* Is @text two names with a dot between them, of at most @first and @second characters? Folds it to
 * upper case. */
static bool is_pair(char *text, size_t first, size_t second)
{
	size_t len, rest;

	operands_fold(text);
	len = strspn(text, LETTERS);
	if (!len || len > first || text[len] != '.')
		return false;
	rest = strspn(text + len + 1, LETTERS);
	return rest && rest <= second && !text[len + 1 + rest];
}

/* Members have names in upper case, or in lower case. */
static int open_at(FILE **in, const char *lib, const char *sublib, const char *member)
{
	char path[LFP_PLACE_MAX];
	int rc = lfp_place_member(path, lib, sublib, member);

	if (rc < 0)
		return rc;
	*in = fopen(path, "re");
	return *in ? 0 : -errno;
}

static void fold_down(char *text)
{
	for (; *text; text++) {
		if (*text >= 'A' && *text <= 'Z')
			*text = (char)(*text - 'A' + 'a');
	}
}

/* @place is lib.sublib, and changed. */
static int open_in(FILE **in, char *place, const char *member)
{
	char *sublib = strchr(place, '.'), lower[2 * NAME_LEN + 2];
	int rc;

	*sublib++ = '\0';
	rc = open_at(in, place, sublib, member);
	if (rc != -ENOENT)
		return rc;
	snprintf(lower, sizeof(lower), "%s", member);
	fold_down(place);
	fold_down(sublib);
	fold_down(lower);
	return open_at(in, place, sublib, lower);
}

/* Tries each of @places, "lib.sublib,lib.sublib". */
static const char *search(FILE **in, char *places, const char *member, char *name)
{
	char *rest = NULL;
	int rc = -ENOENT;

	for (char *p = strtok_r(places, ",", &rest); p; p = strtok_r(NULL, ",", &rest)) {
		if (!is_pair(p, LIBRARY_LEN, NAME_LEN))
			return "S= needs lib.sublib, or several in parentheses";
		snprintf(name, LFP_PLACE_MAX, "%s(%s)", p, member);
		rc = open_in(in, p, member);
		if (rc != -ENOENT)
			break;
	}
	return rc ? strerror(-rc) : NULL;
}

const char *sli_open(const char *card, FILE **in, char name[static LFP_PLACE_MAX])
{
	static char text[256];
	char *member = NULL, *places = NULL;
	struct operands ops;
	const char *why;
	size_t len;

	name[0] = '\0';
	snprintf(text, sizeof(text), "%s", jecl_operands(card));
	why = operands_split(&ops, text);
	if (why)
		return why;
	for (size_t i = 0; i < ops.nr; i++) {
		if (!strcmp(ops.item[i].key, "MEM") && !member)
			member = ops.item[i].value;
		else if (!strcmp(ops.item[i].key, "S") && !places)
			places = ops.item[i].value;
		else
			return "only MEM=name.type and S=lib.sublib are supported";
	}
	if (!member || !is_pair(member, NAME_LEN, NAME_LEN))
		return "MEM=name.type is missing";
	if (!places)
		return "S=lib.sublib is missing";
	len = strlen(places);
	if (*places == '(' && len > 1 && places[len - 1] == ')') {
		places[len - 1] = '\0';
		places++;
	}
	return search(in, places, member, name);
}
