/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-conn.h - a connection on the control channel: one request, one answer */
#ifndef VSESOCK_CTL_CONN_H
#define VSESOCK_CTL_CONN_H

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
	int fd;       /* the near end that the request is about, -1 for none */
	/* the answer */
	void *answer;
	uint32_t room;       /* bytes there */
	uint32_t answer_len; /* bytes that came; never more than room */
	int32_t value;
	bool answered; /* false: the instance is not there or has ended */
	bool parked;   /* it went through the parked connection (park.h) */
	bool copied;   /* the call runs with a copy of the descriptor table (full.c) */
};

/* Connect by the path, without a request. Send one more request on a connection. */
int ctl_connect(const char *nn);
int ctl_send(int conn, const struct ctl_call *call);

/* For a supervisor, which makes calls for programs: called with each request, fills in task and
 * speaker. */
extern void (*ctl_speaker)(struct lfp_ctl_request_head *head);

/* For the z/VSE interfaces: returns the key of the CICS-style task that makes the call (lfp/ctl.h),
 * 0 for none; may add flags. */
extern uint64_t (*ctl_task)(const char *nn, uint16_t *flags);

/* For a caller that receives by itself: checks @n bytes that it has received into @head and
 * call->answer. */
int ctl_check(struct ctl_call *call, const struct lfp_ctl_reply_head *head, ssize_t n);

/* Receives the answer with the recvmsg() flags @flags. @taken, if not NULL, is set to a descriptor
 * that came along, or -1. Returns 0 or a negative errno, as ctl_call(). */
int ctl_receive_into(int conn, struct ctl_call *call, int *taken, int flags);

/* full.c: */

/* Lets @fn make @call with a copy of the descriptor table. Returns the result of @fn, or -EMFILE.
 */
int full_call(struct ctl_call *call, int (*fn)(struct ctl_call *call));

#endif
