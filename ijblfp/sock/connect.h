/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h - connect(): blocking, non-blocking, and from one to the other */
#ifndef IJBLFP_SOCK_CONNECT_H
#define IJBLFP_SOCK_CONNECT_H

#include <stdbool.h>

#include "lfp/frame.h"

struct instance;
struct vsock;
struct ctl_conn;
struct call;

/* LFP_CTL_CONNECT; @conn is answered now or later. */
void connect_begin(struct instance *inst, struct ctl_conn *conn, struct vsock *vs,
		   const struct lfp_addr *peer, bool blocking);

/* A waiting caller goes on by itself (DETACH), or has vanished. */
void connect_detach(struct ctl_conn *conn);
void connect_lost(struct ctl_conn *conn);

/* End the connection, or the attempt; the program is answered later, and needs a new near end. */
void connect_dissolve(struct instance *inst, struct ctl_conn *conn, struct vsock *vs);

/* LFP_CTL_RENEW */
void connect_renew(struct call *call);

/* CONNECTED came. */
int connect_on_connected(struct instance *inst, struct vsock *vs, int status, const char **why);

/* Answer all who wait for the socket. */
void connect_answer_all(struct vsock *vs, int error);

#endif
