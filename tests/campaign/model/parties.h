/* SPDX-License-Identifier: Apache-2.0 */
/* parties.h - what the program and the host have in a sequence, and the program's calls */
#ifndef TESTS_CAMPAIGN_MODEL_PARTIES_H
#define TESTS_CAMPAIGN_MODEL_PARTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/ctl.h"
#include "tests/campaign/model/model.h"

enum { MOST_HOSTS = 16 };

/* Bytes are numbered within a connection: the first one of each attempt to connect is its own. */
struct stream {
	uint8_t life;
	uint64_t sent, received;
};

extern struct program {
	int near;
	int conn; /* of the call that waits, or -1 */
	enum step call;
	bool wants_near; /* RENEW is next */
	bool given, listens, suspended;
	unsigned int writes, sends;
	uint8_t life, lives;
	uint64_t wrote; /* in this life */
	uint64_t read;  /* in this life */
	bool quit;      /* the program has ended its reading, or the connection */
	bool odd;       /* the connection may rightly lose bytes */
} p;

extern struct host {
	int fd; /* -1: closed */
	bool live, ended;
	bool reset; /* by the host, which had not ended its direction */
	struct stream in;
	uint64_t sent;
} hosts[MOST_HOSTS];
extern unsigned int nr_hosts;

/* calls.c: requests on the control channel of the instance below @root */
void calls_begin(const char *root);
/* Returns the connection on which the answer comes. */
int call_send(uint16_t op, int a, unsigned int flags, const void *data, size_t len, int fd);
/* The answer that was read last. */
extern struct lfp_ctl_reply reply;
/* Reads the answer that is on @conn. Returns the descriptor that came with it, or -1. */
int call_answer(int conn);
/* Makes a call and waits for its answer, with everything delivered. Returns the descriptor that
 * came with it, or -1. */
int call_now(uint16_t op, int a, const void *data, size_t len, int fd);
bool is_ready(int fd);

/* steps.c */
void put_near(int fd);
bool take_answer(void);
void accept_hosts(void);
/* Returns what recv() does. */
ssize_t program_read(void);
void host_read(unsigned int i);

/* end.c: notes the first thing that does not hold in this sequence. */
void say(const char *what);
void say_nothing(void);
void deliver_all(void);
/* Waiting is for what may need a thread, such as the one that closes descriptors: begin, and go on
 * as long as may_wait() says so. */
void begin_waiting(void);
bool may_wait(void);

#endif
