/* SPDX-License-Identifier: Apache-2.0 */
/* errno.c - errors of the z/VSE interfaces, in the numbers that programs compare with */
#include "libvsesock/vse/errno.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *symbol;
	int number[VSE_SPACES]; /* 0: none */
};

/* Made from errno-map.csv by the Makefile. */
static const struct row rows[] = {
#include "errno-map.inc"
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

enum vse_space vse_space(void)
{
	const char *name = getenv("LFP_ERRNO");

	if (name && !strcmp(name, "zos"))
		return VSE_ZOS;
	return name && !strcmp(name, "linux") ? VSE_LINUX : VSE_ZVSE;
}

static int error_of(const struct row *row)
{
	return row->number[VSE_LINUX] ? row->number[VSE_LINUX] : VSE_EXTRA + (int)(row - rows);
}

static const struct row *find_symbol(const char *symbol)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].symbol, symbol))
			return &rows[i];
	return NULL;
}

/* Linux has one number for EAGAIN and EWOULDBLOCK; here it means EAGAIN (see vse_errno_io()). It
 * has one for ENOTSUP and EOPNOTSUPP; calls on sockets mean the latter. */
static const struct row *find(int error)
{
	if (error >= VSE_EXTRA)
		return (size_t)(error - VSE_EXTRA) < NR_ROWS ? &rows[error - VSE_EXTRA] : NULL;
	if (error == EOPNOTSUPP)
		return find_symbol("EOPNOTSUPP");
	for (size_t i = 0; i < NR_ROWS; i++)
		if (rows[i].number[VSE_LINUX] == error)
			return &rows[i];
	return NULL;
}

static int number_of(const struct row *row, enum vse_space space)
{
	return row->number[space] ? row->number[space] : row->number[VSE_ZVSE];
}

int vse_errno(enum vse_space space, int error)
{
	const struct row *row = find(error);

	return number_of(row ? row : find_symbol("EIO"), space);
}

int vse_errno_io(enum vse_space space, int error)
{
	return error == EAGAIN ? number_of(find_symbol("EWOULDBLOCK"), space)
			       : vse_errno(space, error);
}

int vse_errno_back(enum vse_space space, int number)
{
	for (size_t i = 0; i < NR_ROWS && number; i++)
		if (rows[i].number[space] == number)
			return error_of(&rows[i]);
	/* Errors that have no number in this space. */
	for (size_t i = 0; i < NR_ROWS && number; i++)
		if (!rows[i].number[space] && rows[i].number[VSE_ZVSE] == number)
			return error_of(&rows[i]);
	return 0;
}

int vse_errno_of(const char *symbol)
{
	const struct row *row = find_symbol(symbol);

	return row ? error_of(row) : 0;
}

const char *vse_errno_symbol(int error)
{
	const struct row *row = find(error);

	return row ? row->symbol : "EIO";
}

int vse_errno_row(size_t row)
{
	return row < NR_ROWS ? error_of(&rows[row]) : 0;
}
