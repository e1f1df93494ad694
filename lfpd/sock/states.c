/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - the tables of which state of a socket may follow which */
#include "lfpd/sock/states.h"

#include <stdio.h>
#include <stdlib.h>

#include "lfp/log.h"

#define BIT(state) (1u << (state))
#define END        (BIT(SOCKET_DEAD) | BIT(SOCKET_RELEASED))

static const unsigned int next_states[] = {
	/* NEW follows itself when a socket is dissolved that is NEW already. */
	[SOCKET_NEW] = BIT(SOCKET_NEW) | BIT(SOCKET_CONNECTING) | BIT(SOCKET_ESTABLISHED) |
		       BIT(SOCKET_LISTENING) | BIT(SOCKET_DATAGRAM) | BIT(SOCKET_LOST) | END,
	[SOCKET_CONNECTING] = BIT(SOCKET_NEW) | BIT(SOCKET_ESTABLISHED) | BIT(SOCKET_LOST) | END,
	[SOCKET_ESTABLISHED] = BIT(SOCKET_NEW) | BIT(SOCKET_LOST) | BIT(SOCKET_ORPHAN) | END,
	/* LISTENING follows itself when LISTEN changes the backlog. */
	[SOCKET_LISTENING] = BIT(SOCKET_NEW) | BIT(SOCKET_LISTENING) | BIT(SOCKET_LOST) | END,
	[SOCKET_DATAGRAM] = END,
	/* LOST follows itself when RESUME differs for a socket that is LOST already. */
	[SOCKET_LOST] = BIT(SOCKET_NEW) | BIT(SOCKET_LISTENING) | BIT(SOCKET_LOST) | END,
	[SOCKET_DEAD] = BIT(SOCKET_RELEASED),
	[SOCKET_ORPHAN] = BIT(SOCKET_RELEASED),
	[SOCKET_RELEASED] = 0,
};

static const char *const state_names[] = {
	[SOCKET_NEW] = "new",
	[SOCKET_CONNECTING] = "connecting",
	[SOCKET_ESTABLISHED] = "established",
	[SOCKET_LISTENING] = "listening",
	[SOCKET_DATAGRAM] = "datagram",
	[SOCKET_LOST] = "lost",
	[SOCKET_DEAD] = "dead",
	[SOCKET_ORPHAN] = "orphan",
	[SOCKET_RELEASED] = "released",
};

const struct states socket_states = {"a socket", state_names, next_states, SOCKET_RELEASED + 1};

static const unsigned int next_from_host[] = {
	/* READS follows itself when a socket is dissolved, or ends, that reads. */
	[FROM_READS] = BIT(FROM_READS) | BIT(FROM_NO_WINDOW) | BIT(FROM_WAITS) | BIT(FROM_EOF) |
		       BIT(FROM_SHUT),
	[FROM_NO_WINDOW] = BIT(FROM_READS) | BIT(FROM_SHUT),
	[FROM_WAITS] = BIT(FROM_READS) | BIT(FROM_SHUT),
	[FROM_EOF] = BIT(FROM_READS) | BIT(FROM_EOF_SHUT),
	[FROM_SHUT] = BIT(FROM_READS),
	[FROM_EOF_SHUT] = BIT(FROM_READS),
};

static const char *const from_host_names[] = {
	[FROM_READS] = "reads", [FROM_NO_WINDOW] = "no window", [FROM_WAITS] = "waits",
	[FROM_EOF] = "eof",     [FROM_SHUT] = "shut",           [FROM_EOF_SHUT] = "eof and shut",
};

const struct states from_host_states = {"reading the host's socket", from_host_names,
					next_from_host, FROM_EOF_SHUT + 1};

static const unsigned int next_to_host_end[] = {
	/* OPEN follows itself when a socket is dissolved. */
	[TO_OPEN] = BIT(TO_OPEN) | BIT(TO_END_QUEUED),
	[TO_END_QUEUED] = BIT(TO_OPEN) | BIT(TO_END_SENT),
	[TO_END_SENT] = BIT(TO_OPEN),
};

static const char *const to_host_end_names[] = {
	[TO_OPEN] = "open",
	[TO_END_QUEUED] = "end queued",
	[TO_END_SENT] = "end sent",
};

const struct states to_host_end_states = {"sending to the host", to_host_end_names,
					  next_to_host_end, TO_END_SENT + 1};

static const unsigned int next_listener[] = {
	[LISTENER_NEVER] = BIT(LISTENER_LISTENS),
	[LISTENER_LISTENS] = BIT(LISTENER_PAUSES) | BIT(LISTENER_PAUSES_USER) | BIT(LISTENER_WAS),
	[LISTENER_PAUSES] = BIT(LISTENER_LISTENS) | BIT(LISTENER_WAS),
	[LISTENER_PAUSES_USER] = BIT(LISTENER_LISTENS) | BIT(LISTENER_WAS),
	[LISTENER_WAS] = BIT(LISTENER_LISTENS),
};

static const char *const listener_names[] = {
	[LISTENER_NEVER] = "never listened", [LISTENER_LISTENS] = "listens",
	[LISTENER_PAUSES] = "pauses",        [LISTENER_PAUSES_USER] = "pauses for its user",
	[LISTENER_WAS] = "listened",
};

const struct states listener_states = {"a listener", listener_names, next_listener,
				       LISTENER_WAS + 1};

bool states_allow(const struct states *states, unsigned int from, unsigned int to)
{
	return from < states->nr && to < states->nr && states->next[from] & BIT(to);
}

static const char *name(const struct states *states, unsigned int state)
{
	return state < states->nr ? states->names[state] : "unknown";
}

void states_check(const struct states *states, unsigned int from, unsigned int to)
{
	if (states_allow(states, from, to))
		return;
#ifdef LFP_ASSERT_STATES
	fprintf(stderr, "%s: %s cannot follow %s\n", states->what, name(states, to),
		name(states, from));
	abort();
#else
	lfp_debug("%s: %s cannot follow %s", states->what, name(states, to), name(states, from));
#endif
}
