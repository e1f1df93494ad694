/* SPDX-License-Identifier: Apache-2.0 */
/* member.c - members of libraries, which are files (lfp.conf(5)) */
#include "vsejob/member.h"

#include <errno.h>
#include <string.h>

#include "vsejob/operands.h"

#define LETTERS     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@"
#define LIBRARY_LEN 7u

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

bool member_is_place(char *text)
{
	return is_pair(text, LIBRARY_LEN, MEMBER_NAME_LEN);
}

bool member_is_name(char *text)
{
	return is_pair(text, MEMBER_NAME_LEN, MEMBER_NAME_LEN);
}

bool member_is_word(char *text)
{
	size_t len;

	operands_fold(text);
	len = strspn(text, LETTERS);
	return len && len <= MEMBER_NAME_LEN && !text[len];
}

char *member_strip_list(char *places)
{
	size_t len = strlen(places);

	if (*places != '(' || len < 2 || places[len - 1] != ')')
		return places;
	places[len - 1] = '\0';
	return places + 1;
}

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
	char *sublib = strchr(place, '.'), lower[2 * MEMBER_NAME_LEN + 2];
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

int member_open(FILE **in, char *places, const char *member, char name[static LFP_PLACE_MAX])
{
	char *rest = NULL;
	int rc = -ENOENT;

	for (char *p = strtok_r(places, ",", &rest); p; p = strtok_r(NULL, ",", &rest)) {
		if (!member_is_place(p))
			return -EINVAL;
		snprintf(name, LFP_PLACE_MAX, "%s(%s)", p, member);
		rc = open_in(in, p, member);
		if (rc != -ENOENT)
			break;
	}
	return rc;
}
