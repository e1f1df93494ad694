/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the functions of EZASOKET: their handlers, and how EZASMI calls one */
#ifndef VSESOCK_EZA_FUNCTIONS_H
#define VSESOCK_EZA_FUNCTIONS_H

#include "libvsesock/eza/args.h"

/* What handlers return: RETCODE, or a negative internal error. */
typedef int eza_handler(struct eza_call *call);

eza_handler eza_initapi, eza_termapi, eza_getclientid, eza_givesocket, eza_takesocket,
	eza_getibmopt;
eza_handler eza_socket, eza_bind, eza_connect, eza_listen, eza_accept, eza_shutdown, eza_close,
	eza_getsockname, eza_getpeername;
eza_handler eza_read, eza_write, eza_recv, eza_send, eza_recvfrom, eza_sendto, eza_readv,
	eza_writev, eza_recvmsg, eza_sendmsg;
eza_handler eza_getsockopt, eza_setsockopt, eza_fcntl, eza_ioctl;
eza_handler eza_select, eza_selectex;
eza_handler eza_gethostid, eza_gethostname, eza_gethostbyname, eza_gethostbyaddr, eza_ntop,
	eza_pton;
eza_handler eza_getaddrinfo, eza_freeaddrinfo, eza_getnameinfo;

/* IOCTL about interfaces (interface.c). */
eza_handler eza_interface;

/*
 * A call that does not come by EZASOKET, but as EZASMI: its parameters are in args[] in the order
 * of the table in ezasoket.c, whose row eza_function() finds by a name in capitals (NULL: there is
 * none).
 */
struct eza_function;
const struct eza_function *eza_function(const char *name);

/* The task's use of the interface is looked up, or begun, and parameters are looked at. 0 or a
 * negative error. */
int eza_prepare(struct eza_call *call, const struct eza_function *function);

/* What the handler returns. */
int eza_run(struct eza_call *call, const struct eza_function *function);

/* RETCODE of a call that ended with @rc, of either function above; @number: its ERRNO. */
int eza_retcode(const struct eza_call *call, const struct eza_function *function, int rc,
		int *number);

/* Begin the use of the interface (session.c): TCPNAME's two digits or NULL, MAXSOC. 0 or a negative
 * error. */
int eza_begin(struct eza_call *call, const char *nn, long max);

#endif
