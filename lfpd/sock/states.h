/* SPDX-License-Identifier: Apache-2.0 */
/* states.h - the states of a socket: allowed calls, next states and their callers */
#ifndef LFPD_SOCK_STATES_H
#define LFPD_SOCK_STATES_H

#include <stdbool.h>

#include "lfp/transition.h"

/*
 * The life of a socket. Writer: socket_set_state() of host-socket.c.
 *
 * SOCKET_NEW: the socket neither connects nor listens. A socket begins here. It returns when
 * connect() has failed (connect.c), when a connection or a listener was dissolved (connect.c), and
 * when a listener was shut down (listen.c).
 *   allowed: BIND, CONNECT, LISTEN
 *   next:    CONNECTING, ESTABLISHED, LISTENING, DATAGRAM; LOST (RESUME differs)
 *
 * SOCKET_CONNECTING: connect() is under way, and lfpd owes CONNECTED. (connect.c)
 *   allowed: SHUTDOWN, which ends the attempt; CONNECT with family 0; no DATA
 *   next:    ESTABLISHED, NEW; LOST (RESUME differs)
 *
 * SOCKET_ESTABLISHED: connected, by connect() or by accept(). (stream.c)
 *   allowed: DATA and SHUTDOWN both ways, as from_host and to_host_end permit;
 *            CONNECT with family 0
 *   next:    LOST; ORPHAN; NEW (dissolved)
 *
 * SOCKET_LISTENING: see enum listener. (listen.c)
 *   allowed: ACCEPT, LISTEN (another backlog), SHUTDOWN, CONNECT with family 0; no DATA
 *   next:    NEW; LOST (RESUME differs)
 *
 * SOCKET_DATAGRAM: UDP, bound, connected or not. Datagram sockets have this state from SOCKET to
 * CLOSE. (datagram.c)
 *   allowed: DATAGRAM both ways, BIND, CONNECT; no DATA
 *   next:    none
 *
 * SOCKET_LOST: RESET was sent; lfpd throws DATA away and waits for CLOSE. (host-socket.c)
 *   allowed: CONNECT with family 0; LISTEN if the socket was never connected (RESUME
 *            differed), else the kernel refuses it
 *   next:    NEW (dissolved), LISTENING
 *
 * SOCKET_DEAD: RESET with EPROTO was sent, see disagree.c. (host-socket.c)
 *   allowed: CLOSE
 *   next:    none
 *
 * SOCKET_ORPHAN: CLOSE was answered. The socket belongs to no session and only sends what is
 * queued. (life.c)
 *   next:    none
 *
 * SOCKET_RELEASED: the loop still has to let go of the watch. (host-socket.c)
 *
 * DEAD may follow all states of a session's sockets, RELEASED all but itself.
 */
enum socket_state {
	SOCKET_NEW,
	SOCKET_CONNECTING,
	SOCKET_ESTABLISHED,
	SOCKET_LISTENING,
	SOCKET_DATAGRAM,
	SOCKET_LOST,
	SOCKET_DEAD,
	SOCKET_ORPHAN,
	SOCKET_RELEASED,
};

/*
 * Reading the host's socket, for z/VSE. Writers: socket_set_from_host() and socket_wait() of
 * host-socket.c. Datagram sockets have only the first three states. A LOST connection keeps its
 * state, except WAITS. Dissolving the connection leads back to READS (stream.c).
 *
 * FROM_READS: recv() is called when the loop finds something. A socket begins here.
 *   next: NO_WINDOW, WAITS, EOF, SHUT
 *
 * FROM_NO_WINDOW: z/VSE's window is full; nothing is read until WINDOW. (stream-in.c, datagram.c)
 *   next: READS (WINDOW: flow.c, datagram.c), SHUT
 *
 * FROM_WAITS: the path has no room. The socket is in session->ready, as in no other state.
 * (stream-in.c, datagram.c, flow.c)
 *   next: READS (its turn has come, or the socket ends), SHUT
 *
 * FROM_EOF: recv() has returned 0, and SHUTDOWN was sent; nothing is left to read. (stream-in.c)
 *   next: EOF_SHUT, READS
 *
 * FROM_SHUT: z/VSE has shut its direction, and wants nothing more. (stream.c)
 *   next: READS
 *
 * FROM_EOF_SHUT: EOF, and then SHUT. Saved state and lfpd-admin tell the three apart. (stream-in.c,
 * stream.c) next: READS
 */
enum from_host {
	FROM_READS,
	FROM_NO_WINDOW,
	FROM_WAITS,
	FROM_EOF,
	FROM_SHUT,
	FROM_EOF_SHUT,
};

/* The end of file was read, and z/VSE was told. */
static inline bool from_host_ended(enum from_host state)
{
	return state == FROM_EOF || state == FROM_EOF_SHUT;
}

/* z/VSE wants nothing more. */
static inline bool from_host_is_shut(enum from_host state)
{
	return state == FROM_SHUT || state == FROM_EOF_SHUT;
}

/*
 * The end of what z/VSE sends to the host. Writer: socket_set_to_host_end() of host-socket.c. Of
 * connections only; dissolving one leads back to OPEN (stream.c).
 *
 * TO_OPEN: DATA may come. A socket begins here.
 *   next: END_QUEUED
 *
 * TO_END_QUEUED: SHUTDOWN has come, and follows what is queued; no DATA may come. (stream.c)
 *   next: END_SENT, OPEN
 *
 * TO_END_SENT: all is sent, and shutdown(SHUT_WR) was called. (stream-out.c)
 *   next: OPEN
 */
enum to_host_end {
	TO_OPEN,
	TO_END_QUEUED,
	TO_END_SENT,
};

/*
 * Listening. Writer: socket_set_listener() of host-socket.c. LISTENS and the two pauses belong to
 * SOCKET_LISTENING, NEVER and WAS to all other states.
 *
 * LISTENER_NEVER: the socket has never listened. A socket begins here.
 *   allowed: no ACCEPT
 *   next:    LISTENS
 *
 * LISTENER_LISTENS: connections are accepted as ACCEPT asks for them. (listen.c)
 *   next:    PAUSES, PAUSES_USER, WAS
 *
 * LISTENER_PAUSES: descriptors or MAX_SOCKETS are used up; the listener is in instance->paused.
 * (idle.c)
 *   next:    LISTENS, WAS
 *
 * LISTENER_PAUSES_USER: MAX_SOCKETS_USER is used up; the listener is in share->paused. (paused.c)
 *   next:    LISTENS, WAS
 *
 * LISTENER_WAS: the socket no longer listens. (listen.c, connect.c, host-socket.c)
 *   allowed: ACCEPT, which crossed the end and has no effect
 *   next:    LISTENS
 */
enum listener {
	LISTENER_NEVER,
	LISTENER_LISTENS,
	LISTENER_PAUSES,
	LISTENER_PAUSES_USER,
	LISTENER_WAS,
};

/* The listener is in a list until it may accept again. */
static inline bool listener_pauses(enum listener state)
{
	return state == LISTENER_PAUSES || state == LISTENER_PAUSES_USER;
}

extern const struct lfp_transitions socket_states, from_host_states, to_host_end_states,
	listener_states;

#endif
