/* SPDX-License-Identifier: Apache-2.0 */
/* field.h - one parameter of a configuration: its key, its range, its place */
#ifndef LFP_FIELD_H
#define LFP_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * A configuration is a struct and a table of fields that tells how text becomes its members. The
 * readers of both sides (lfpd's file, the START statements) share it; they differ in their syntax
 * only.
 */
enum lfp_field_kind {
	LFP_FIELD_NAME,      /* char[9]: instance or IUCV application name */
	LFP_FIELD_VMID,      /* char[9]: z/VM user id */
	LFP_FIELD_NN,        /* char[3]: two digits */
	LFP_FIELD_NUMBER,    /* unsigned int within min..max */
	LFP_FIELD_SIZE,      /* unsigned int, bytes within min..max, K and M allowed */
	LFP_FIELD_YESNO,     /* bool */
	LFP_FIELD_CODEPAGE,  /* char[32]: a code page that iconv converts from and to */
	LFP_FIELD_IPV4,      /* struct in_addr; 0.0.0.0 means absent */
	LFP_FIELD_IPV6,      /* struct in6_addr; :: means absent */
	LFP_FIELD_CHOICE,    /* unsigned int: which of the words in choices */
	LFP_FIELD_USER,      /* struct lfp_id: a user of this host, by name or number */
	LFP_FIELD_GROUP,     /* struct lfp_id: a group of this host, by name or number */
	LFP_FIELD_PLACE,     /* char[108]: an absolute path */
	LFP_FIELD_FILE,      /* char[960]: an absolute path that names no socket */
	LFP_FIELD_PUBLISH,   /* char[960]: see publish.h */
	LFP_FIELD_LOG,       /* char[108]: "journal", "memory" or an absolute path */
	LFP_FIELD_ENDPOINT,  /* char[108]: where something listens, see endpoint.h */
	LFP_FIELD_INTERFACE, /* char[16]: a network interface */
	LFP_FIELD_NETNS,     /* char[108]: a network namespace, see netns.h */
};

#define LFP_FIELD_CODEPAGE_MAX 32
#define LFP_FIELD_ID_MAX       32
#define LFP_FIELD_PLACE_MAX    108
#define LFP_FIELD_FILE_MAX     960 /* iniparser reads lines of 1024 bytes */
#define LFP_FIELD_IF_MAX       16  /* IF_NAMESIZE */

/* A user or a group. */
struct lfp_id {
	char name[LFP_FIELD_ID_MAX + 1]; /* as it was given; "" means absent */
	unsigned int id;
};

/* Properties of a field. */
enum {
	LFP_FIELD_LIVE = 1, /* may change while the program runs */
	LFP_FIELD_OURS = 2, /* not IBM's */
};

struct lfp_field {
	const char *key;
	enum lfp_field_kind kind;
	size_t offset; /* of the member in its struct */
	unsigned int min, max;
	const char *initial; /* default, as text; NULL: the member stays all zero ("absent") */
	bool mandatory;
	const char *doc; /* one line */
	unsigned int flags;
	const char *choices; /* of LFP_FIELD_CHOICE: words with a blank between them */
	const char *sample;  /* value in the sample file; NULL: it is not set there */
};

/* Fill the struct at @base: all members zero (@size bytes), then the defaults. A code page is not
 * looked for: the system may lack it. */
void lfp_fields_init(const struct lfp_field *fields, size_t nr, void *base, size_t size);

/* The field of this key, in either case, or NULL. */
const struct lfp_field *lfp_fields_find(const struct lfp_field *fields, size_t nr, const char *key);

/* The key that @key most likely stands for, which differs in a letter or two; NULL if none does. */
const char *lfp_fields_nearest(const struct lfp_field *fields, size_t nr, const char *key);

/* Set the member from text. Returns 0, or -EINVAL with the reason, a half-sentence, in @reason. */
int lfp_field_set(const struct lfp_field *field, void *base, const char *text, char *reason,
		  size_t size);

/* Write the member's value as text; nothing for an absent one. */
void lfp_field_print(const struct lfp_field *field, const void *base, FILE *out);

/* Returns true if the member is absent (all zero); false for numbers, choices and yes/no. */
bool lfp_field_absent(const struct lfp_field *field, const void *base);

/* Returns true if the members of two structs are equal. */
bool lfp_field_equal(const struct lfp_field *field, const void *a, const void *b);

/* Give the member of the struct at @to the value that it has in @from. */
void lfp_field_copy(const struct lfp_field *field, void *to, const void *from);

#endif
