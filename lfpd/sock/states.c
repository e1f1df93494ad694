/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - the tables of which state of a socket may follow which */
#include "lfpd/sock/states.h"

#define NEXT LFP_NEXT
#define END  (NEXT(SOCKET_DEAD) | NEXT(SOCKET_RELEASED))

const struct lfp_transitions socket_states = {
	.what = "a socket",
	.nr = SOCKET_RELEASED + 1,
	.states =
		{
			/* NEW follows itself when a socket is dissolved that is NEW already. */
			[SOCKET_NEW] = {"new",
					NEXT(SOCKET_NEW) | NEXT(SOCKET_CONNECTING) |
						NEXT(SOCKET_ESTABLISHED) | NEXT(SOCKET_LISTENING) |
						NEXT(SOCKET_DATAGRAM) | NEXT(SOCKET_LOST) | END},
			[SOCKET_CONNECTING] = {"connecting", NEXT(SOCKET_NEW) |
								     NEXT(SOCKET_ESTABLISHED) |
								     NEXT(SOCKET_LOST) | END},
			[SOCKET_ESTABLISHED] = {"established", NEXT(SOCKET_NEW) |
								       NEXT(SOCKET_LOST) |
								       NEXT(SOCKET_ORPHAN) | END},
			/* LISTENING follows itself when LISTEN changes the backlog. */
			[SOCKET_LISTENING] = {"listening", NEXT(SOCKET_NEW) |
								   NEXT(SOCKET_LISTENING) |
								   NEXT(SOCKET_LOST) | END},
			[SOCKET_DATAGRAM] = {"datagram", END},
			/* LOST follows itself when RESUME differs for a socket that is LOST
			   already. */
			[SOCKET_LOST] = {"lost", NEXT(SOCKET_NEW) | NEXT(SOCKET_LISTENING) |
							 NEXT(SOCKET_LOST) | END},
			[SOCKET_DEAD] = {"dead", NEXT(SOCKET_RELEASED)},
			[SOCKET_ORPHAN] = {"orphan", NEXT(SOCKET_RELEASED)},
			[SOCKET_RELEASED] = {"released", 0},
		},
};

const struct lfp_transitions from_host_states = {
	.what = "reading the host's socket",
	.nr = FROM_EOF_SHUT + 1,
	.states =
		{
			/* READS follows itself when a socket is dissolved, or ends, that reads. */
			[FROM_READS] = {"reads", NEXT(FROM_READS) | NEXT(FROM_NO_WINDOW) |
							 NEXT(FROM_WAITS) | NEXT(FROM_EOF) |
							 NEXT(FROM_SHUT)},
			[FROM_NO_WINDOW] = {"no window", NEXT(FROM_READS) | NEXT(FROM_SHUT)},
			[FROM_WAITS] = {"waits", NEXT(FROM_READS) | NEXT(FROM_SHUT)},
			[FROM_EOF] = {"eof", NEXT(FROM_READS) | NEXT(FROM_EOF_SHUT)},
			[FROM_SHUT] = {"shut", NEXT(FROM_READS)},
			[FROM_EOF_SHUT] = {"eof and shut", NEXT(FROM_READS)},
		},
};

const struct lfp_transitions to_host_end_states = {
	.what = "sending to the host",
	.nr = TO_END_SENT + 1,
	.states =
		{
			/* OPEN follows itself when a socket is dissolved. */
			[TO_OPEN] = {"open", NEXT(TO_OPEN) | NEXT(TO_END_QUEUED)},
			[TO_END_QUEUED] = {"end queued", NEXT(TO_OPEN) | NEXT(TO_END_SENT)},
			[TO_END_SENT] = {"end sent", NEXT(TO_OPEN)},
		},
};

const struct lfp_transitions listener_states = {
	.what = "a listener",
	.nr = LISTENER_WAS + 1,
	.states =
		{
			[LISTENER_NEVER] = {"never listened", NEXT(LISTENER_LISTENS)},
			[LISTENER_LISTENS] = {"listens", NEXT(LISTENER_PAUSES) |
								 NEXT(LISTENER_PAUSES_USER) |
								 NEXT(LISTENER_WAS)},
			[LISTENER_PAUSES] = {"pauses", NEXT(LISTENER_LISTENS) | NEXT(LISTENER_WAS)},
			[LISTENER_PAUSES_USER] = {"pauses for its user",
						  NEXT(LISTENER_LISTENS) | NEXT(LISTENER_WAS)},
			[LISTENER_WAS] = {"listened", NEXT(LISTENER_LISTENS)},
		},
};
