/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-client.h - one call on the control channel of an LFP instance */
#ifndef VSESOCK_CTL_CLIENT_H
#define VSESOCK_CTL_CLIENT_H

#include <stdbool.h>

#include "libvsesock/core/ctl-conn.h"

/**
 * ctl_call() - ask and wait for the answer
 * @call:	the question; the answer is put there
 *
 * Signals do not interrupt it, it is no cancellation point, and errno is untouched. It works when
 * the program has no descriptor free.
 *
 * Return: 0, or the negative errno of the answer; -ENETDOWN without an answer; another errno if a
 * seccomp filter of the program refuses a system call.
 */
int ctl_call(struct ctl_call *call);

/* As ctl_call(), with a descriptor that comes with the answer. It has the number that was the
 * lowest free one; @flags are O_CLOEXEC and O_NONBLOCK. Returns the descriptor or a negative errno.
 */
int ctl_take(struct ctl_call *call, int flags);

/*
 * The parts of ctl_call(), for a call that waits long. ctl_ask() sends the request and returns a
 * connection (close-on-exec) on which the answer will come, or a negative errno; ctl_receive()
 * takes the answer. If that returns -ENETDOWN and ctl_again() returns true, the caller repeats
 * both.
 */
int ctl_ask(struct ctl_call *call);
int ctl_receive(int conn, struct ctl_call *call);
bool ctl_again(struct ctl_call *call);

/**
 * ctl_ask_directly() - the same on the parked connection itself
 * @call:	the question
 *
 * After it, the caller receives the answer and passes the result to ctl_answered_directly(), which
 * returns the result of the call. A caller that never does leaves the parked connection in use:
 * later calls use other ways. One more request on the connection needs LFP_CTL_DIRECT.
 *
 * Return: the parked connection, which is not the caller's to close or to change; -ENETDOWN if it
 * cannot serve; another errno that other ways would return, too.
 */
int ctl_ask_directly(struct ctl_call *call);
int ctl_answered_directly(const struct ctl_call *call, int rc);

#endif
