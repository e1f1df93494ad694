/* SPDX-License-Identifier: Apache-2.0 */
/* executor.c - makes the calls of sequences, in one or two processes, and writes their traces */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/campaign/oracle/perform.h"

/* The child's orders: a byte each, answered by a byte. */
enum { PERFORM = 'p', LATER = 'l', TAKE = 't', TELL = 's' };

/* A listed difference of the state that lasts so long stays. */
enum { LISTED_MS = 300 };

static struct exchange *exchange;
static pid_t child;
static int wire[2] = {-1, -1}; /* to the child: the parent's end, the child's */

static void die(const char *what)
{
	fprintf(stderr, "executor: %s: %s\n", what, strerror(errno));
	_exit(2);
}

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static _Noreturn void obey(void)
{
	char order;

	me = 1;
	close(wire[0]);
	close(CHANNEL);
	while (read(wire[1], &order, 1) == 1) {
		if (order == TELL)
			state_tell();
		else if (order == TAKE)
			perform_take(&common->op);
		else {
			if (order == LATER) /* so that the parent mostly waits already */
				poll(NULL, 0, 3);
			perform(&common->op);
		}
		if (write(wire[1], &order, 1) != 1)
			break;
	}
	_exit(0);
}

static void child_start(void)
{
	if (child)
		return;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, wire) < 0)
		die("socketpair");
	memcpy(common->kind[1], common->kind[0], sizeof(common->kind[1]));
	memcpy(common->port_of[1], common->port_of[0], sizeof(common->port_of[1]));
	memcpy(common->id[1], common->id[0], sizeof(common->id[1]));
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		obey();
	close(wire[1]);
}

static void order(char what)
{
	if (write(wire[0], &what, 1) != 1)
		die("the child");
}

static void answered(void)
{
	char what;

	if (read(wire[0], &what, 1) != 1)
		die("the child has ended");
}

static void child_end(void)
{
	if (!child)
		return;
	close(wire[0]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	child = 0;
}

static unsigned int doer(const struct op *op)
{
	return child ? op->process : 0;
}

static void order_op(const struct op *op, char what)
{
	common->op = *op;
	order(what);
}

static void perform_one(const struct op *op)
{
	if (op->code == OP_FORK) {
		common->result[0][0] = 0;
		child_start();
	} else if (op->code == OP_PASS && !child) {
		common->result[0][0] = 0;
	} else if (doer(op)) {
		order_op(op, PERFORM);
		answered();
	} else {
		perform(op);
	}
	if (op->code != OP_PASS || !child)
		return;
	common->op = *op;
	if (doer(op)) {
		perform_take(op);
	} else {
		order(TAKE);
		answered();
	}
}

/* A call that waits, and one of the other process. */
static void perform_two(const struct op *waits, const struct op *ends)
{
	if (doer(waits)) {
		order_op(waits, PERFORM);
		poll(NULL, 0, 3);
		perform(ends);
		answered();
	} else {
		order_op(ends, LATER);
		perform(waits);
		answered();
	}
}

static void snapshot(char *text, size_t room)
{
	char host[400];

	state_tell();
	common->state[1][0] = 0;
	if (child) {
		order(TELL);
		answered();
	}
	state_host(DIAGNOSIS, host, sizeof(host));
	snprintf(text, room, "%s%s%s", common->state[0], common->state[1], host);
}

/* Compares the result, the first line. Returns as entry_compare(). */
static int compare_result(const char *entry, const char *expected)
{
	char first[ENTRY], differs[400];

	snprintf(first, sizeof(first), "%.*s\n", (int)strcspn(expected, "\n"), expected);
	return entry_compare(first, entry, differs, sizeof(differs));
}

/* Appends the state: natively once it stays, else once it is the native one. A listed difference
 * that ends the comparison may be a moment of a state that becomes the native one, so it has to
 * last. */
static void settle(char *entry, const char *expected)
{
	static char last[ENTRY];
	char *state = entry + strlen(entry), differs[400];
	size_t room = ENTRY - (size_t)(state - entry);
	int64_t now = now_us(), end = now + exchange->patience_ms * 1000;
	int64_t end_listed = now + LISTED_MS * 1000;

	if (expected && compare_result(entry, expected))
		end = end_listed = 0;
	*last = 0;
	for (useconds_t pause = 0;; pause = pause < 2000 ? pause + 50 : pause) {
		int rc;

		snapshot(state, room);
		if (expected)
			rc = entry_compare(expected, entry, differs, sizeof(differs));
		else
			rc = strcmp(last, state) ? -1 : 0;
		if (!rc)
			return;
		snprintf(last, sizeof(last), "%s", state);
		if (now_us() > (rc > 0 ? end_listed : end))
			return;
		if (expected && !pause)
			sched_yield();
		else
			usleep(pause + 20);
	}
}

static void entry_begin(char *entry, const struct op *op)
{
	size_t len = op_text(op, entry, ENTRY);

	snprintf(entry + len, ENTRY - len, " %s -> %s\n", state_history(doer(op), op->slot),
		 common->result[doer(op)]);
}

/* Returns the number of calls that it has made: 0 if the trace is no longer the expected one. */
static int step(const struct sequence *s, int i)
{
	struct trace *got = &exchange->got;
	const char *expected = i < exchange->expected.nr ? exchange->expected.entries[i] : NULL;
	bool pair = sequence_is_pair(s, i), apart = false;
	char differs[400];

	if (pair) {
		perform_two(&s->ops[i], &s->ops[i + 1]);
		entry_begin(got->entries[i], &s->ops[i]);
		apart = expected &&
			entry_compare(expected, got->entries[i], differs, sizeof(differs));
		i++;
		expected = expected ? exchange->expected.entries[i] : NULL;
	} else {
		perform_one(&s->ops[i]);
	}
	entry_begin(got->entries[i], &s->ops[i]);
	settle(got->entries[i], expected);
	got->nr = i + 1;
	if (apart ||
	    (expected && entry_compare(expected, got->entries[i], differs, sizeof(differs))))
		return 0;
	return pair ? 2 : 1;
}

static void run(void)
{
	const struct sequence *s = &exchange->sequence;
	memset(common, 0, sizeof(*common));
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, common->pass) < 0)
		die("socketpair");
	exchange->got.nr = 0;
	for (int i = 0, done; i < s->nr; i += done) {
		done = step(s, i);
		if (!done)
			break;
	}
	child_end();
	perform_end();
	close(common->pass[0]);
	close(common->pass[1]);
}

/* On LFP the director's own serves: there this process is in an empty network. */
static void diagnosis_open(void)
{
	int fd;

	if (fcntl(DIAGNOSIS, F_GETFD) >= 0)
		return;
	fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	if (fd < 0 || (fd != DIAGNOSIS && dup2(fd, DIAGNOSIS) < 0))
		die("netlink");
}

_Noreturn void execute(void)
{
	char byte;

	diagnosis_open();
	exchange = mmap(NULL, sizeof(*exchange), PROT_READ | PROT_WRITE, MAP_SHARED, MEMORY, 0);
	common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (exchange == MAP_FAILED || common == MAP_FAILED)
		die("memory");
	perform_begin();
	while (read(CHANNEL, &byte, 1) == 1) {
		run();
		if (write(CHANNEL, &byte, 1) != 1)
			break;
	}
	_exit(0);
}
