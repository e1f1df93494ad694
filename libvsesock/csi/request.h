/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - a request of the SOCKET macro: its keywords, its descriptor, its addresses */
#ifndef VSESOCK_CSI_REQUEST_H
#define VSESOCK_CSI_REQUEST_H

#include <sys/socket.h>

#include "include/csi-socket.h"
#include "libvsesock/vse/async.h"

/*
 * Theory of operation
 *
 * Each request that may wait is a job (vse/async.h). Without an ECB the calling thread tries it,
 * and waits meanwhile. Descriptors are those of the task's table for this interface. A passive OPEN
 * is a listener until a peer connects; then the descriptor is the connection, and the listener is
 * closed. Outstanding OPENs of one port share one listener.
 *
 * Each OPEN names its instance by ID=, so a task may use several. A near end knows its own
 * instance. A descriptor of type CONTROL is a file in memory with the instance and the result that
 * RECEIVE is to give (control-file.h).
 */

enum csi_type {
	CSI_TCP,
	CSI_UDP,
	CSI_CONTROL,
};

/* How a program gives and takes values, if not as a C program does. */
struct csi_form {
	/* Convert characters of CONTROL from the program's code to ASCII, and back. */
	void (*take)(char *text, size_t len);
	void (*give)(char *text, size_t len);
	/* Called when fields of the request have been set: when a call with an ECB goes on, and
	 * when the call is @over, before its ECB is posted. The request is not used after that. */
	void (*set)(struct csi_socket *request, bool over);
};

struct csi_call {
	struct async_job job;        /* must be first (async.h) */
	const struct csi_form *form; /* NULL: a C program */
	enum csi_type type;
	struct csi_socket *request; /* the program's */
	struct csi_socket said;     /* a copy from the start of the call, with results */
	bool started;               /* an active OPEN */
	int sent;                   /* SEND: bytes sent so far */
};

/* csi_socket() for programs of another form. */
int csi_make(const char *function, const char *type, struct csi_socket *request,
	     const struct csi_form *form);

/* Return the names of functions, types and commands one after the other, from 0 on; NULL after the
 * last. */
const char *csi_function_at(size_t i);
const char *csi_type_at(size_t i);
const char *csi_command_at(size_t i);

/* Finds the task's descriptors and the instance that ID names, for a new descriptor; 0 or a
 * negative error. */
int csi_enter(struct csi_call *call);

/* Finds the task's descriptors, and the near end of DESC with its instance; 0 or a negative error.
 */
int csi_find(struct csi_call *call);

/* Checks that LENGTH bytes of BUF may be read; 0 or a negative error. */
int csi_check_buf(const struct csi_call *call);

/* Convert FOIP and FOPORT, or LOIP and LOPORT, to an address of @family (Linux's); and back. */
socklen_t csi_take_addr(struct sockaddr_storage *addr, int family, const unsigned char ip[16],
			int port);
void csi_give_addr(const struct sockaddr_storage *addr, unsigned char ip[16], int *port);

/* Returns whether the program names an address. */
bool csi_is_said(const unsigned char ip[16]);

#endif
