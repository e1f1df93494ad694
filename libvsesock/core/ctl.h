/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.h - one call on the control channel of an LFP instance */
#ifndef VSESOCK_CTL_H
#define VSESOCK_CTL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/ctl.h"

struct ctl_call {
	/* the question */
	const char *nn; /* the instance */
	uint16_t op;    /* enum lfp_ctl_op */
	uint16_t flags;
	int32_t a, b, c;
	const void *data;
	uint32_t len; /* bytes of data */
	int fd;       /* the near end that is meant, -1 for none */
	/* the answer */
	void *answer;
	uint32_t room;       /* bytes there */
	uint32_t answer_len; /* bytes that came; never more than room */
	int32_t value;
	bool answered; /* false: the instance is not there or has ended */
};

/**
 * ctl_call() - ask and wait for the answer
 * @call:	the question; the answer is put there
 *
 * Signals do not interrupt it, it is no cancellation point, and errno is untouched. It works when
 * the program has no descriptor free.
 *
 * Return: 0, or the negative errno of the answer; -ENETDOWN if there is none.
 */
int ctl_call(struct ctl_call *call);

/* As ctl_call(), with a descriptor that comes with the answer. It has the number that was the
 * lowest free one; @flags are O_CLOEXEC and O_NONBLOCK. Returns the descriptor or a negative errno.
 */
int ctl_take(struct ctl_call *call, int flags);

/* The parts of ctl_call(), for a call that waits long: ctl_open() and ctl_send() return a
 * connection (close-on-exec) and 0, or a negative errno. ctl_receive() takes the answer. */
int ctl_open(const char *nn);
int ctl_send(int conn, const struct ctl_call *call);
int ctl_receive(int conn, struct ctl_call *call);

/* For a caller that waits by itself: check @n bytes that it has received into @head and
 * call->answer. */
int ctl_check(struct ctl_call *call, const struct lfp_ctl_reply *head, ssize_t n);

#endif
