/* SPDX-License-Identifier: Apache-2.0 */
/* csi.h - the SOCKET macro: a request, and its functions */
#ifndef VSESOCK_CSI_CSI_H
#define VSESOCK_CSI_CSI_H

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

/* Functions: 0 or more, or a negative error. -EAGAIN: job.attempt is set, and is to be tried. */
typedef int csi_function(struct csi_call *call);

csi_function csi_open, csi_close, csi_abort, csi_status, csi_send, csi_receive;
csi_function csi_control_open, csi_control_send, csi_control_receive;

/* An OPEN has come to its end: what it left is closed if it failed. */
void csi_opened(struct csi_call *call, int rc);

/* What an OPEN's job is tried by: it has no data yet. */
bool csi_is_opening(const struct vse_api *api, int s, bool *passive);

/* The task's descriptors, and the instance that ID says; 0 or a negative error. */
int csi_enter(struct csi_call *call);

/* The task's descriptors, and the near end of DESC with its instance; 0 or a negative error. */
int csi_find(struct csi_call *call);

/* Bytes of a result that waits on a descriptor of CONTROL. */
int csi_control_waiting(int fd);

/* Its instance. */
void csi_control_instance(int fd, char nn[3]);

/* May @len bytes of BUF be used? 0 or a negative error. */
int csi_check_buf(const struct csi_call *call);

/* FOIP and FOPORT, or LOIP and LOPORT, as an address of @family (Linux's); and back. */
socklen_t csi_take_addr(struct sockaddr_storage *addr, int family, const unsigned char ip[16],
			int port);
void csi_give_addr(const struct sockaddr_storage *addr, unsigned char ip[16], int *port);

/* Is an address said? */
bool csi_is_said(const unsigned char ip[16]);

#endif
