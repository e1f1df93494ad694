/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - commands to the appliance, and their answers in pieces */
#ifndef VIA_REQUEST_H
#define VIA_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "via/archive.h"

/*
 * Both are printable ASCII and short, so that they fit short messages of z/VM's kind. On a stream
 * each ends with a newline; over AF_IUCV each is a message. All of it is ours.
 *
 * A command is a verb and at most three words, in upper or lower case.
 *
 * A piece of an answer: a sign, four hexadecimal digits that count the pieces of the answer from
 * 0000, a text.
 *
 *   +0000text   a part of a line; the next piece goes on with it
 *   -0001text   the end of a line
 *   .0002N      the end of the answer; N is the exit code (lfp/exit.h), in decimal digits
 */
#define VIA_REQUEST_MAX 120 /* bytes of a command */
#define VIA_PIECE_MAX   200 /* bytes of a piece */
#define VIA_PIECE_HEAD  5
#define VIA_WORDS_MAX   3
#define VIA_WORD_MAX    16 /* bytes, with the NUL */

#define VIA_PORT    5100      /* of AF_VSOCK, where the appliance listens for commands */
#define VIA_APPNAME "LFPVIA"  /* application name of AF_IUCV, for the same */
#define VIA_SOCKET  "control" /* below the appliance's run-time directory, in a container */

enum via_verb {
	VIA_QUERY,
	VIA_STATUS,
	VIA_LIST,
	VIA_START,
	VIA_STOP,
	VIA_RELOAD,
	VIA_TRACE,
	VIA_LOG,
	VIA_SHUTDOWN,
	VIA_VERBS,
};

struct via_request {
	enum via_verb verb;
	char words[VIA_WORDS_MAX][VIA_WORD_MAX]; /* folded to upper case, "" where there is none */
	size_t nr;
};

const char *via_verb_name(enum via_verb verb);

/* Decode a command of @len bytes, without a newline. The number of its words fits the verb. Returns
 * 0, or -EINVAL with the reason in @why. */
int via_request_decode(const char *text, size_t len, struct via_request *request,
		       char why[static VIA_WHY]);

/* The text of a request that was decoded. */
void via_request_encode(const struct via_request *request, char out[static VIA_REQUEST_MAX + 1]);

/* What a receiver knows of an answer; zeroed before its first piece. */
struct via_answer {
	unsigned int next; /* number of the next piece */
	bool ended;
	int code; /* with ended: exit code */
};

/* Takes a piece, and writes its text. Returns 0, or -EPROTO with the reason in @why: the answer
 * cannot be used. */
int via_answer_take(struct via_answer *answer, const char *piece, size_t len, FILE *out,
		    char why[static VIA_WHY]);

/* What a sender knows of an answer; zeroed before its first piece. */
struct via_pieces {
	unsigned int next;
};

/* Makes the next piece, of a text of which it takes a part. @text has no newline; other bytes than
 * printable ASCII become '?'. Returns the number of bytes taken; @len of them end the line. */
size_t via_piece_make(struct via_pieces *pieces, const char *text, size_t len,
		      char out[static VIA_PIECE_MAX + 1]);

/* Makes the last piece. */
void via_piece_end(struct via_pieces *pieces, int code, char out[static VIA_PIECE_MAX + 1]);

#endif
