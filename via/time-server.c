/* SPDX-License-Identifier: Apache-2.0 */
/* time-server.c - sets the clock by TIME_SERVER */
#include "via/time-server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "via/journal.h"
#include "via/loop.h"
#include "via/sntp.h"

#define SOON  8000    /* ms */
#define LATER 1024000 /* ms */
#define STEP  500     /* ms: a difference of more is set at once, a smaller one is made up slowly */

static char server[INET6_ADDRSTRLEN];
static struct via_timer timer;
static struct via_watch answer;
static uint64_t nonce;
static int64_t asked; /* ms */
static bool answered;

static void forget_question(void)
{
	if (!answer.on)
		return;
	via_watch_remove(&answer);
	close(answer.fd);
}

static void set_clock(int64_t ns)
{
	struct timespec now, then = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	struct timeval slowly;
	int64_t off;
	int rc;

	clock_gettime(CLOCK_REALTIME, &now);
	off = (ns - ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec)) / 1000; /* us */
	slowly = (struct timeval){.tv_sec = off / 1000000, .tv_usec = off % 1000000};
	rc = llabs(off) > STEP * 1000 ? clock_settime(CLOCK_REALTIME, &then)
				      : adjtime(&slowly, NULL);
	if (rc)
		via_say("VLFD555E", "The clock cannot be set: %s.", strerror(errno));
	else if (!answered || llabs(off) > STEP * 1000)
		via_say("VLFD556I", "The clock is set by %s; it was off by %lld ms.", server,
			(long long)(off / 1000));
	answered = true;
}

static void on_answer(struct via_watch *watch, short events)
{
	uint8_t data[256];
	ssize_t n = recv(watch->fd, data, sizeof(data), MSG_DONTWAIT);
	int64_t ns;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n >= 0 && sntp_answer(data, (size_t)n, nonce, &ns))
		return; /* not of our server, perhaps: the right one may follow */
	forget_question();
	if (n < 0)
		return;
	set_clock(ns + (via_now() - asked) / 2 * 1000000);
	via_timer_set(&timer, LATER);
}

static void ask(void)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(VIA_SNTP_PORT)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(VIA_SNTP_PORT)};
	bool is_six = strchr(server, ':') != NULL;
	uint8_t question[VIA_SNTP_LEN];

	forget_question();
	(void)inet_pton(is_six ? AF_INET6 : AF_INET, server,
			is_six ? (void *)&six.sin6_addr : (void *)&four.sin_addr);
	answer.fd =
		socket(is_six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (answer.fd < 0)
		return;
	answer.events = POLLIN;
	answer.on_ready = on_answer;
	via_watch_add(&answer);
	asked = via_now();
	if (getrandom(&nonce, sizeof(nonce), GRND_NONBLOCK) != sizeof(nonce) ||
	    connect(answer.fd, is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
		    is_six ? sizeof(six) : sizeof(four)))
		return;
	sntp_question(question, nonce);
	(void)send(answer.fd, question, sizeof(question), MSG_NOSIGNAL);
}

static void on_time(struct via_timer *due)
{
	via_timer_set(due, SOON);
	ask();
}

void via_time_server_use(const char *name)
{
	if (!strcmp(name, server))
		return;
	forget_question();
	memcpy(server, name, strnlen(name, sizeof(server) - 1) + 1);
	answered = false;
	timer.on_time = on_time;
	if (*server)
		via_timer_set(&timer, 0);
	else
		via_timer_stop(&timer);
}
