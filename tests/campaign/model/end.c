/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - delivers everything, and checks what must hold at the end of a sequence */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tests/campaign/model/parties.h"

enum { PATIENCE_MS = 10000 };

static char wrong[FAULT_MAX];

void say(const char *what)
{
	if (!*wrong)
		snprintf(wrong, sizeof(wrong), "%s", what);
}

void say_nothing(void)
{
	*wrong = '\0';
}

void both_turn(void)
{
	int quiet = 0;

	while (quiet < 2) {
		bool some;

		linux_turn();
		vse_turn();
		vse_hurry();
		some = between_turn();
		some |= take_answer();
		if (some || linux_is_busy() || vse_is_busy() || is_ready(linux_backend()) ||
		    is_ready(vse_backend()))
			quiet = 0;
		else
			quiet++;
	}
	accept_hosts();
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

void deliver_all(void)
{
	do {
		while (between_has(TO_LFPD)) {
			between_deliver(TO_LFPD);
			both_turn();
		}
		while (between_has(TO_VSE)) {
			between_deliver(TO_VSE);
			both_turn();
		}
		both_turn();
	} while (between_has(TO_LFPD) || between_has(TO_VSE));
}

static uint64_t deadline;

void begin_waiting(void)
{
	deadline = now_ms() + PATIENCE_MS;
}

bool may_wait(void)
{
	struct pollfd pfds[] = {{.fd = linux_backend(), .events = POLLIN},
				{.fd = vse_backend(), .events = POLLIN}};

	if (now_ms() > deadline)
		return false;
	poll(pfds, 2, 1);
	deliver_all();
	return true;
}

static bool program_waits(void)
{
	return p.conn >= 0 && (p.call != STEP_TAKE);
}

static void check_views(const struct view *l, const struct view *v)
{
	char text[FAULT_MAX];

	snprintf(text, sizeof(text), "the socket is %s on z/VSE's side and %s in lfpd", v->state,
		 l->state);
	if (!v->exists && !l->exists)
		return;
	if (v->exists != l->exists || v->is_established != l->is_established ||
	    (v->is_new && !l->is_new && !l->is_over) || (v->is_over && !l->is_new && !l->is_over))
		say(text);
	if (v->epoch != l->epoch && v->is_established)
		say("both sides count another life of the socket");
	if (!v->is_established || !l->is_established)
		return;
	snprintf(text, sizeof(text),
		 "windows differ: out %zu/%zu and %zu/%zu, in %zu/%zu and %zu/%zu", (size_t)v->out,
		 (size_t)v->out_reported, (size_t)l->out, (size_t)l->out_reported, (size_t)v->in,
		 (size_t)v->in_reported, (size_t)l->in, (size_t)l->in_reported);
	if (v->out != l->out || v->out_reported != l->out_reported || v->in != l->in ||
	    v->in_reported != l->in_reported)
		say(text);
	if (v->out_ended != l->out_ended || v->in_ended != l->in_ended)
		say("one side knows of an end that the other does not know of");
}

/* Everything is delivered: reads all that there is. */
static void read_all(void)
{
	uint64_t before;

	do {
		before = p.read;
		for (unsigned int i = 0; i < nr_hosts; i++)
			if (hosts[i].fd >= 0 && !hosts[i].ended) {
				uint64_t had = hosts[i].in.received;

				host_read(i);
				before -= hosts[i].in.received != had;
			}
		if (p.near >= 0 && !p.listens && !p.given)
			while (program_read() > 0)
				;
		deliver_all();
	} while (p.read != before);
}

/* No end of file that the host did not send. */
static void check_end(void)
{
	char byte;

	if (p.quit || p.given || p.listens || p.wants_near || p.near < 0 || !nr_hosts ||
	    !hosts[nr_hosts - 1].reset || recv(p.near, &byte, 1, MSG_DONTWAIT) != 0)
		return;
	(void)call_now(LFP_CTL_WHY_EOF, 0, NULL, 0, p.near);
	if (!reply.error)
		say("a reset looks like an end of file");
}

/* TCP holds short segments back until the earlier ones are acknowledged (Nagle), as it would those
 * of the program. Only what does not come at all is lost. */
static void wait_for_bytes(void)
{
	struct pollfd host = {.fd = hosts[nr_hosts - 1].fd, .events = POLLIN};

	while (p.wrote > hosts[nr_hosts - 1].in.received && poll(&host, 1, 2000) > 0) {
		uint64_t before = hosts[nr_hosts - 1].in.received;

		read_all();
		if (hosts[nr_hosts - 1].in.received == before)
			return;
	}
}

/* If nothing was done to the last connection for which bytes may be lost, none is. */
static void check_bytes(const struct view *v)
{
	if (p.odd || p.given || p.near < 0 || !v->is_established || !nr_hosts)
		return;
	if (v->out_ended != hosts[nr_hosts - 1].ended || v->in_ended == hosts[nr_hosts - 1].live)
		say("the end of a direction is lost, or was not sent");
	wait_for_bytes();
	if (p.wrote != hosts[nr_hosts - 1].in.received)
		say("bytes of the program are lost");
	if (p.read != hosts[nr_hosts - 1].sent)
		say("bytes of the host are lost");
}

static bool all_is_gone(void)
{
	return vse_sockets() == 0 && linux_sockets() == 0;
}

static bool hosts_have_ended(void)
{
	bool all = true;

	accept_hosts();
	for (unsigned int i = 0; i < nr_hosts; i++) {
		if (hosts[i].fd >= 0 && !hosts[i].ended)
			host_read(i);
		all &= hosts[i].fd < 0 || hosts[i].ended;
	}
	return all;
}

bool sequence_end(char *fault, size_t room)
{
	struct view l, v;
	uint64_t id;
	static unsigned int ends;
	static uint64_t disagreements;
	char text[FAULT_MAX];

	deliver_all();
	for (begin_waiting(); (linux_is_suspending() || !vse_is_up()) && may_wait();)
		;
	for (begin_waiting(); program_waits() && may_wait();)
		;
	if (program_waits()) {
		snprintf(text, sizeof(text), "%s still waits", step_names[p.call]);
		say(text);
	}
	read_all();
	id = vse_only();
	l = linux_view(id);
	v = vse_view(id);
	check_views(&l, &v);
	check_bytes(&v);
	check_end();
	if (p.conn >= 0)
		close(p.conn);
	p.conn = -1;
	put_near(-1);
	for (begin_waiting(), vse_sweep(), deliver_all();
	     !(all_is_gone() && hosts_have_ended()) && may_wait();)
		vse_sweep();
	if (!all_is_gone()) {
		l = linux_view(id);
		v = vse_view(id);
		snprintf(text, sizeof(text), "after close() the socket is %s and %s", v.state,
			 l.state);
		say(text);
	} else if (!hosts_have_ended()) {
		say("after close() a connection of the host stays open");
	}
	for (unsigned int i = 0; i < nr_hosts; i++)
		if (hosts[i].fd >= 0)
			close(hosts[i].fd);
	nr_hosts = 0;
	if (between_ends() != ends)
		say("the path has ended");
	ends = between_ends();
	if (linux_disagreements() + vse_disagreements() > disagreements)
		say("a frame does not fit the socket");
	disagreements = linux_disagreements() + vse_disagreements();
	snprintf(fault, room, "%s", wrong);
	return !*wrong;
}
