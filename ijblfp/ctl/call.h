/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - one call of a program: its task, its socket, its request on the path */
#ifndef IJBLFP_CTL_CALL_H
#define IJBLFP_CTL_CALL_H

#include <stdbool.h>

#include "lfp/frame.h"

struct instance;
struct request;
struct ctl_conn;
struct vsock;
struct grave;
struct lfp_ctl_request;

/* What a call works on. */
struct call {
	struct instance *inst;
	struct ctl_conn *conn;
	const struct lfp_ctl_request *request;
	struct vsock *vs;
	struct grave *grave; /* instead of vs */
};

/* The call's task: false if the call waits for it to begin, or was answered, as there can be none.
 */
bool call_enter(struct call *call);

/* Takes the address out of a request: 0 or a negative errno. */
int call_addr(const struct lfp_ctl_request *request, struct lfp_addr *addr);

/* Send the request for the call's socket; on failure the call is answered, and the error returned.
 */
int call_ask(struct call *call, struct lfp_frame *frame,
	     void (*done)(struct instance *, struct request *, const struct lfp_frame *));

/* For call_ask(): the call's answer is the status of lfpd's. */
void call_on_plain(struct instance *inst, struct request *request, const struct lfp_frame *reply);

#endif
