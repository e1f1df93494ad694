/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - runs the traced threads one at a time, in an order that does not depend on the
 * machine's load */

/*
 * Theory of operation
 *
 * All processes and the tracer share one CPU. The tracer resumes one thread, up to its next system
 * call or the end of one, and then that same thread again, until it sleeps in a call. Then comes
 * the thread that has waited longest. Before each step every thread that was woken has come to the
 * end of its call: else it would depend on the kernel's scheduler whether epoll_wait() tells of one
 * event or of two.
 *
 * A thread at a mark waits until nothing else can run. The program's mark goes before that of
 * another process, which therefore begins an operation only when the program waits for it.
 */
#include "tests/counts/tracer/turns.h"

#include <err.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/counts/mark.h"
#include "tests/counts/tracer/clock.h"
#include "tests/counts/tracer/tally.h"
#include "tests/counts/tracer/threads.h"

#define SYSCALL_STOP (SIGTRAP | 0x80)
/* Packets that the kernel hands on later (softirq) have this long to wake somebody. */
#define SETTLE_NS 50000
#define SETTLES   3
#define SILENT_NS 30000000000u /* a program that gets no further */

static pid_t current; /* the thread whose turn it is, or 0 */
static uint64_t nr_turns;

static void resume(struct thread *thread)
{
	if (thread->tid != current)
		thread->turn = ++nr_turns;
	current = thread->tid;
	thread->resumed_ns = now_ns();
	thread->state = THREAD_RUNS;
	if (ptrace(PTRACE_SYSCALL, thread->tid, NULL, thread->signal) < 0 && errno != ESRCH)
		err(1, "PTRACE_SYSCALL");
	thread->signal = 0;
}

static void at_call(struct thread *thread)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		thread->slept = false;
		if (info.entry.nr != MARK_CALL) {
			tally_call(thread->group, info.entry.nr);
			return;
		}
		thread->state = THREAD_MARKED;
		thread->mark = info.entry.args[0];
	} else if (thread->slept) {
		thread->slept = false;
		tally_wake_up(thread->group);
	}
}

static void on_stop(struct thread *thread, int status)
{
	int signal = WSTOPSIG(status);

	thread->state = THREAD_STOPPED;
	if (signal == SYSCALL_STOP)
		at_call(thread);
	else if (status >> 16 == 0)
		thread->signal = signal;
}

/* A thread or a process that a traced one has made. Its first stop may come before its parent's. */
static struct thread *newcomer(pid_t tid)
{
	int group = thread_parent_group(tid);

	return group < 0 ? NULL : thread_add(tid, group, THREAD_STOPPED);
}

/* Takes all that waitpid() has to tell. Returns the exit code of @program if it has ended, else -1.
 */
static int collect(pid_t program)
{
	int status, code = -1;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
		struct thread *thread = thread_find(tid);

		if (!WIFSTOPPED(status)) {
			if (thread)
				thread_remove(thread);
			if (tid == program)
				code = WIFEXITED(status) ? WEXITSTATUS(status)
							 : 128 + WTERMSIG(status);
			continue;
		}
		if (!thread)
			thread = newcomer(tid);
		if (thread)
			on_stop(thread, status);
	}
	return code;
}

static bool runs(struct thread *thread)
{
	if (thread->state == THREAD_STOPPED || thread->state == THREAD_MARKED)
		return false;
	thread_look(thread);
	return thread->state == THREAD_RUNS;
}

/* The thread that was resumed first: mostly it alone has to be looked at. */
static bool anyone_runs(void)
{
	struct thread *thread = thread_find(current);

	if (thread && runs(thread))
		return true;
	for (int i = 0; i < nr_threads; i++)
		if (runs(&threads[i]))
			return true;
	return false;
}

/* The one whose turn it is, else the one that has waited longest, else NULL. */
static struct thread *choose(enum thread_state state)
{
	struct thread *best = thread_find(current);

	if (best && best->state == state)
		return best;
	best = NULL;
	for (int i = 0; i < nr_threads; i++)
		if (threads[i].state == state && (!best || threads[i].turn < best->turn))
			best = &threads[i];
	return best;
}

/* The program's before that of another process. */
static struct thread *marked(int group)
{
	for (int i = 0; i < nr_threads; i++)
		if (threads[i].state == THREAD_MARKED && threads[i].group == group)
			return &threads[i];
	return choose(THREAD_MARKED);
}

static void settle(void)
{
	const struct timespec pause = {.tv_nsec = SETTLE_NS};

	nanosleep(&pause, NULL);
}

/* Says who sleeps, and ends. */
static void __attribute__((noreturn)) give_up(void)
{
	for (int i = 0; i < nr_threads; i++)
		fprintf(stderr, "%s: thread %d: state %d\n", group_name(threads[i].group),
			(int)threads[i].tid, threads[i].state);
	threads_release();
	errx(1, "the program gets no further");
}

int turns_run(pid_t program, int group)
{
	uint64_t since = now_ns();
	int code, quiet = 0;

	while ((code = collect(program)) < 0) {
		struct thread *next;

		if (anyone_runs()) {
			sched_yield();
			quiet = 0;
		} else if ((next = choose(THREAD_STOPPED))) {
			resume(next);
			since = now_ns();
			quiet = 0;
		} else if (++quiet < SETTLES || !(next = marked(group))) {
			settle();
			if (now_ns() - since > SILENT_NS)
				give_up();
		} else {
			if (next->group == group && next->mark == MARK_WINDOW)
				tally_window();
			resume(next);
			quiet = 0;
		}
	}
	return code;
}
