/* SPDX-License-Identifier: Apache-2.0 */
/* redirector-db.c - the rows of redirector.h, in PostgreSQL, by LE/C's sockets
 *
 * It includes LE/C's headers, which libcob's do not go with, so redirector.c is a file of its own.
 */
#include "pg.h"
#include "redirector.h"

static struct pg pg = {.s = -1};
static char command[256 + 4 * RECORD_MOST];

static int failed(void)
{
	fprintf(stderr, "redirector: %s\n", pg.error);
	return -1;
}

static int connected(void)
{
	const char *where = getenv("REDIRECT");
	const char *colon = where ? strchr(where, ':') : NULL;
	char host[16];

	if (pg.s >= 0)
		return 1;
	if (!colon || (size_t)(colon - where) >= sizeof(host)) {
		fprintf(stderr, "redirector: REDIRECT is not ADDRESS:PORT\n");
		return -1;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
	return pg_connect(&pg, host, colon + 1, "lfp", "postgres") == 0 ? 1 : failed();
}

/* Appends bytes as a text of SQL: '\x', hexadecimal digits, '. Returns the end. */
static char *hex(char *to, const void *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *from = bytes;
	size_t i;

	memcpy(to, "'\\x", 3);
	to += 3;
	for (i = 0; i < size; i++) {
		*to++ = digits[from[i] >> 4];
		*to++ = digits[from[i] & 15];
	}
	*to++ = '\'';
	*to = 0;
	return to;
}

/* Runs the command. Returns 1 if it has given a row, else 0. */
static int asked(void)
{
	int rows = 0, more = pg_query(&pg, command) == 0 ? 1 : -1;

	while (more > 0) {
		more = pg_row(&pg);
		rows |= more > 0;
	}
	return more < 0 ? failed() : rows;
}

int redirected_open(const char *file, int empty)
{
	if (connected() < 0)
		return -1;
	snprintf(
		command, sizeof(command),
		"set client_min_messages = warning; create table if not exists %s (key bytea primary key, "
		"record bytea not null); %s %s",
		file, empty ? "delete from" : "analyze", file);
	return pg_do(&pg, command) == 0 ? 1 : failed();
}

int redirected_insert(const char *file, const void *key, size_t key_size, const void *record,
		      size_t size)
{
	char *at = command + sprintf(command, "insert into %s values (", file);

	at = hex(at, key, key_size);
	*at++ = ',';
	at = hex(at, record, size);
	strcpy(at, ") on conflict do nothing returning 1");
	return asked();
}

int redirected_update(const char *file, const void *key, size_t key_size, const void *record,
		      size_t size)
{
	char *at = command + sprintf(command, "update %s set record = ", file);

	at = hex(at, record, size);
	at += sprintf(at, " where key = ");
	at = hex(at, key, key_size);
	strcpy(at, " returning 1");
	return asked();
}

int redirected_delete(const char *file, const void *key, size_t key_size)
{
	char *at = command + sprintf(command, "delete from %s where key = ", file);

	at = hex(at, key, key_size);
	strcpy(at, " returning 1");
	return asked();
}

static int nibble(char digit)
{
	return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

int redirected_read(const char *file, const char *compares, const void *key, size_t key_size,
		    void *record, size_t size)
{
	char *at = command +
		   sprintf(command, "select record from %s where key %s ", file, compares),
	     *to = record;
	const char *from;
	size_t have, i;

	at = hex(at, key, key_size);
	strcpy(at, " order by key limit 1");
	if (pg_query(&pg, command) != 0)
		return failed();
	switch (pg_row(&pg)) {
	case 0:
		return 0;
	case 1:
		break;
	default:
		return failed();
	}
	from = pg.value[0];
	if (!from || pg.size[0] < 2 || pg.size[0] % 2) {
		pg_is_wrong_row(&pg);
		return failed();
	}
	have = pg.size[0] / 2 - 1;
	for (i = 0; i < size; i++)
		to[i] = i < have ? (char)(nibble(from[2 + 2 * i]) << 4 | nibble(from[3 + 2 * i]))
				 : ' ';
	return pg_row(&pg) == 0 ? 1 : failed();
}
