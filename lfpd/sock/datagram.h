/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - UDP: datagrams both ways, and the errors that come back for them */
#ifndef LFPD_SOCK_DATAGRAM_H
#define LFPD_SOCK_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/datagram.h"
#include "lfpd/sock/datagram-kept.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/stream.h"

/* Makes the socket one of datagrams. Returns 0 or -ENOMEM. */
int datagram_init(struct socket *sock);

/* Free the datagrams and errors that wait. For sockets of all kinds, when they end. */
void datagram_finish(struct socket *sock);

/* CONNECT: 0 or a negative errno. */
int datagram_connect(struct socket *sock, const struct lfp_addr *peer);

struct saved_socket;

/* Sets what saved state says of a new socket's peer; datagram_restore() adds what it holds back. */
void datagram_restore_peer(struct socket *sock, const struct saved_socket *saved);

/* Returns 0 if the option can be set on a datagram socket, or -ENOPROTOOPT. */
int datagram_option(int level, int name);

/* Handles events of the host's socket. @error: an error may be pending. */
void datagram_on_event(struct socket *sock, int events, bool error);

/* Moves arrived datagrams to z/VSE; sets @moved to their bytes. */
enum pump datagram_pump(struct socket *sock, size_t *moved);

/* Frames of z/VSE. */
int datagram_handle(struct socket *sock, const struct lfp_frame *frame, const char **why);
int datagram_handle_sent(struct socket *sock, const struct lfp_frame *frame, const char **why);
int datagram_handle_errqueue(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* WINDOW has opened the window of a socket of datagrams. */
void datagram_go_on(struct socket *sock);

/* The socket is being closed: send what still can be sent. */
void datagram_flush(struct socket *sock);

/* The host's socket has an error for the program. */
void datagram_tell_error(struct socket *sock, int error);

/* Look whether it has one, and move its error queue here. */
void datagram_take_errors(struct socket *sock);

struct socket;

/* Receive into @buf; bytes or a negative errno. @meta is the sender and the ancillary data. */
ssize_t datagram_host_receive(const struct socket *sock, uint8_t *buf, size_t size,
			      struct lfp_meta *meta);

/* Sends; returns 0; 1: nothing was sent, as lfpd answers the question in it; 2: it has to wait for
 * the rate of a rule; VIA_WAITS: for a proxy; or a negative errno, -EAGAIN if the host's socket has
 * no room now. Binds the socket implicitly if needed, and applies the policy. Sets @earlier to the
 * error of an earlier datagram that the kernel has reported, as a positive errno, or to 0. */
int datagram_host_send(struct socket *sock, const struct lfp_meta *asked, const uint8_t *data,
		       size_t len, int *earlier);

/* What comes now is the peer's, or goes to it: if the last datagram went elsewhere, the meter of
 * the rule about the peer counts again. */
void datagram_host_at_peer(struct socket *sock);

/* Take an entry of the host's error queue; its payload goes to @payload. 0 or a negative errno. */
int datagram_host_error(const struct socket *sock, struct lfp_errqueue *entry,
			uint8_t payload[static 576]);

#endif
