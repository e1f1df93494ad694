/* SPDX-License-Identifier: Apache-2.0 */
/* fake-parts.h - the parts of the fake instance, for each other */
#ifndef TEST_FAKE_PARTS_H
#define TEST_FAKE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

#include "lfp/ctl.h"

/* An address of either family. */
void fake_addr(struct lfp_addr *addr, const char *ip, int port);

struct fake_sock {
	ino_t ino; /* of the near end; 0: unused */
	int far;   /* -1: none */
	int why;
	int held;
	bool listening;
	int failed; /* errno of the failed connect(), after which a new near end is needed; -1:
		     * reported */
};

/* Near ends are connected to this listener, which has the address. */
void fake_pairs(int listener, const struct sockaddr_un *addr);

/* The socket of a near end, or NULL. */
struct fake_sock *fake_find(int fd);

/* Make a UNIX socket a near end. */
void fake_name(int fd, struct fake_sock **out);

/* Makes a near end that is not connected. The caller closes it after passing it on. */
int fake_make(struct fake_sock **out);

/* Gives the near end a far end. */
void fake_pair(struct fake_sock *sock, int near);

/* Makes a listener's near end not writable. */
void fake_fill(int near);

/* Send a message, with the descriptor @fd if that is not negative. */
void fake_send(int conn, const void *buf, size_t len, int fd);

/* Ends with a message about @what and errno. */
void fake_die(const char *what);

extern struct lfp_ctl_request fake_request;
extern struct lfp_ctl_reply fake_reply;

/* Commands and questions of tests: fake.h. */
extern struct fake_told {
	int deaf, detached, calls, parked, direct;
	bool evict;
} fake_told;

/*
 * Fills fake_reply for fake_request, which has @len bytes of data. @near is the descriptor that
 * came, @out one for the answer. Returns an errno, or -1 if the answer comes later, -2 if it never
 * comes.
 */
int fake_handle(int near, size_t len, int *out);

/* Answer a request of @len bytes of data: 0 with @answer filled, -1 if it is about something else.
 */
int fake_names(const struct lfp_ctl_request *call, size_t len, struct lfp_ctl_reply *answer);

/* Serve for ever: programs at @listener; near ends are connected to @pairs, which has this address.
 */
void fake_serve(int listener, int pairs, const struct sockaddr_un *pairs_addr);

#endif
