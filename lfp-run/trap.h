/* SPDX-License-Identifier: Apache-2.0 */
/* trap.h - a system call of a program that waits for the supervisor, and its answer */
#ifndef LFP_RUN_TRAP_H
#define LFP_RUN_TRAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Theory of operation
 *
 * The listener has SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV: from the moment that the call is
 * received here only a deadly signal ends the program's wait, so no call is made twice, and nothing
 * received for a program is lost. A call that waits long must end by other signals too: the
 * supervisor looks for them (wait.h) and answers TRAP_RESTART, with which the kernel does what it
 * does with an interrupted call of its own: the signal's handler runs, and then, by SA_RESTART, the
 * call is made again or fails with EINTR.
 */
struct trap {
	int listener;
	uint64_t id;
	pid_t tid; /* the thread that calls */
	uint32_t arch;
	int nr; /* of the system call; that of the call within socketcall() */
	uint64_t arg[6];
	int pidfd;     /* of the thread, or of its process; -1: not open yet (target.h) */
	pid_t process; /* its process; 0: not known yet */
};

/* Answers besides results (0 and more) and negative errnos. */
enum {
	TRAP_RESTART = -512,      /* the kernel's ERESTARTSYS; only if a signal is pending */
	TRAP_CONTINUE = -1000000, /* let the kernel do the call as it is */
};

/* Returns NULL if the kernel has all that is needed, else text that names what is missing. */
const char *trap_missing(void);

/* Waits for a call. Returns 0, -EAGAIN if the caller was killed or interrupted meanwhile, or
 * another negative errno. */
int trap_receive(int listener, struct trap *trap);

/* Returns whether the program still waits in this call. */
bool trap_is_valid(const struct trap *trap);

/* Sends the answer; does nothing if the program was killed. */
void trap_answer(const struct trap *trap, long answer);

/**
 * trap_give() - the answer is a new descriptor of the program
 * @fd:		the supervisor's; it is closed
 * @cloexec:	is the program's one close-on-exec?
 *
 * The supervisor's is closed before the answer: the program's next close() must be the last one. So
 * SECCOMP_ADDFD_FLAG_SEND, which would do it in one step, is not for this; nothing but the
 * program's death comes in between.
 *
 * Return: the answer to the call.
 */
long trap_give(const struct trap *trap, int fd, bool cloexec);

/* Replaces the program's open descriptor @number by @fd. Returns 0 or a negative errno. */
int trap_replace(const struct trap *trap, int fd, int number, bool cloexec);

#endif
