/* SPDX-License-Identifier: Apache-2.0 */
/* pg.h - a small client of PostgreSQL's protocol, version 3, by LE/C's sockets
 *
 * For programs of the table applications, whose database has no passwords. A function returns 0 or
 * more, or -1; error then has the reason, which stays until the next call. One call at a time uses
 * a struct pg. The protocol: PostgreSQL's documentation, "Frontend/Backend Protocol".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PG_MOST    (64 << 20) /* bytes of a message */
#define PG_COLUMNS 4

struct pg {
	int s;
	char *body; /* of the last message, and a 0 behind it; the struct's own */
	size_t room;
	size_t length;
	int columns; /* of a row: pointers into body, and lengths; a NULL of SQL is NULL */
	char *value[PG_COLUMNS];
	size_t size[PG_COLUMNS];
	char error[200];
};

static int pg_failed(struct pg *pg, const char *call)
{
	snprintf(pg->error, sizeof(pg->error), "%s: errno %d%s", call, errno,
		 errno == EBADF ? " EBADF" : "");
	return -1;
}

static unsigned long pg_number(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;

	return (unsigned long)p[0] << 24 | (unsigned long)p[1] << 16 | (unsigned long)p[2] << 8 |
	       p[3];
}

static int pg_send(struct pg *pg, const char *data, size_t length)
{
	while (length) {
		ssize_t n = send(pg->s, data, length, 0);

		if (n <= 0)
			return pg_failed(pg, "send");
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

static int pg_receive(struct pg *pg, char *data, size_t length)
{
	while (length) {
		ssize_t n = recv(pg->s, data, length, 0);

		if (n < 0)
			return pg_failed(pg, "recv");
		if (n == 0) {
			snprintf(pg->error, sizeof(pg->error), "the server ends the connection");
			return -1;
		}
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Sends a message: its type, or 0 for the first one, and its body. */
static int pg_message(struct pg *pg, char type, const char *body, size_t length)
{
	char head[5];
	size_t whole = length + 4;

	head[0] = type;
	head[1] = (char)(whole >> 24);
	head[2] = (char)(whole >> 16);
	head[3] = (char)(whole >> 8);
	head[4] = (char)whole;
	if (pg_send(pg, type ? head : head + 1, type ? 5 : 4) != 0)
		return -1;
	return pg_send(pg, body, length);
}

/* Reads a message into body. Returns its type; an error of the server is -1. */
static int pg_next(struct pg *pg)
{
	char head[5];
	const char *at;

	if (pg_receive(pg, head, sizeof(head)) != 0)
		return -1;
	pg->length = pg_number(head + 1) - 4;
	if (pg->length > PG_MOST) {
		snprintf(pg->error, sizeof(pg->error), "a message of %zu bytes", pg->length);
		return -1;
	}
	if (pg->room < pg->length + 1) {
		char *more = realloc(pg->body, pg->length + 1);

		if (!more) {
			errno = ENOMEM;
			return pg_failed(pg, "realloc");
		}
		pg->body = more;
		pg->room = pg->length + 1;
	}
	if (pg_receive(pg, pg->body, pg->length) != 0)
		return -1;
	pg->body[pg->length] = 0;
	if (head[0] != 'E')
		return (unsigned char)head[0];
	/* Fields: a letter and a text; M is the message. */
	for (at = pg->body; *at && *at != 'M'; at += strlen(at) + 1)
		;
	snprintf(pg->error, sizeof(pg->error), "the server says: %s", *at ? at + 1 : "an error");
	return -1;
}

/* Connects to an IPv4 address, as the user and to the database given. */
static int pg_connect(struct pg *pg, const char *host, const char *port, const char *user,
		      const char *database)
{
	struct sockaddr_in peer;
	char hello[200];
	int type, length;

	memset(pg, 0, sizeof(*pg));
	memset(&peer, 0, sizeof(peer));
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = inet_addr(host);
	peer.sin_port = htons((unsigned short)atoi(port));
	pg->s = socket(AF_INET, SOCK_STREAM, 0);
	if (pg->s < 0)
		return pg_failed(pg, "socket");
	if (connect(pg->s, (struct sockaddr *)&peer, sizeof(peer)) != 0)
		return pg_failed(pg, "connect");
	/* Version 3.0, pairs of texts, and a 0. */
	length = snprintf(hello, sizeof(hello), "%c%c%c%cuser%c%s%cdatabase%c%s%c", 0, 3, 0, 0, 0,
			  user, 0, 0, database, 0);
	if (pg_message(pg, 0, hello, (size_t)length + 1) != 0)
		return -1;
	while ((type = pg_next(pg)) != 'Z') {
		if (type < 0)
			return -1;
		if (type == 'R' && (pg->length < 4 || pg_number(pg->body) != 0)) {
			snprintf(pg->error, sizeof(pg->error), "the server wants a password");
			return -1;
		}
	}
	return 0;
}

/* Sends commands of SQL. pg_row() reads what comes. */
static int pg_query(struct pg *pg, const char *sql)
{
	return pg_message(pg, 'Q', sql, strlen(sql) + 1);
}

static int pg_is_wrong_row(struct pg *pg)
{
	snprintf(pg->error, sizeof(pg->error), "a wrong row");
	return -1;
}

/* Reads the next row. Returns 1, or 0 after the last one. */
static int pg_row(struct pg *pg)
{
	const char *end;
	char *at;
	int type, i;

	do {
		type = pg_next(pg);
		if (type < 0)
			return -1;
		if (type == 'Z')
			return 0;
	} while (type != 'D');
	if (pg->length < 2)
		return pg_is_wrong_row(pg);
	end = pg->body + pg->length;
	pg->columns = (int)(pg_number(pg->body) >> 16);
	at = pg->body + 2;
	for (i = 0; i < pg->columns && i < PG_COLUMNS; i++) {
		unsigned long size;

		if (end - at < 4)
			return pg_is_wrong_row(pg);
		size = pg_number(at);
		at += 4;
		pg->value[i] = size == 0xffffffff ? NULL : at;
		pg->size[i] = size == 0xffffffff ? 0 : size;
		if ((size_t)(end - at) < pg->size[i])
			return pg_is_wrong_row(pg);
		at += pg->size[i];
	}
	return 1;
}

/* Sends commands whose rows do not count, and waits for their end. */
static int pg_do(struct pg *pg, const char *sql)
{
	int more = 1;

	if (pg_query(pg, sql) != 0)
		return -1;
	while (more > 0)
		more = pg_row(pg);
	return more;
}

/* Says goodbye, and frees all. */
static void pg_end(struct pg *pg)
{
	if (pg->s >= 0) {
		pg_message(pg, 'X', NULL, 0);
		close(pg->s);
	}
	free(pg->body);
	pg->body = NULL;
}
