/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - one record of the log of connections, and its forms */
#ifndef LFPD_LOG_RECORD_H
#define LFPD_LOG_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lfp/frame.h"
#include "lfpd/policy/decision.h"
#include "lfpd/policy/upstream.h"

#define LOG_PROGRAM_MAX  72 /* bytes, with the NUL */
#define LOG_NAME_MAX     256
#define LOG_UPSTREAM_MAX UPSTREAM_NAME_MAX

enum log_event {
	LOG_TASK,    /* a task was refused */
	LOG_SOCKET,  /* a socket was refused */
	LOG_LOOKUP,  /* a look-up of a name or an address has ended */
	LOG_BIND,    /* bind() */
	LOG_LISTEN,  /* listen() */
	LOG_CONNECT, /* a connect() has ended, good or bad */
	LOG_SEND,    /* the first of several datagrams to one address, or a refused one */
	LOG_ACCEPT,  /* a connection was accepted */
	LOG_END,     /* a connection, or a datagram socket that was used, has ended */
	LOG_LEFT_OUT /* records are missing */
};

enum log_protocol { LOG_NO_PROTOCOL, LOG_TCP, LOG_UDP };

/* Who has begun a connection: the program, or its peer. */
enum log_direction { LOG_NO_DIRECTION, LOG_OUTGOING, LOG_INCOMING };

/* The family of numbers that a result is of. */
enum log_numbers { LOG_ERRNO, LOG_EAI, LOG_H_ERRNO };

/* The program that asks. */
struct log_who {
	bool has_task, has_uid;
	uint16_t task;                 /* as operators see it */
	uint32_t pid, uid;             /* on the z/VSE side; pid 0: unknown */
	char program[LOG_PROGRAM_MAX]; /* "": unknown */
	char executable[LOG_NAME_MAX]; /* its path, or "..." and the end of a long one; "": unknown
					*/
};

struct log_record {
	uint64_t time;   /* us since 1970, UTC */
	uint64_t serial; /* counts up from 1 */
	enum log_event event;
	enum log_protocol protocol;
	enum log_direction direction;
	enum log_numbers numbers;
	int result; /* of @numbers, positive; 0: it worked */
	struct decision decision;
	struct log_who who;
	struct lfp_addr peer, local; /* family 0: unknown */
	bool has_bytes, has_duration, has_slowed;
	bool joined;                     /* the connection was joined: sock/joined.h */
	uint64_t bytes_out, bytes_in;    /* payload, to and from the peer */
	uint64_t duration;               /* us */
	uint64_t slowed;                 /* us, in which a rate of a rule has held data */
	uint64_t count;                  /* of LOG_LEFT_OUT */
	char upstream[LOG_UPSTREAM_MAX]; /* whose proxy carries the connection; "": none */
	char name[LOG_NAME_MAX];         /* asked for, or under which @peer was found; "": none */
};

/* A record as keys and values, from which each of its forms is made. Unknown values have no field.
 */
#define LOG_FIELDS_MAX 26

struct log_fields {
	unsigned int nr;
	struct log_field {
		const char *key;
		bool number;
		char value[LOG_NAME_MAX];
	} of[LOG_FIELDS_MAX];
};

void log_fields_fill(struct log_fields *fields, const struct log_record *record);

/* Writes a record as one line of JSON. */
void log_record_json(const struct log_record *record, const char *instance, FILE *out);

/* Writes a record as a line of an answer to lfpd-admin, and the line with its columns. */
void log_record_row(const struct log_record *record, FILE *out);
extern const char log_record_columns[];

/* Sends a record to the journal. May wait. Returns 0 or a negative errno. */
int log_record_journal(const struct log_record *record, const char *instance);

/* Returns the name of a result, such as "ECONNREFUSED"; "OK" for 0. */
const char *log_result(enum log_numbers numbers, int result);

#endif
