/* SPDX-License-Identifier: Apache-2.0 */
/* functions.h - the functions of EZASOKET: their handlers, and calls of them by EZASMI */
#ifndef VSESOCK_EZA_FUNCTIONS_H
#define VSESOCK_EZA_FUNCTIONS_H

#include "libvsesock/eza/args.h"

/* Handlers return RETCODE, or a negative internal error. */
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

/* IOCTL for interfaces (interface.c). */
eza_handler eza_interface;

/*
 * A call that comes by EZASMI: its parameters are in args[], in the order of the table in
 * ezasoket.c. eza_function() finds the row by a name in capitals; NULL: unknown.
 */
struct eza_function;
const struct eza_function *eza_function(const char *name);

/* Returns whether parameter @i, from 0 on, is a halfword. */
bool eza_is_half(const struct eza_function *function, int i);

/* Finds or begins the task's use of the interface, and checks the parameters. Returns 0 or a
 * negative error. */
int eza_prepare(struct eza_call *call, const struct eza_function *function);

/* Runs the handler; returns its result. */
int eza_run(struct eza_call *call, const struct eza_function *function);

/* Returns RETCODE of a call that ended with @rc in either function above; sets @number to its
 * ERRNO. */
int eza_retcode(const struct eza_call *call, const struct eza_function *function, int rc,
		int *number);

/* Begins the use of the interface (session.c) with TCPNAME's two digits or NULL, and MAXSOC.
 * Returns 0 or a negative error. */
int eza_begin(struct eza_call *call, const char *nn, long max);

#endif
