/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - the traced threads: their processes, and whether they run, sleep or stand still */
#ifndef TESTS_COUNTS_TRACER_THREADS_H
#define TESTS_COUNTS_TRACER_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define THREADS_MAX 256
#define GROUPS_MAX  8

/*
 * THREAD_RUNS    it may run; seen awake, or not looked at yet
 * THREAD_SLEEPS  it was seen asleep in a system call
 * THREAD_STOPPED it stands at a ptrace stop and may be resumed
 * THREAD_MARKED  it stands at the mark of mark.h
 */
enum thread_state { THREAD_RUNS, THREAD_SLEEPS, THREAD_STOPPED, THREAD_MARKED };

struct thread {
	pid_t tid;
	int group; /* index of its name, see group_name() */
	enum thread_state state;
	int signal;          /* to deliver when it is resumed, or 0 */
	int stat_fd;         /* of /proc/TID/stat */
	bool slept;          /* in the system call that it is in */
	uint64_t turn;       /* when it was resumed last, as a number of turns */
	uint64_t resumed_ns; /* the same as a time */
	unsigned long mark;  /* enum mark, if it is THREAD_MARKED */
};

extern struct thread threads[THREADS_MAX];
extern int nr_threads;

/* Index of the name of a group of processes; a new one is added. */
int group_find(const char *name);
const char *group_name(int group);
int group_count(void);

/* Adds a thread that ptrace knows. What fails ends the program. */
struct thread *thread_add(pid_t tid, int group, enum thread_state state);
struct thread *thread_find(pid_t tid);
void thread_remove(struct thread *thread);

/* Seizes all threads of a process and of its descendants, which get the same name. */
void threads_seize(pid_t pid, int group);

/* The group of the process that @tid is a thread or a child of, or -1. */
int thread_parent_group(pid_t tid);

/* Looks at a thread that was resumed: sleeps it now? */
void thread_look(struct thread *thread);

/* Stops all of them, and lets them go untraced. */
void threads_release(void);

#endif
