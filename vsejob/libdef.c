/* SPDX-License-Identifier: Apache-2.0 */
/* libdef.c - // LIBDEF and // LIBDROP: the libraries where procedures are looked for */
#include "vsejob/libdef.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "vsejob/member.h"

#define OF_SYSTEM "IJSYSRS.SYSLIB"

bool libdef_is_for_procedures(const struct operands *ops)
{
	const char *type = ops->nr && !*ops->item[0].key ? ops->item[0].value : "";

	return !strcasecmp(type, "PROC") || !strcmp(type, "*");
}

static bool has_word(const struct operands *ops, const char *word)
{
	for (size_t i = 1; i < ops->nr; i++) {
		if (!*ops->item[i].key && !strcasecmp(ops->item[i].value, word))
			return true;
	}
	return false;
}

/* Are all places of the list lib.sublib? Folds them to upper case. */
static bool are_places(const char *list)
{
	char copy[LIBDEF_MAX], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", list);
	for (char *p = strtok_r(copy, ",", &rest); p; p = strtok_r(NULL, ",", &rest)) {
		if (!member_is_place(p))
			return false;
	}
	return *list != '\0';
}

const char *libdef_set(struct libdef *libdef, const struct operands *ops)
{
	char *chain = has_word(ops, "PERM") ? libdef->permanent : libdef->temporary;
	const char *search = operands_value(ops, "SEARCH");
	char list[LIBDEF_MAX], *places;

	/* CATALOG= alone says where LIBR puts members. There is no LIBR here. */
	if (!search)
		return operands_value(ops, "CATALOG") ? NULL : "SEARCH=lib.sublib is missing";
	if (strlen(search) >= sizeof(list))
		return "SEARCH= is too long";
	strcpy(list, search);
	places = member_strip_list(list);
	operands_fold(places);
	if (!are_places(places))
		return "SEARCH= needs lib.sublib, or several in parentheses";
	strcpy(chain, places);
	return NULL;
}

const char *libdef_drop(struct libdef *libdef, const struct operands *ops)
{
	(has_word(ops, "PERM") ? libdef->permanent : libdef->temporary)[0] = '\0';
	return NULL;
}

void libdef_end_job(struct libdef *libdef)
{
	libdef->temporary[0] = '\0';
}

const char *libdef_open(const struct libdef *libdef, const char *procedure, FILE **in,
			char name[static LFP_PLACE_MAX])
{
	static char why[2 * LIBDEF_MAX + 80];
	char places[2 * LIBDEF_MAX + 32], copy[sizeof(places)], member[MEMBER_NAME_LEN + 6];
	int rc;

	snprintf(places, sizeof(places), "%s%s%s%s%s", libdef->temporary,
		 *libdef->temporary ? "," : "", libdef->permanent, *libdef->permanent ? "," : "",
		 OF_SYSTEM);
	strcpy(copy, places);
	snprintf(member, sizeof(member), "%.8s.PROC", procedure);
	rc = member_open(in, copy, member, name);
	if (!rc)
		return NULL;
	if (rc == -ENOENT)
		snprintf(why, sizeof(why), "%s is not in %s", member, places);
	else
		snprintf(why, sizeof(why), "%.300s: %s", name, strerror(-rc));
	return why;
}
