/* SPDX-License-Identifier: Apache-2.0 */
/* vm-directory.c - the user directory of the pretend z/VM: who may connect to whom by IUCV */
#include "transport/vm-directory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/number.h"
#include "lfp/places.h"

#define LINE_BYTES 512 /* of a line, with its end */
#define WORDS_MAX  16

struct right {
	char to[9]; /* "" in ALLOW and ANY */
	uint32_t msglimit;
};

struct user {
	char name[9];
	int line;
	struct right *allow, *any; /* NULL: not given */
	struct right *to;
	size_t nr_to;
	uint32_t maxconn;
	bool has_maxconn;
};

struct vm_directory {
	struct user *users;
	size_t nr_users;
	struct machine machine;
};

struct reader {
	struct vm_directory *dir;
	const char *name;
	struct lfp_reader_error *err;
	int line;
};

static int __attribute__((format(printf, 3, 4)))
fail(struct reader *rd, const char *key, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = lfp_reader_fail(rd->err, rd->name, rd->line, key, fmt, ap);
	va_end(ap);
	return rc;
}

static struct user *find(const struct vm_directory *dir, const char *name)
{
	for (size_t i = 0; i < dir->nr_users; i++) {
		if (!strcmp(dir->users[i].name, name))
			return &dir->users[i];
	}
	return NULL;
}

/* Splits a line into words, in upper case, in place. Returns their number, at most WORDS_MAX +
 * 1. */
static size_t split(char *text, char *words[static WORDS_MAX + 1])
{
	static const char blanks[] = " \t\r\n";
	size_t nr = 0;
	char *rest = NULL;

	for (char *p = text; *p; p++) {
		if (*p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
	}
	for (char *word = strtok_r(text, blanks, &rest); word && nr <= WORDS_MAX;
	     word = strtok_r(NULL, blanks, &rest))
		words[nr++] = word;
	return nr;
}

static int take_number(struct reader *rd, const char *key, const char *text, uint32_t *value)
{
	unsigned long number;

	if (lfp_number(text, 1, VM_MSGLIMIT_MAX, &number) < 0)
		return fail(rd, key, "'%s' is not a number from 1 to %u", text, VM_MSGLIMIT_MAX);
	*value = (uint32_t)number;
	return 0;
}

static int take_user(struct reader *rd, char **words, size_t nr)
{
	struct vm_directory *dir = rd->dir;
	const struct user *same;
	struct user *users;

	if (nr < 2 || lfp_check_vmid(words[1]) < 0)
		return fail(rd, "USER", "a z/VM user id of 1 to 8 characters is missing");
	if (nr > 2)
		return fail(rd, "USER", "unexpected word '%s'", words[2]);
	same = find(dir, words[1]);
	if (same)
		return fail(rd, "USER", "%s has an entry already, in line %d", words[1],
			    same->line);
	if (dir->nr_users == VM_USERS_MAX)
		return fail(rd, "USER", "there are more than %u entries", VM_USERS_MAX);
	users = reallocarray(dir->users, dir->nr_users + 1, sizeof(*users));
	if (!users)
		return -ENOMEM;
	dir->users = users;
	users[dir->nr_users] = (struct user){.line = rd->line, .maxconn = VM_MAXCONN};
	strcpy(users[dir->nr_users++].name, words[1]);
	return 0;
}

/* Returns a new place for the right to connect to @to, or sets the reason why not. */
static int add_right(struct reader *rd, struct user *user, const char *to, uint32_t msglimit)
{
	struct right *rights;

	for (size_t i = 0; i < user->nr_to; i++) {
		if (!strcmp(user->to[i].to, to))
			return fail(rd, "IUCV", "%s is given twice to %s", to, user->name);
	}
	rights = reallocarray(user->to, user->nr_to + 1, sizeof(*rights));
	if (!rights)
		return -ENOMEM;
	user->to = rights;
	rights[user->nr_to].msglimit = msglimit;
	strcpy(rights[user->nr_to++].to, to);
	return 0;
}

static int set_right(struct reader *rd, const struct user *user, struct right **right,
		     const char *word, uint32_t msglimit)
{
	if (*right)
		return fail(rd, "IUCV", "%s is given twice to %s", word, user->name);
	*right = calloc(1, sizeof(**right));
	if (!*right)
		return -ENOMEM;
	(*right)->msglimit = msglimit;
	return 0;
}

static int take_iucv(struct reader *rd, struct user *user, char **words, size_t nr)
{
	uint32_t msglimit = VM_MSGLIMIT_MAX;
	int rc;

	if (nr < 2)
		return fail(rd, "IUCV", "ALLOW, ANY or a z/VM user id is missing");
	if (nr > 2) {
		if (strcmp(words[2], "MSGLIMIT") || nr > 4)
			return fail(rd, "IUCV", "'%s' is not supported, only MSGLIMIT and a number",
				    words[nr > 4 ? 4 : 2]);
		if (nr == 3)
			return fail(rd, "MSGLIMIT", "a number is missing");
		rc = take_number(rd, "MSGLIMIT", words[3], &msglimit);
		if (rc < 0)
			return rc;
	}
	if (!strcmp(words[1], "ALLOW"))
		return set_right(rd, user, &user->allow, words[1], msglimit);
	if (!strcmp(words[1], "ANY"))
		return set_right(rd, user, &user->any, words[1], msglimit);
	if (lfp_check_vmid(words[1]) < 0)
		return fail(rd, "IUCV", "'%s' is neither ALLOW nor ANY nor a z/VM user id",
			    words[1]);
	return add_right(rd, user, words[1], msglimit);
}

static int take_option(struct reader *rd, struct user *user, char **words, size_t nr)
{
	if (nr < 2 || strcmp(words[1], "MAXCONN"))
		return fail(rd, "OPTION", "only MAXCONN is supported");
	if (nr != 3)
		return fail(rd, "MAXCONN", nr < 3 ? "a number is missing" : "one word too many");
	if (user->has_maxconn)
		return fail(rd, "MAXCONN", "is given twice to %s", user->name);
	user->has_maxconn = true;
	return take_number(rd, "MAXCONN", words[2], &user->maxconn);
}

static int take_machine(struct reader *rd, char **words, size_t nr)
{
	char why[MACHINE_TEXT];

	if (nr > WORDS_MAX)
		return fail(rd, words[0], "has too many words");
	return machine_take(&rd->dir->machine, words, nr, why) ? 0 : fail(rd, words[0], "%s", why);
}

static int take_line(struct reader *rd, char *text)
{
	struct vm_directory *dir = rd->dir;
	char *words[WORDS_MAX + 1];
	size_t nr;

	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if ((c < 0x20 && !strchr("\t\r\n", c)) || c == 0x7f)
			return fail(rd, "", "control character 0x%02x in column %zu", c,
				    (size_t)(p - text) + 1);
	}
	if (*text == '*')
		return 0;
	nr = split(text, words);
	if (!nr)
		return 0;
	if (!strcmp(words[0], "USER"))
		return take_user(rd, words, nr);
	if (machine_is(words[0]))
		return take_machine(rd, words, nr);
	if (strcmp(words[0], "IUCV") && strcmp(words[0], "OPTION"))
		return fail(rd, "",
			    "'%.40s' is not USER, IUCV or OPTION, nor MACHINE, LEVEL or MODE",
			    words[0]);
	if (!dir->nr_users)
		return fail(rd, words[0], "stands before the first USER");
	if (*words[0] == 'I')
		return take_iucv(rd, &dir->users[dir->nr_users - 1], words, nr);
	return take_option(rd, &dir->users[dir->nr_users - 1], words, nr);
}

int vm_directory_read(FILE *in, const char *name, struct vm_directory **out,
		      struct lfp_reader_error *err)
{
	struct reader rd = {.name = name, .err = err};
	char text[LINE_BYTES];
	int rc = 0;

	memset(err, 0, sizeof(*err));
	rd.dir = calloc(1, sizeof(*rd.dir));
	if (!rd.dir)
		return -ENOMEM;
	machine_init(&rd.dir->machine);
	while (!rc) {
		size_t len = 0;
		int c;

		errno = 0;
		rd.line++;
		while ((c = getc(in)) != EOF && c != '\n') {
			if (len == sizeof(text) - 1)
				break;
			/* A NUL would hide what comes after it; 0x01 is refused as one. */
			text[len++] = c ? (char)c : '\1';
		}
		text[len] = '\0';
		if (c != EOF && c != '\n') {
			rc = fail(&rd, "", "the line is longer than %zu bytes", sizeof(text) - 1);
		} else if (c == EOF && ferror(in)) {
			rc = errno ? -errno : -EIO;
		} else {
			rc = take_line(&rd, text);
			if (c == EOF)
				break;
		}
	}
	if (rc) {
		vm_directory_free(rd.dir);
		return rc;
	}
	*out = rd.dir;
	return 0;
}

void vm_directory_free(struct vm_directory *dir)
{
	if (!dir)
		return;
	for (size_t i = 0; i < dir->nr_users; i++) {
		free(dir->users[i].allow);
		free(dir->users[i].any);
		free(dir->users[i].to);
	}
	free(dir->users);
	free(dir);
}

/* Finds the right by which @from may connect to @to: the most specific one. */
static const struct right *find_right(const struct user *from, const struct user *to)
{
	for (size_t i = 0; i < from->nr_to; i++) {
		if (!strcmp(from->to[i].to, to->name))
			return &from->to[i];
	}
	return from->any ? from->any : to->allow;
}

const struct machine *vm_directory_machine(const struct vm_directory *dir)
{
	return &dir->machine;
}

void vm_directory_ask(const struct vm_directory *dir, const char *from, const char *to,
		      struct vm_verdict *verdict)
{
	const struct user *source = find(dir, from), *target = find(dir, to);
	const struct right *right;

	*verdict = (struct vm_verdict){
		.msglimit = VM_MSGLIMIT_MAX, .from_maxconn = VM_MAXCONN, .to_maxconn = VM_MAXCONN};
	/* Only a machine is declared, and no guests. */
	if (!dir->nr_users && dir->machine.declared)
		return;
	if (!target) {
		verdict->error = -ENETUNREACH;
		snprintf(verdict->why, sizeof(verdict->why), "USER %s is missing", to);
		return;
	}
	if (!source) {
		verdict->error = -EACCES;
		snprintf(verdict->why, sizeof(verdict->why), "USER %s is missing", from);
		return;
	}
	verdict->from_maxconn = source->maxconn;
	verdict->to_maxconn = target->maxconn;
	right = find_right(source, target);
	if (!right) {
		verdict->error = -EACCES;
		snprintf(verdict->why, sizeof(verdict->why),
			 "the entry of %s has neither IUCV ANY nor IUCV %s, and that of %s no IUCV "
			 "ALLOW",
			 from, to, to);
		return;
	}
	verdict->msglimit = right->msglimit;
}
