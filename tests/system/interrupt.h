/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt.h - alarms that interrupt a call, and waiting until others sleep in theirs */
#ifndef TESTS_SYSTEM_INTERRUPT_H
#define TESTS_SYSTEM_INTERRUPT_H

#include <poll.h>
#include <signal.h>
#include <sys/time.h>

#include "tests/sleeps.h"
#include "tests/system/tool.h"

/* A wait for a retransmission doubles each time: 1 s, 2 s, 4 s; a busy machine may need 15 s. */
enum { MOMENT_MS = 50, LONG_MS = 60000 };

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

/* A SIGALRM in a moment, and again and again: the first may come before the call that it is meant
 * for. */
static void alarm_soon(int flags)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	struct itimerval timer = {.it_value.tv_usec = MOMENT_MS * 1000,
				  .it_interval.tv_usec = MOMENT_MS * 1000};

	alarms = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void alarm_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

/* Until it sleeps in the call that it waits in, and has done nothing for a while. */
static void await_sleep(pid_t tid)
{
	int64_t end = now_ms() + LONG_MS;
	long before = -1;

	for (int same = 0; same < 10;) {
		long sleeps = sleeps_of(tid);

		if (now_ms() > end)
			die("it does not sleep");
		same = sleeps >= 0 && sleeps == before ? same + 1 : 0;
		before = sleeps;
		poll(NULL, 0, 10);
	}
}

#endif
