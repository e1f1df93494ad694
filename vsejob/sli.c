/* SPDX-License-Identifier: Apache-2.0 */
/* sli.c - * $$ SLI: a member of a library in the place of a card */
#include "vsejob/sli.h"

#include <errno.h>
#include <string.h>

#include "vsejob/jecl.h"
#include "vsejob/member.h"
#include "vsejob/operands.h"

bool sli_is(const char *card)
{
	return jecl_is(card, "SLI");
}

/* Other forms of VSE/POWER, which name members of the ICCF libraries. */
static bool is_iccf(const char *key)
{
	return !strcmp(key, "ICCF") || !strcmp(key, "LIB");
}

static const char *search(FILE **in, char *places, const char *member, char *name)
{
	int rc = member_open(in, member_strip_list(places), member, name);

	if (rc == -EINVAL)
		return "S= needs lib.sublib, or several in parentheses";
	return rc ? strerror(-rc) : NULL;
}

const char *sli_open(const char *card, FILE **in, char name[static LFP_PLACE_MAX])
{
	static char text[256];
	char *member = NULL, *places = NULL;
	struct operands ops;
	const char *why;

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
		else if (is_iccf(ops.item[i].key))
			return "ICCF= and LIB= are not supported, because there are no ICCF "
			       "libraries: use MEM=name.type and S=lib.sublib";
		else
			return "only MEM=name.type and S=lib.sublib are supported";
	}
	if (!member || !member_is_name(member))
		return "MEM=name.type is missing";
	if (!places)
		return "S=lib.sublib is missing";
	return search(in, places, member, name);
}
