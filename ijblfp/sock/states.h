/* SPDX-License-Identifier: Apache-2.0 */
/* states.h - the states of a virtual socket, and the tables of allowed changes */
#ifndef IJBLFP_SOCK_STATES_H
#define IJBLFP_SOCK_STATES_H

#include "lfp/transition.h"

/*
 * States. "Far end" and "copy" (of the near end's descriptor) are what the instance holds. "lfpd
 * may send" leaves out answers, which may come in every state; RESET, which may come in all but
 * CLOSING; and WINDOW, which may come in all but OPENING. A frame that the state does not allow
 * resets the socket (disagree.h).
 */
enum vsock_state {
	/* SOCKET is sent, or the socket is made for a connection that lfpd has accepted. Nothing is
	 * held; the program has nothing yet. Goes to NEW, SPARE, ARRIVING, DATAGRAM or CLOSING, or
	 * is freed. */
	VSOCK_OPENING,

	/* lfpd has the socket, but no program has it yet. The socket waits for a near end that the
	 * program of its task makes itself (credit.h). Nothing is held. Goes to NEW with the first
	 * call on that near end. */
	VSOCK_SPARE,

	/* The program has the near end, which is not connected. Nothing is held, so no event
	 * reports its close: the sweep checks its name. Allowed: everything. If the near end is
	 * shut, listen() or a failing connect() gives the program another one (RENEW). */
	VSOCK_NEW,

	/* CONNECT is sent. While only blocking callers wait: a copy; then to NEW on failure. Once a
	 * caller does not wait: far end and gate; then to OVER if lfpd reports a failure, and
	 * buried if this side fails. lfpd may send CONNECTED, once. */
	VSOCK_CONNECTING,

	/* lfpd has accepted the connection. While there is no near end yet, nothing is held. While
	 * there is no room for its record: far end and copy. lfpd may send as in ESTABLISHED. */
	VSOCK_ARRIVING,

	/* Far end. Data flows: lfpd may send DATA until its SHUTDOWN, SHUTDOWN once, WINDOW. The
	 * state stays after both directions have ended in order, until the program closes. */
	VSOCK_ESTABLISHED,

	/* lfpd has sent RESET, and data from before it is not yet delivered. Far end, at which the
	 * program's writes fail. lfpd may send WINDOW. */
	VSOCK_RESET,

	/* The connection has failed, or was lost or dissolved. The program may still hold the near
	 * end. Nothing is held; the sweep checks the name. lfpd keeps its socket, and answers for
	 * options and names. CONNECT reports once how the connection ended. For another attempt the
	 * program needs a new near end (RENEW), with which the socket is NEW again. lfpd may send
	 * WINDOW. */
	VSOCK_OVER,

	/* Far end with a gate that is never drained. lfpd may send ACCEPTED within the credits. */
	VSOCK_LISTENING,

	/* A datagram socket, bound and connected or not. Far end: the head (datagram.h). lfpd may
	 * send DATAGRAM, DATAGRAM_ERROR, WINDOW. */
	VSOCK_DATAGRAM,

	/* CLOSE is sent; nothing is held. Every frame is ignored except the answer, which frees the
	 * socket. */
	VSOCK_CLOSING,
};

#define VSOCK_NR_STATES (VSOCK_CLOSING + 1)

/*
 * Which states may follow: vsock_states; vsock_set_state() checks it. Writers of
 *   SPARE                  credit.c
 *   NEW                    socket-call.c (from OPENING), adopt.c, renew.c; connect.c, where
 *                          connect() failed
 *   CONNECTING             connect.c
 *   ESTABLISHED            connect.c; listen.c, when the record is handed over
 *   ARRIVING, LISTENING    listen.c
 *   RESET                  deliver.c; listen.c, for a reset that came before the record
 *   DATAGRAM               datagram.c
 *   OVER, CLOSING          end.c
 */
/*
 * How much the instance still has to read from the program of a stream. A datagram socket has
 * `readable` of struct dgram instead. Writer: stream-read.c.
 */
enum reading {
	/* Nothing is read before the next edge, urgent_add() or stream_go(), or there is no far
	 * end. Goes to SOME, TO_END. */
	READ_RESTS,

	/* The far end may have data. It is read until recv() returns less than there is room for.
	 * Goes to TO_END at an edge that reports urgent data or the end; to RESTS. */
	READ_SOME,

	/* The far end is read until recv() returns EAGAIN or end of file. Goes to RESTS. */
	READ_TO_END,
};

/*
 * The direction from the program of a stream. Writer: stream-read.c; its stream_renew() starts the
 * next life with OPEN from any state, past the table.
 */
enum out_end {
	/* Data and SHUTDOWN may be sent. Goes to HUNG, SHUT, ABORTED. */
	OUT_OPEN,

	/* Both directions of the near end have ended: it is closed, or shut down. Data of the
	 * program may still wait for a window. It is sent first, then SHUTDOWN. Goes to SHUT,
	 * ABORTED; to OPEN only if the socket gets another near end (give_move()). */
	OUT_HUNG,

	/* SHUTDOWN is sent. Only CLOSE may follow. A near end that is closed from now on needs no
	 * mark: recv() reports end of file, and the sweep checks the name. Goes to ABORTED. */
	OUT_SHUT,

	/* The near end was closed with data unread. Its CLOSE will reset the connection. */
	OUT_ABORTED,
};

/*
 * The direction to the program of a stream, in this order. Writer: deliver.c; its deliver_renew()
 * starts the next life with OPEN from any state, past the table.
 */
enum in_end {
	IN_OPEN,      /* lfpd may send DATA and SHUTDOWN */
	IN_END_CAME,  /* SHUTDOWN came: lfpd may send neither; the queue is still delivered */
	IN_END_GIVEN, /* the near end has end of file; nothing is queued */
};

/*
 * Whether the program of a stream still reads. Separate from enum in_end, since lfpd may end its
 * direction after the program has stopped reading. Writer: deliver.c; its deliver_renew() starts
 * the next life with READS from any state, past the table.
 */
enum in_reader {
	/* Data is written to the far end. Goes to SHUT, GONE, BROKEN. */
	READER_READS,

	/* The program has shut down reading: data is thrown away and counts as read. */
	READER_SHUT,

	/* The far end has refused data: as SHUT, and CLOSE will reset the connection. */
	READER_GONE,

	/* Writing has failed although the program may read. What it gets has a gap, so it must get
	 * no end of file: the connection is reset in the loop's next turn. */
	READER_BROKEN,
};

/*
 * The urgent byte that accept() leaves in the far end of an accepted stream (lfp/ctl.h). The byte
 * is not data. Writer: stream-read.c; its stream_renew() starts the next life with NONE from any
 * state, past the table.
 */
enum accept_mark {
	/* No mark, or it was taken. Goes to LEFT when the connection is accepted. */
	MARK_NONE,

	/* The mark may be unread. Goes to PASSED or NONE when the next byte is read or the mark is
	 * passed over (stream_pass_mark()), to NONE when all data is moved to another far end. */
	MARK_LEFT,

	/* The mark was passed over, and FIONREAD counts it (near.h). Goes to NONE with another far
	 * end. */
	MARK_PASSED,
};

/*
 * The copy of the far end that a supervisor has (guard.h); `guard` identifies the supervisor.
 * Writer: vsock-hold.c, for ctl/guard.c; its vsock_drop() closes the far end and sets NONE from any
 * state, past the table.
 */
enum guarding {
	GUARD_NONE, /* no process has a copy: the far end is shut when it is closed. Goes to HAS */
	GUARD_HAS,  /* a supervisor has a copy and will get a message about the end. Goes to TOLD */
	GUARD_TOLD, /* the message was sent, and a copy may still exist: closing must not shut the
		     * far end */
};

/*
 * What connect() has reported about the connection of a stream. Writer: connect.c; its
 * connect_forget() starts the next life with NOTHING from any state, past the table.
 */
enum told {
	/* Nothing. Goes to CONNECTED; to END. */
	TOLD_NOTHING,

	/* A connect() has reported the connection, or it was accepted: from now on connect() fails
	 * with EISCONN. Goes to END. */
	TOLD_CONNECTED,

	/* State OVER: connect() has reported how the connection ended, or there is nothing to
	 * report. RENEW is allowed. */
	TOLD_END,
};

/*
 * Whether the program's socket is a listener: lfpd may send ACCEPTED for NOW and WAS. Writer:
 * listener.c. A new life keeps it: ACCEPTED of an earlier life may still be under way.
 */
enum listener {
	/* lfpd has never listened for this socket: ACCEPTED is an error. Goes to NOW; to WAS if
	 * lfpd listens but the socket can no longer become a listener. */
	LISTENER_NEVER,

	/* State LISTENING. Goes to WAS when that state ends. */
	LISTENER_NOW,

	/* lfpd has listened once. An ACCEPTED that is still under way is answered with CLOSE. Goes
	 * to NOW if the program calls listen() again. */
	LISTENER_WAS,
};

/* Each writer checks its table (lfp_transition()), except where a comment above says "past the
 * table". */
extern const struct lfp_transitions vsock_states, reading_states, out_end_states, in_end_states,
	in_reader_states, accept_mark_states, guarding_states, told_states, listened_states;

#endif
