/* SPDX-License-Identifier: Apache-2.0 */
/* test-states.c - the tables of states let the changes pass that the protocol has, and no other */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfpd/sock/states.h"

struct change {
	unsigned int from, to;
};

/* Returns true if a process that makes this change ends. @text: its standard error. */
static bool aborts(const struct states *states, struct change change, char *text, size_t room)
{
	int pipes[2], status;
	ssize_t n, len = 0;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		dup2(pipes[1], STDERR_FILENO);
		states_check(states, change.from, change.to);
		_exit(0);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], text + len, room - 1 - (size_t)len)) > 0)
		len += n;
	text[len] = '\0';
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Goes through all pairs of states: those of @changes pass, all others are reported. */
static void walk(const struct states *states, const struct change *changes, size_t nr)
{
	size_t passed = 0;

	for (unsigned int from = 0; from < states->nr; from++) {
		assert_non_null(states->names[from]);
		for (unsigned int to = 0; to < states->nr; to++) {
			bool listed = false;

			for (size_t i = 0; i < nr; i++)
				listed |= changes[i].from == from && changes[i].to == to;
			if (states_allow(states, from, to) != listed)
				fail_msg("%s: from %s to %s", states->what, states->names[from],
					 states->names[to]);
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

static void wrong_changes_abort(void **state)
{
	char text[256];

	(void)state;
	assert_true(aborts(&socket_states, (struct change){SOCKET_DEAD, SOCKET_NEW}, text,
			   sizeof(text)));
	assert_non_null(strstr(text, "a socket: new cannot follow dead"));
	assert_true(aborts(&socket_states, (struct change){SOCKET_NEW, 9}, text, sizeof(text)));
	assert_non_null(strstr(text, "unknown cannot follow new"));
	assert_false(aborts(&socket_states, (struct change){SOCKET_NEW, SOCKET_CONNECTING}, text,
			    sizeof(text)));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(life_of_a_socket),    cmocka_unit_test(reading_the_host),
		cmocka_unit_test(end_to_the_host),     cmocka_unit_test(listening),
		cmocka_unit_test(wrong_changes_abort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
