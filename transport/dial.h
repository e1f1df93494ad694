/* SPDX-License-Identifier: Apache-2.0 */
/* dial.h - one attempt to connect a stream socket, through a VMM where its first line says to whom
 */
#ifndef TRANSPORT_DIAL_H
#define TRANSPORT_DIAL_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

/*
 * VMMs that give a guest's AF_VSOCK as UNIX sockets (Firecracker, Cloud Hypervisor,
 * vhost-device-vsock) expect the line "CONNECT PORT" from a program of the host. They answer "OK
 * PORT" when the guest has accepted, and close the socket when it has not. Nothing may be sent
 * before the answer.
 */

#define DIAL_LINE 24 /* bytes */

struct dial;

/* @rc is a connected socket, which the callee owns, or a negative errno with a half-sentence for
 * people in @why, which may be "". */
typedef void (*dial_done)(void *data, int rc, const char *why);

/* Goes on with @fd, a socket that does not block and whose connect() was begun; it is closed on
 * failure.
 * @line is sent then, if it is not "". @done is called once, later, from the loop, unless
 * dial_cancel() comes first. Returns 0 or a negative errno. */
int dial_start(uv_loop_t *loop, int fd, const char *line, dial_done done, void *data,
	       struct dial **out);
void dial_cancel(struct dial *dial);

/* Makes the line for this port of the guest; "" if the port is 0. */
void dial_line(char line[static DIAL_LINE], uint32_t port);

#endif
