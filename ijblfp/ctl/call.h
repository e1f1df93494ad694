/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - one call of a program: its task, its socket, its request on the path */
#ifndef IJBLFP_CTL_CALL_H
#define IJBLFP_CTL_CALL_H

#include <stdbool.h>

#include "lfp/frame.h"

struct instance;
struct request;
struct ctl_conn;
struct task;
struct vsock;
struct grave;
struct lfp_ctl_request;

/* The objects that a call works on. */
struct call {
	struct instance *inst;
	struct ctl_conn *conn;
	const struct lfp_ctl_request *request;
	struct vsock *vs;
	struct grave *grave; /* instead of vs */
	bool has_no_name;    /* of a near end; the descriptor may be a fresh socket (lfp/ctl.h) */
	uint64_t cookie;     /* of its descriptor, or 0: not known */
	struct task *filled; /* its next spare socket is to be made after the call, or NULL */
};

/* Finds or begins the call's task. Returns false if the call waits for the task to begin, or was
 * answered because no task can begin. */
bool call_enter(struct call *call);

/* Decodes the address of a request. Returns 0 or a negative errno. */
int call_addr(const struct lfp_ctl_request *request, struct lfp_addr *addr);

/* Sends the request for the call's socket. On failure answers the call and returns the error. */
int call_ask(struct call *call, struct lfp_frame *frame,
	     void (*done)(struct instance *, struct request *, const struct lfp_frame *));

/* For call_ask(): answers the call with the status of lfpd's answer. */
void call_on_plain(struct instance *inst, struct request *request, const struct lfp_frame *reply);

#endif
