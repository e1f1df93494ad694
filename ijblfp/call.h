/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - the calls of programs: what each request on the control channel does */
#ifndef IJBLFP_CALL_H
#define IJBLFP_CALL_H

#include <stdbool.h>

struct instance;
struct request;
struct ctl_conn;
struct lfp_ctl_request;

/* Deal with a request whose head and length are right. @conn is answered now or later. */
void call_handle(struct instance *inst, struct ctl_conn *conn, const struct lfp_ctl_request *request);

/**
 * call_again() - a request failed for want of something that a closed socket may still hold
 * @request:	with its answer's @error
 *
 * Sockets that programs have closed unnoticed are looked for; if there were any, or any were closed
 * since the request was sent, it is sent once more.
 *
 * Return: true if it was sent again; the same callback is called then.
 */
bool call_again(struct instance *inst, struct request *request, int error);

#endif
