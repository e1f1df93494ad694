/* SPDX-License-Identifier: Apache-2.0 */
/* director.c - gives sequences to both executors, compares, and shortens what diverges */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/campaign/oracle/oracle.h"

enum { HUNG_MS = 8000, PATIENCE_MS = 700, SHORT_PATIENCE_MS = 250, AGAIN = 2, KINDS = 100 };

struct executor {
	const char *name;
	char *const *command;
	bool native;
	pid_t pid;
	int channel, memory;
	struct exchange *exchange;
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static _Noreturn void become(const struct executor *e, int channel)
{
	int diagnosis = e->native ? -1 : socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	/* Out of the way of the numbers that they get. */
	int from[3] = {fcntl(channel, F_DUPFD_CLOEXEC, 10), fcntl(e->memory, F_DUPFD_CLOEXEC, 10),
		       diagnosis < 0 ? -1 : fcntl(diagnosis, F_DUPFD_CLOEXEC, 10)};

	setpgid(0, 0);
	for (int i = 0; i < 3; i++)
		if (from[i] < 0)
			close(CHANNEL + i);
		else if (dup2(from[i], CHANNEL + i) < 0)
			_exit(126);
	execvp(e->command[0], e->command);
	perror(e->command[0]);
	_exit(127);
}

static void executor_start(struct executor *e)
{
	int ends[2];

	if (!e->exchange) {
		e->memory = memfd_create("exchange", MFD_CLOEXEC);
		if (e->memory < 0 || ftruncate(e->memory, sizeof(*e->exchange)) < 0)
			die("memory");
		e->exchange = mmap(NULL, sizeof(*e->exchange), PROT_READ | PROT_WRITE, MAP_SHARED,
				   e->memory, 0);
		if (e->exchange == MAP_FAILED)
			die("memory");
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		die("socketpair");
	e->pid = fork();
	if (e->pid < 0)
		die("fork");
	if (!e->pid)
		become(e, ends[1]);
	close(ends[1]);
	e->channel = ends[0];
}

static void executor_end(struct executor *e, int with)
{
	close(e->channel);
	if (with)
		kill(-e->pid, with);
	while (waitpid(e->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Returns false if the executor hung or ended; another one runs then. */
static bool executor_run(struct executor *e, const struct sequence *s, const struct trace *expected,
			 int patience_ms)
{
	struct pollfd pfd = {.fd = e->channel, .events = POLLIN};
	char byte = 0;

	e->exchange->patience_ms = patience_ms;
	e->exchange->sequence = *s;
	e->exchange->expected.nr = 0;
	if (expected)
		e->exchange->expected = *expected;
	if (write(e->channel, &byte, 1) == 1 && poll(&pfd, 1, HUNG_MS) == 1 &&
	    read(e->channel, &byte, 1) == 1)
		return true;
	executor_end(e, SIGKILL);
	executor_start(e);
	return false;
}

/* How a sequence went. */
struct outcome {
	bool differs;
	int nr; /* calls up to the one that differs */
	char what[500];
};

/* Is call @i, which differs, one of a pair whose other call is a listed difference? Then that other
 * call did not do for it what it did natively. */
static bool is_excused(const struct sequence *s, int i, const struct trace *native,
		       const struct trace *lfp)
{
	char differs[500];

	return sequence_is_pair(s, i) && i + 1 < native->nr && i + 1 < lfp->nr &&
	       entry_compare(native->entries[i + 1], lfp->entries[i + 1], differs,
			     sizeof(differs)) > 0;
}

static void compare(const struct sequence *s, const struct trace *native, const struct trace *lfp,
		    struct outcome *o)
{
	for (int i = 0; i < native->nr; i++) {
		int rc = i < lfp->nr ? entry_compare(native->entries[i], lfp->entries[i], o->what,
						     sizeof(o->what))
				     : -1;

		if (rc < 0 && is_excused(s, i, native, lfp))
			rc = 1;

		if (i >= lfp->nr)
			snprintf(o->what, sizeof(o->what), "LFP has no answer");
		o->differs = rc < 0;
		o->nr = i + 1;
		if (rc)
			return;
	}
}

static struct executor natively = {.name = "native", .native = true}, on_lfp = {.name = "LFP"};

static unsigned long
	nr_cut; /* sequences that ended before a call in which the kernel itself waits */

/* Runs @s natively. A call in which the kernel waits longer than HUNG_MS, such as connect() to a
 * listener whose queue is full, and all that come behind it, are taken out of @s: nothing can be
 * compared there. Returns false if it hangs again. */
static bool run_natively(struct sequence *s)
{
	if (executor_run(&natively, s, NULL, 200))
		return true;
	nr_cut++;
	s->nr = natively.exchange->got.nr;
	return executor_run(&natively, s, NULL, 200);
}

static struct outcome try(const struct sequence *sequence, int patience_ms)
{
	struct sequence copy = *sequence, *s = &copy;
	struct outcome o = {0};

	if (!run_natively(s)) {
		snprintf(o.what, sizeof(o.what), "the native executor hangs");
		o.differs = true;
		o.nr = natively.exchange->got.nr + 1;
	} else if (!executor_run(&on_lfp, s, &natively.exchange->got, patience_ms)) {
		snprintf(o.what, sizeof(o.what),
			 "LFP: a call does not return, or the program ends");
		o.differs = true;
		o.nr = on_lfp.exchange->got.nr + 1;
	} else {
		compare(s, &natively.exchange->got, &on_lfp.exchange->got, &o);
	}
	if (o.nr > s->nr)
		o.nr = s->nr;
	return o;
}

/* Returns whether it differs each time. */
static bool is_steady(const struct sequence *s, struct outcome *o)
{
	for (int i = 0; i < AGAIN; i++) {
		*o = try(s, PATIENCE_MS);
		if (!o->differs)
			return false;
	}
	return true;
}

/* Removes calls as long as the rest differs. */
static void shorten(struct sequence *s, struct outcome *o)
{
	s->nr = o->nr;
	for (int n = s->nr / 2; n > 0; n /= 2)
		for (int at = s->nr - n; at >= 0; at -= n) {
			struct sequence less = *s;
			struct outcome now;

			memmove(&less.ops[at], &less.ops[at + n],
				(size_t)(s->nr - at - n) * sizeof(*less.ops));
			less.nr -= n;
			now = try(&less, SHORT_PATIENCE_MS);
			if (!now.differs)
				continue;
			*s = less;
			if (now.nr)
				s->nr = now.nr;
			if (at > s->nr)
				at = s->nr;
		}
}

static void report(uint64_t seed, uint64_t nr, const struct sequence *s, const struct outcome *o)
{
	char text[200];

	printf("seed %lu sequence %lu, shortened to %d calls:\n", (unsigned long)seed,
	       (unsigned long)nr, s->nr);
	for (int i = 0; i < s->nr; i++) {
		const char *entry = natively.exchange->got.entries[i];

		(void)op_text(&s->ops[i], text, sizeof(text));
		if (i < natively.exchange->got.nr)
			printf("  %.*s\n", (int)strcspn(entry, "\n"), entry);
		else
			printf("  %s\n", text);
	}
	printf("   %s\n", o->what);
	fflush(stdout);
}

/* Was a difference like this one printed before? Slots and processes do not matter. @add: it is
 * now. */
static bool is_known(const char *what, bool add)
{
	static char known[KINDS][500];
	static int nr;
	char kind[500];
	size_t i;

	for (i = 0; what[i]; i++)
		kind[i] = isdigit((unsigned char)what[i]) ? '#' : what[i] == 'B' ? 'A' : what[i];
	kind[i] = 0;
	for (int k = 0; k < nr; k++)
		if (!strcmp(known[k], kind))
			return true;
	if (add && nr < KINDS)
		strcpy(known[nr++], kind);
	return false;
}

static bool examine(const struct director_orders *orders, uint64_t nr, unsigned long *unsteady)
{
	struct sequence s, whole;
	struct outcome o, before;

	sequence_generate(&s, orders->seed, nr);
	o = try(&s, PATIENCE_MS);
	if (!o.differs)
		return true;
	if (is_known(o.what, false))
		return false;
	before = o;
	if (!is_steady(&s, &o)) {
		++*unsteady;
		printf("seed %lu sequence %lu differs not always:\n   %s\n",
		       (unsigned long)orders->seed, (unsigned long)nr, before.what);
		if (getenv("ORACLE_TELLS"))
			report(orders->seed, nr, &s, &before);
		return true;
	}
	(void)is_known(o.what, true);
	whole = s;
	shorten(&s, &o);
	if (is_steady(&s, &o)) {
		(void)is_known(o.what, true);
	} else {
		s = whole;
		o = before;
	}
	report(orders->seed, nr, &s, &o);
	return false;
}

int direct(const struct director_orders *orders)
{
	unsigned long differ = 0, unsteady = 0, calls = 0;

	signal(SIGPIPE, SIG_IGN);
	natively.command = orders->native;
	on_lfp.command = orders->lfp;
	executor_start(&natively);
	executor_start(&on_lfp);
	for (uint64_t nr = orders->first; nr < orders->first + orders->count; nr++) {
		differ += !examine(orders, nr, &unsteady);
		calls += (unsigned long)on_lfp.exchange->got.nr;
	}
	executor_end(&natively, 0);
	executor_end(&on_lfp, 0);
	printf("%lu sequences, %lu calls, %lu sequences differ, %lu do not always, %lu runs cut\n",
	       (unsigned long)orders->count, calls, differ, unsteady, nr_cut);
	return differ ? 1 : 0;
}
