/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - the traced threads: their processes, and whether they run, sleep or stand still */
#include "tests/counts/tracer/threads.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/counts/tracer/clock.h"

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK)
/* A thread that has run for so long without a system call waits in a loop: others may run beside
 * it. */
#define SPIN_NS 200000000u

struct thread threads[THREADS_MAX];
int nr_threads;

static const char *group_names[GROUPS_MAX];
static int nr_groups;

int group_find(const char *name)
{
	for (int i = 0; i < nr_groups; i++)
		if (!strcmp(group_names[i], name))
			return i;
	if (nr_groups == GROUPS_MAX)
		errx(1, "more than %d groups", GROUPS_MAX);
	group_names[nr_groups] = name;
	return nr_groups++;
}

const char *group_name(int group)
{
	return group_names[group];
}

int group_count(void)
{
	return nr_groups;
}

struct thread *thread_add(pid_t tid, int group, enum thread_state state)
{
	struct thread *thread = &threads[nr_threads];
	char path[64];

	if (nr_threads == THREADS_MAX)
		errx(1, "more than %d threads", THREADS_MAX);
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	*thread = (struct thread){.tid = tid, .group = group, .state = state};
	thread->stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (thread->stat_fd < 0)
		err(1, "%s", path);
	nr_threads++;
	return thread;
}

struct thread *thread_find(pid_t tid)
{
	for (int i = 0; i < nr_threads; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	return NULL;
}

void thread_remove(struct thread *thread)
{
	close(thread->stat_fd);
	*thread = threads[--nr_threads];
}

static bool seize(pid_t tid, int group)
{
	if (thread_find(tid))
		return false;
	if (ptrace(PTRACE_SEIZE, tid, NULL, OPTIONS) < 0) {
		if (errno == ESRCH) /* it has ended */
			return false;
		err(77, "skipped: thread %d cannot be traced", (int)tid);
	}
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0)
		err(1, "PTRACE_INTERRUPT");
	thread_add(tid, group, THREAD_RUNS);
	return true;
}

static void seize_children(pid_t pid, pid_t tid, int group)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		threads_seize(child, group);
	if (file)
		fclose(file);
}

/* Returns whether one was new. */
static bool seize_all(pid_t pid, int group)
{
	bool found = false;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (!dir)
		err(1, "%s", path);
	while ((entry = readdir(dir))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0 && seize(tid, group)) {
			found = true;
			seize_children(pid, tid, group);
		}
	}
	closedir(dir);
	return found;
}

void threads_seize(pid_t pid, int group)
{
	/* A thread that is not seized yet may make another one. */
	while (seize_all(pid, group))
		;
}

static int group_of_process(long pid)
{
	struct thread *thread = thread_find((pid_t)pid);

	return thread ? thread->group : -1;
}

int thread_parent_group(pid_t tid)
{
	char path[64], line[128];
	int group = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && group < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, "Tgid:", 5) || !strncmp(line, "PPid:", 5))
			group = group_of_process(strtol(line + 5, NULL, 10));
	if (file)
		fclose(file);
	return group;
}

/* The letter of proc(5), 0 if the thread is gone. */
static char letter(const struct thread *thread)
{
	char line[128];
	ssize_t n = pread(thread->stat_fd, line, sizeof(line) - 1, 0);
	const char *end;

	if (n <= 0)
		return 0;
	line[n] = 0;
	end = strrchr(line, ')');
	return end && end[1] ? end[2] : 0;
}

void thread_look(struct thread *thread)
{
	uint64_t now;

	switch (letter(thread)) {
	case 'S':
		thread->state = THREAD_SLEEPS;
		thread->slept = true;
		break;
	case 'R':
	case 'D':
		now = now_ns();
		if (thread->state == THREAD_SLEEPS || !thread->resumed_ns)
			thread->resumed_ns = now;
		thread->state = now - thread->resumed_ns < SPIN_NS ? THREAD_RUNS : THREAD_SLEEPS;
		break;
	default: /* it stops or ends, and waitpid() will tell */
		thread->state = THREAD_RUNS;
	}
}

static void let_go(pid_t tid)
{
	int status;

	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	if (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status))
		(void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

void threads_release(void)
{
	while (nr_threads) {
		struct thread *thread = &threads[nr_threads - 1];

		if (thread->state == THREAD_STOPPED || thread->state == THREAD_MARKED)
			(void)ptrace(PTRACE_DETACH, thread->tid, NULL, thread->signal);
		else
			let_go(thread->tid);
		thread_remove(thread);
	}
}
