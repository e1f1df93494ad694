/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - the calls of programs: a function for each request of the control channel (lfp/ctl.h).
 * Requests about tasks and given sockets are in owner.h and give.h. */
#ifndef IJBLFP_CTL_CALLS_H
#define IJBLFP_CTL_CALLS_H

#include "lfp/frame.h"

struct call;
struct ctl_conn;
struct instance;
struct lfp_ctl_request;
struct vsock;

/* Handles a request whose head and length are right. @conn is answered now or later. The functions
 * below answer the connection of their call in the same way. */
void call_handle(struct instance *inst, struct ctl_conn *conn,
		 const struct lfp_ctl_request *request);

/* LFP_CTL_SOCKET */
void socket_call(struct call *call);

/* Returns 0 if lfpd may be asked for such a socket, else the errno that the kernel gives to a
 * program without privileges. @family: AF_INET or AF_INET6; all three as in socket(). */
int kind_refused(int family, int type, int protocol);

/**
 * adopt_call() - make the descriptor of a call a near end, if it is a fresh socket (lfp/ctl.h)
 * @call:	its vs is set after success
 *
 * Return: 0; EBADF if it is no fresh socket, or another positive errno; -1 if the call was
 * answered, or waits and will be handled anew.
 */
int adopt_call(struct call *call);

/* LFP_CTL_CREDIT */
void credit_call(struct call *call);

/* LFP_CTL_LISTEN */
void listen_call(struct call *call);

/* LFP_CTL_CONNECT */
void connect_call(struct call *call);

/* LFP_CTL_DETACH, on a connection without a CONNECT that waits. */
void connect_call_detach(struct call *call);

/* LFP_CTL_RENEW */
void connect_call_renew(struct call *call);

/* Ends the connection of the call's socket, or the attempt, and answers the call. */
void connect_call_dissolve(struct call *call);

/* Answers LFP_CTL_SOCKET: makes the near end, of the program's own socket @own if that is not -1,
 * and passes it to the program. Returns 0 or a negative errno. */
int datagram_hand_out(struct instance *inst, struct vsock *vs, struct ctl_conn *conn, int own);

/* LFP_CTL_CONNECT of a datagram socket */
void ijblfp_datagram_connect(struct call *call, const struct lfp_addr *peer);

/* LFP_CTL_SENT, LFP_CTL_ERRQUEUE */
void datagram_sent(struct call *call);
void datagram_errqueue(struct call *call);

/* LFP_CTL_URGENT */
void urgent_call(struct call *call);

/* LFP_CTL_SHUTDOWN, LFP_CTL_WHY_EOF, LFP_CTL_WHY_EPIPE */
void ending_shutdown(struct call *call);
void ending_why_eof(struct call *call);
void ending_why_epipe(struct call *call);

/* For a call that asks for the socket's error: asks lfpd, if only that finds it, and answers the
 * call with the error. Returns false if nothing was asked. */
bool ending_looks(struct call *call);

/* Answers any call on a socket of which only a grave is left. */
void ending_answer_grave(struct call *call);

/* LFP_CTL_GETSOCKNAME and LFP_CTL_GETPEERNAME */
void option_getname(struct call *call);

/* LFP_CTL_GETSOCKOPT, LFP_CTL_SETSOCKOPT */
void option_get(struct call *call);
void option_set(struct call *call);

/* LFP_CTL_OUTQ */
void option_outq(struct call *call);

/* Answers getsockopt(SO_ERROR) with @error, a positive errno or 0. */
void option_answer_error(struct call *call, int error);

/* LFP_CTL_GETADDRINFO to LFP_CTL_GETHOSTID, in the code page of the path. */
void names_handle(struct instance *inst, struct ctl_conn *conn,
		  const struct lfp_ctl_request *request);

/* LFP_CTL_GETIFADDRS */
void ijblfp_interfaces_handle(struct instance *inst, struct ctl_conn *conn);

#endif
