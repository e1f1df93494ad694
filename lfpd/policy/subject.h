/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h - the program that a rule is about: its groups, its file, its task */
#ifndef LFPD_POLICY_SUBJECT_H
#define LFPD_POLICY_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Theory of operation
 *
 * TASK_WHO tells what the LFP instance knows about the process of a task. A socket keeps the
 * subject that its task had when the socket was made, so a later exec or another holder of the
 * descriptor changes nothing. A subject never changes; sockets and tasks share it.
 *
 * An unknown fact must not weaken a rule: a rule that allows does not match then, and a rule that
 * denies does.
 */
struct subject {
	unsigned int references;
	bool is_unknown;                        /* all of it is, the user too */
	bool has_task, has_program, has_groups; /* false: unknown; of groups, there may be more */
	uint32_t uid;
	uint16_t task; /* as operators see it */
	unsigned int nr_groups;
	uint32_t *groups; /* in the same allocation, as is @program */
	char *program;    /* absolute path */
};

/* Facts to make a subject of. */
struct subject_facts {
	bool has_task, has_program, has_groups;
	uint32_t uid;
	uint16_t task;
	const char *program;
	size_t program_len;
	const uint8_t *groups; /* each 4 bytes, big-endian */
	unsigned int nr_groups;
};

/* Returns a subject with one reference, or NULL without memory. */
struct subject *subject_make(const struct subject_facts *facts);

/* The user's number of a subject that is unknown. */
#define SUBJECT_UID_UNKNOWN (UINT32_MAX - 1)

/* Returns the subject of which nothing is known. It needs no memory. */
struct subject *subject_unknown(void);

/* Add and drop a reference. NULL is allowed. */
struct subject *subject_keep(struct subject *subject);
void subject_drop(struct subject *subject);

/* The words of a rule about its subject, beside "user". */
struct subject_terms {
	bool has_group, has_task;
	uint32_t group;
	uint16_t task;
	const char *program; /* NULL: any */
};

#define SUBJECT_WHY 160 /* bytes of text about a wrong word */

/**
 * subject_read() - read "group", "program" or "task" with its value
 * @value:	NULL if there is none
 * @place:	room for a path, PATH_MAX bytes: @terms->program points there afterwards
 * @why:	set after an error
 *
 * Links in a program's path are followed now. Return: 1, 0 if @word is another word, or -EINVAL.
 */
int subject_read(struct subject_terms *terms, const char *word, const char *value, char *place,
		 char why[static SUBJECT_WHY]);

/* Returns true if the terms match. @unknown is the answer where a fact is unknown; so it is for all
 * facts of a @subject of NULL. */
bool subject_matches(const struct subject_terms *terms, const struct subject *subject,
		     bool unknown);

#endif
