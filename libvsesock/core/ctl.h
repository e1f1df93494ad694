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
	bool parked;   /* it went through the parked connection (park.h) */
	bool copied;   /* it is made with a copy of the descriptor table (full.h) */
};

/**
 * ctl_call() - ask and wait for the answer
 * @call:	the question; the answer is put there
 *
 * Signals do not interrupt it, it is no cancellation point, and errno is untouched. It works when
 * the program has no descriptor free.
 *
 * Return: 0, or the negative errno of the answer; -ENETDOWN if there is none; another errno if a
 * system call that it needs is refused, as by a seccomp filter of the program.
 */
int ctl_call(struct ctl_call *call);

/* As ctl_call(), with a descriptor that comes with the answer. It has the number that was the
 * lowest free one; @flags are O_CLOEXEC and O_NONBLOCK. Returns the descriptor or a negative errno.
 */
int ctl_take(struct ctl_call *call, int flags);

/*
 * The parts of ctl_call(), for a call that waits long. ctl_ask() sends the request and returns a
 * connection (close-on-exec) on which the answer will come, or a negative errno; ctl_receive()
 * takes the answer. If that is -ENETDOWN and ctl_again() says so, it is to be done once more.
 */
int ctl_ask(struct ctl_call *call);
int ctl_receive(int conn, struct ctl_call *call);
bool ctl_again(struct ctl_call *call);

/**
 * ctl_ask_directly() - the same on the parked connection itself
 * @call:	the question
 *
 * Once it was sent, ctl_answered_directly() has to follow; what that says is the call's result,
 * given what came of the receiving. Who never comes back leaves other calls to other ways. One more
 * request has LFP_CTL_DIRECT.
 *
 * Return: the parked connection, which is not the caller's to close or to change; -ENETDOWN if it
 * cannot serve; another errno that other ways would have, too.
 */
int ctl_ask_directly(struct ctl_call *call);
int ctl_answered_directly(const struct ctl_call *call, int rc);

/* A connection by the path, without a request; one more request on a connection. */
int ctl_connect(const char *nn);
int ctl_send(int conn, const struct ctl_call *call);

/* For a supervisor, which calls for others: called with each request, it fills in task and speaker.
 */
extern void (*ctl_speaker)(struct lfp_ctl_request_head *head);

/* For the z/VSE interfaces: the key of the CICS-style task whose call it is (lfp/ctl.h), 0 for
 * none; it may add flags. */
extern uint64_t (*ctl_task)(const char *nn, uint16_t *flags);

/* For a caller that waits by itself: check @n bytes that it has received into @head and
 * call->answer. */
int ctl_check(struct ctl_call *call, const struct lfp_ctl_reply_head *head, ssize_t n);

#endif
