/* SPDX-License-Identifier: Apache-2.0 */
/* subject.c - the program that a rule is about: its groups, its file, its task */
#include "lfpd/policy/subject.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/accounts.h"
#include "lfp/bigend.h"
#include "lfp/number.h"

struct subject *subject_make(const struct subject_facts *facts)
{
	size_t groups = facts->nr_groups * sizeof(uint32_t);
	struct subject *subject = malloc(sizeof(*subject) + groups + facts->program_len + 1);

	if (!subject)
		return NULL;
	*subject = (struct subject){
		.references = 1,
		.has_task = facts->has_task,
		.has_program = facts->has_program,
		.has_groups = facts->has_groups,
		.uid = facts->uid,
		.task = facts->task,
		.nr_groups = facts->nr_groups,
		.groups = (uint32_t *)(subject + 1),
	};
	for (unsigned int i = 0; i < facts->nr_groups; i++)
		subject->groups[i] = be32_get(facts->groups + 4u * i);
	subject->program = (char *)(subject + 1) + groups;
	if (facts->program_len)
		memcpy(subject->program, facts->program, facts->program_len);
	subject->program[facts->program_len] = '\0';
	return subject;
}

struct subject *subject_unknown(void)
{
	static char no_program[] = "";
	/* The first reference is never dropped. */
	static struct subject unknown = {
		.references = 1,
		.is_unknown = true,
		.uid = SUBJECT_UID_UNKNOWN,
		.program = no_program,
	};

	return &unknown;
}

struct subject *subject_keep(struct subject *subject)
{
	if (subject)
		subject->references++;
	return subject;
}

void subject_drop(struct subject *subject)
{
	if (subject && !--subject->references)
		free(subject);
}

static int read_group(struct subject_terms *terms, const char *value, char *why)
{
	unsigned long gid;

	terms->has_group = true;
	if (!lfp_number(value, 0, UINT32_MAX - 1, &gid)) {
		terms->group = (uint32_t)gid;
		return 1;
	}
	if (!lfp_accounts_group(value, &terms->group)) {
		snprintf(why, SUBJECT_WHY, "this host has no group \"%.100s\"", value);
		return -EINVAL;
	}
	return 1;
}

/* Returns false for a path that the kernel would write in another way. */
static bool is_plain_path(const char *path)
{
	const char *slash = path;

	if (*path != '/')
		return false;
	for (; slash; slash = strchr(slash + 1, '/')) {
		size_t len = strcspn(slash + 1, "/");

		if (!len || (len <= 2 && !strncmp(slash + 1, "..", len)))
			return false;
	}
	return true;
}

static int read_program(struct subject_terms *terms, const char *value, char *place, char *why)
{
	if (!is_plain_path(value) || strlen(value) >= PATH_MAX) {
		snprintf(why, SUBJECT_WHY,
			 "a program is an absolute path without //, . and .., not \"%.60s\"",
			 value);
		return -EINVAL;
	}
	if (!realpath(value, place))
		strcpy(place, value);
	terms->program = place;
	return 1;
}

/* lfpd-admin shows a task's id as hexadecimal digits. */
static int read_task(struct subject_terms *terms, const char *value, char *why)
{
	char *end;
	unsigned long id = strtoul(value, &end, 16);

	if (!*value || strspn(value, "0123456789ABCDEFabcdef") != strlen(value) ||
	    id > UINT16_MAX) {
		snprintf(why, SUBJECT_WHY, "a task is a number such as 2E, not \"%.60s\"", value);
		return -EINVAL;
	}
	terms->has_task = true;
	terms->task = (uint16_t)id;
	return 1;
}

int subject_read(struct subject_terms *terms, const char *word, const char *value, char *place,
		 char why[static SUBJECT_WHY])
{
	bool again;

	if (!strcmp(word, "group"))
		again = terms->has_group;
	else if (!strcmp(word, "program"))
		again = terms->program;
	else if (!strcmp(word, "task"))
		again = terms->has_task;
	else
		return 0;
	if (!value || again) {
		snprintf(why, SUBJECT_WHY, again ? "\"%s\" twice" : "no value after \"%s\"", word);
		return -EINVAL;
	}
	switch (*word) {
	case 'g':
		return read_group(terms, value, why);
	case 'p':
		return read_program(terms, value, place, why);
	}
	return read_task(terms, value, why);
}

static bool has_group(const struct subject *subject, uint32_t group, bool unknown)
{
	for (unsigned int i = 0; i < subject->nr_groups; i++)
		if (subject->groups[i] == group)
			return true;
	return subject->has_groups ? false : unknown;
}

bool subject_matches(const struct subject_terms *terms, const struct subject *subject, bool unknown)
{
	if (!terms->has_group && !terms->has_task && !terms->program)
		return true;
	if (!subject)
		return unknown;
	if (terms->has_task && !(subject->has_task ? subject->task == terms->task : unknown))
		return false;
	if (terms->program &&
	    !(subject->has_program ? !strcmp(subject->program, terms->program) : unknown))
		return false;
	return !terms->has_group || has_group(subject, terms->group, unknown);
}
