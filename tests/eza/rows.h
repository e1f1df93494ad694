/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - what the program of tests/apps/cobol/table_c.py needs: data items of COBOL in C, and
 * calls with them */
#ifndef TESTS_EZA_ROWS_H
#define TESTS_EZA_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "eza.h"

/* Of a data item: a number on level 01, in a group, in the order of the network; in letters; a
 * text; a pointer. */
enum kind { NUMBER, MEMBER, NETWORK, DIGITS, TEXT, POINTER };

struct item {
	void *at;
	int size;
	enum kind kind;
};

static inline bool is_big_endian(enum kind kind)
{
	return kind == NETWORK || mode == BINARY || (kind == MEMBER && mode != IN_C);
}

static inline long number_of(struct item item)
{
	const unsigned char *p = item.at;
	unsigned long value = 0;

	for (int i = 0; i < item.size; i++) {
		if (item.kind == DIGITS)
			value = value * 10 + (p[i] & 15u);
		else
			value = value << 8 | p[is_big_endian(item.kind) ? i : item.size - 1 - i];
	}
	return item.kind != DIGITS && item.size == 4 ? (int32_t)value : (long)value;
}

static inline void move_number(long value, struct item to)
{
	unsigned char *p = to.at;
	unsigned long left = (unsigned long)value;

	for (int i = to.size; i-- > 0;) {
		if (to.kind == DIGITS) {
			p[i] = (unsigned char)('0' + left % 10);
			left /= 10;
		} else {
			p[is_big_endian(to.kind) ? i : to.size - 1 - i] = (unsigned char)left;
			left >>= 8;
		}
	}
}

static inline void move_text(const void *from, int size, struct item to)
{
	if (size > to.size)
		size = to.size;
	memmove(to.at, from, (size_t)size);
	memset((char *)to.at + size, ' ', (size_t)(to.size - size));
}

static inline void move_all(int c, struct item to)
{
	memset(to.at, c, (size_t)to.size);
}

static inline void *pointer_of(struct item item)
{
	void *p;

	memcpy(&p, item.at, sizeof(p));
	return p;
}

static inline void set_pointer(void *p, struct item to)
{
	memcpy(to.at, &p, sizeof(p));
}

/* The shorter text has blanks behind it. */
static inline int compare_text(struct item one, const void *text, int size)
{
	int most = one.size > size ? one.size : size, differ = 0;
	const unsigned char *a = one.at, *b = text;

	for (int i = 0; i < most && !differ; i++)
		differ = (i < one.size ? a[i] : ' ') - (i < size ? b[i] : ' ');
	return differ;
}

static inline bool is_all(struct item item, int c)
{
	for (int i = 0; i < item.size; i++) {
		if (((unsigned char *)item.at)[i] != c)
			return false;
	}
	return true;
}

static inline int type_of(enum kind kind)
{
	switch (kind) {
	case NUMBER:
		return mode == COMP5 ? TYPE_COMP5 : TYPE_BINARY;
	case MEMBER:
	case NETWORK:
		return TYPE_BINARY;
	case DIGITS:
		return TYPE_DISPLAY;
	case TEXT:
		return TYPE_ALNUM;
	default:
		return TYPE_GROUP;
	}
}

/* Calls a routine of the library as a COBOL program does. Returns its RETURN-CODE. */
static inline int call_routine(int (*routine)(const void *, ...), const struct item *items, int nr)
{
	const void *p[MOST] = {NULL};

	fake.nr = nr;
	for (int i = 0; i < nr; i++) {
		p[i] = items[i].at;
		fake.size[i] = items[i].size;
		fake.type[i] = type_of(items[i].kind);
	}
	return routine(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11],
		       p[12], p[13], p[14], p[15]);
}

int VSETASK(const void *, ...);
int EZASTRUE(const void *, ...);

#endif
