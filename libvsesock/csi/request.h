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
 * A request is a job (vse/async.h) also if it has no ECB: then it is tried by the thread that makes
 * it, which waits meanwhile. Descriptors are those of the task's table for this interface. A
 * passive OPEN is a listener until somebody has come; then the descriptor is the connection, and
 * the listener is closed. Outstanding OPENs of one port have one listener.
 *
 * ID= is said by each OPEN, so that a task may use several instances: a near end knows its own. A
 * descriptor of type CONTROL is a file in memory with the number of its instance and the result
 * that RECEIVE is to give.
 */

enum csi_type {
	CSI_TCP,
	CSI_UDP,
	CSI_CONTROL,
};

struct csi_call {
	struct async_job job; /* the first: async.h */
	enum csi_type type;
	struct csi_socket *request; /* the program's */
	struct csi_socket said;     /* as it was when the call was made, and results */
	bool started;               /* an active OPEN */
	int sent;                   /* SEND: bytes so far */
};

/* The task's descriptors, and the instance that ID says; 0 or a negative error. */
int csi_enter(struct csi_call *call);

/* The task's descriptors, and the near end of DESC with its instance; 0 or a negative error. */
int csi_find(struct csi_call *call);

/* May @len bytes of BUF be used? 0 or a negative error. */
int csi_check_buf(const struct csi_call *call);

/* FOIP and FOPORT, or LOIP and LOPORT, as an address of @family (Linux's); and back. */
socklen_t csi_take_addr(struct sockaddr_storage *addr, int family, const unsigned char ip[16],
			int port);
void csi_give_addr(const struct sockaddr_storage *addr, unsigned char ip[16], int *port);

/* Is an address said? */
bool csi_is_said(const unsigned char ip[16]);

#endif
