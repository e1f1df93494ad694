/* SPDX-License-Identifier: Apache-2.0 */
/* test-states.c - the tables of states let the changes pass that the protocol has, and no other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/states.h"

struct change {
	unsigned int from, to;
};

static const char *expected;
static unsigned int reported;

/* The reporter of changes that are not allowed. */
static void note(const char *text)
{
	assert_non_null(expected);
	assert_string_equal(text, expected);
	reported++;
}

/* Goes through all pairs of states: those of @changes pass, all others are reported. */
static void walk(const struct lfp_transitions *states, const struct change *changes, size_t nr)
{
	size_t passed = 0;

	for (unsigned int from = 0; from < states->nr; from++) {
		assert_non_null(states->states[from].name);
		for (unsigned int to = 0; to < states->nr; to++) {
			bool listed = false;

			for (size_t i = 0; i < nr; i++)
				listed |= changes[i].from == from && changes[i].to == to;
			if (lfp_transition_is_allowed(states, from, to) != listed)
				fail_msg("%s: from %s to %s", states->what,
					 states->states[from].name, states->states[to].name);
			passed += listed;
		}
	}
	assert_int_equal(passed, nr);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void life_of_a_socket(void **state)
{
	static const struct change changes[] = {
		{SOCKET_NEW, SOCKET_NEW},
		{SOCKET_NEW, SOCKET_CONNECTING},
		{SOCKET_NEW, SOCKET_ESTABLISHED},
		{SOCKET_NEW, SOCKET_LISTENING},
		{SOCKET_NEW, SOCKET_DATAGRAM},
		{SOCKET_NEW, SOCKET_LOST},
		{SOCKET_NEW, SOCKET_DEAD},
		{SOCKET_NEW, SOCKET_RELEASED},
		{SOCKET_CONNECTING, SOCKET_NEW},
		{SOCKET_CONNECTING, SOCKET_ESTABLISHED},
		{SOCKET_CONNECTING, SOCKET_LOST},
		{SOCKET_CONNECTING, SOCKET_DEAD},
		{SOCKET_CONNECTING, SOCKET_RELEASED},
		{SOCKET_ESTABLISHED, SOCKET_NEW},
		{SOCKET_ESTABLISHED, SOCKET_LOST},
		{SOCKET_ESTABLISHED, SOCKET_DEAD},
		{SOCKET_ESTABLISHED, SOCKET_ORPHAN},
		{SOCKET_ESTABLISHED, SOCKET_RELEASED},
		{SOCKET_LISTENING, SOCKET_NEW},
		{SOCKET_LISTENING, SOCKET_LISTENING},
		{SOCKET_LISTENING, SOCKET_LOST},
		{SOCKET_LISTENING, SOCKET_DEAD},
		{SOCKET_LISTENING, SOCKET_RELEASED},
		{SOCKET_DATAGRAM, SOCKET_DEAD},
		{SOCKET_DATAGRAM, SOCKET_RELEASED},
		{SOCKET_LOST, SOCKET_NEW},
		{SOCKET_LOST, SOCKET_LISTENING},
		{SOCKET_LOST, SOCKET_LOST},
		{SOCKET_LOST, SOCKET_DEAD},
		{SOCKET_LOST, SOCKET_RELEASED},
		{SOCKET_DEAD, SOCKET_RELEASED},
		{SOCKET_ORPHAN, SOCKET_RELEASED},
	};

	(void)state;
	assert_int_equal(socket_states.nr, 9);
	walk(&socket_states, changes, COUNT(changes));
}

static void reading_the_host(void **state)
{
	static const struct change changes[] = {
		{FROM_READS, FROM_READS},    {FROM_READS, FROM_NO_WINDOW},
		{FROM_READS, FROM_WAITS},    {FROM_READS, FROM_EOF},
		{FROM_READS, FROM_SHUT},     {FROM_NO_WINDOW, FROM_READS},
		{FROM_NO_WINDOW, FROM_SHUT}, {FROM_WAITS, FROM_READS},
		{FROM_WAITS, FROM_SHUT},     {FROM_EOF, FROM_READS},
		{FROM_EOF, FROM_EOF_SHUT},   {FROM_SHUT, FROM_READS},
		{FROM_EOF_SHUT, FROM_READS},
	};

	(void)state;
	assert_int_equal(from_host_states.nr, 6);
	walk(&from_host_states, changes, COUNT(changes));
}

static void end_to_the_host(void **state)
{
	static const struct change changes[] = {
		{TO_OPEN, TO_OPEN},           {TO_OPEN, TO_END_QUEUED}, {TO_END_QUEUED, TO_OPEN},
		{TO_END_QUEUED, TO_END_SENT}, {TO_END_SENT, TO_OPEN},
	};

	(void)state;
	assert_int_equal(to_host_end_states.nr, 3);
	walk(&to_host_end_states, changes, COUNT(changes));
}

static void listening(void **state)
{
	static const struct change changes[] = {
		{LISTENER_NEVER, LISTENER_LISTENS},       {LISTENER_LISTENS, LISTENER_PAUSES},
		{LISTENER_LISTENS, LISTENER_PAUSES_USER}, {LISTENER_LISTENS, LISTENER_WAS},
		{LISTENER_PAUSES, LISTENER_LISTENS},      {LISTENER_PAUSES, LISTENER_WAS},
		{LISTENER_PAUSES_USER, LISTENER_LISTENS}, {LISTENER_PAUSES_USER, LISTENER_WAS},
		{LISTENER_WAS, LISTENER_LISTENS},
	};

	(void)state;
	assert_int_equal(listener_states.nr, 5);
	walk(&listener_states, changes, COUNT(changes));
}

/* Each writer of a state asks its table, and makes the change all the same. */
static void writers_report(void **state)
{
	struct instance inst = {.nr_listening = 0};
	struct socket sock = {.instance = &inst, .state = SOCKET_DEAD, .from_host = FROM_SHUT};

	(void)state;
	lfp_list_init(&sock.ready);
	lfp_list_init(&sock.listener.entry);
	lfp_transition_set_reporter(note);
	expected = "a socket: new cannot follow dead";
	socket_set_state(&sock, SOCKET_NEW);
	assert_int_equal(sock.state, SOCKET_NEW);
	expected = "reading the host's socket: eof cannot follow shut";
	socket_set_from_host(&sock, FROM_EOF);
	assert_int_equal(sock.from_host, FROM_EOF);
	expected = "sending to the host: end sent cannot follow open";
	socket_set_to_host_end(&sock, TO_END_SENT);
	assert_int_equal(sock.stream.to_host_end, TO_END_SENT);
	expected = "a listener: listened cannot follow never listened";
	socket_set_listener(&sock, LISTENER_WAS);
	assert_int_equal(sock.listener.state, LISTENER_WAS);
	assert_int_equal(reported, 4);
	expected = NULL;
	socket_set_state(&sock, SOCKET_CONNECTING);
	assert_int_equal(sock.state, SOCKET_CONNECTING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_socket), cmocka_unit_test(reading_the_host),
		cmocka_unit_test(end_to_the_host),  cmocka_unit_test(listening),
		cmocka_unit_test(writers_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
