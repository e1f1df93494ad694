/* SPDX-License-Identifier: Apache-2.0 */
/* close.c - closes a socket of a controller, and hardly waits */
#include "via/close.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#define MOST_US 1000

static void on_alarm(int sig)
{
	(void)sig;
}

/*
 * A close of AF_IUCV waits for messages on their way, up to 2 seconds, and SO_LINGER with 0 seconds
 * does not change that (net/iucv/af_iucv.c, iucv_sock_close()). A signal ends the wait, and the
 * close is complete all the same. The alarm comes again and again, for the first may be earlier
 * than the wait.
 */
void via_close(int fd)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	const struct itimerval alarms = {{.tv_usec = MOST_US}, {.tv_usec = MOST_US}};
	const struct itimerval none = {.it_value = {0}};

	if (!sigaction(SIGALRM, &action, NULL))
		(void)setitimer(ITIMER_REAL, &alarms, NULL);
	close(fd);
	(void)setitimer(ITIMER_REAL, &none, NULL);
}
