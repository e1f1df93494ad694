/* SPDX-License-Identifier: Apache-2.0 */
/* vsesock.h - CICS-style tasks in a program that uses the z/VSE socket interfaces */
#ifndef VSESOCK_H
#define VSESOCK_H

/*
 * On z/VSE CICS begins and ends tasks. Here a program does it by these calls, which are ours: IBM
 * has none. A program that calls none of them is a batch program: one task, with all its threads.
 *
 * Each CICS-style task has socket descriptors of its own, from 0 on. Sockets of one are no other's,
 * and are closed at its end, unless they were given (GIVESOCKET) before; with
 * "// SETPARM [SYSTEM] LFP$CIC=SHARE" all tasks of the process share theirs, and nothing is closed.
 * The LFP instance sees to that.
 *
 * A thread works for one task at a time. Functions return a number that is not negative, or -1 with
 * errno.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vse_task_begin() - begin a CICS-style task; the calling thread works for it from now on
 * @name:	up to 8 characters, the task's name in client ids; NULL or "": the instance makes
 * one
 *
 * Return: the task's number, from 1 on, or -1 (EINVAL: the name is too long; ENOMEM).
 */
int vse_task_begin(const char *name);

/* Work for another task from now on: its number, 0 for the program outside of all tasks. Returns
 * the number of the one before, or -1 (ESRCH: there is no such task). */
int vse_task_switch(int task);

/* The number of the task that the thread works for; 0 if it is none. */
int vse_task_current(void);

/* End a task. Threads that work for it work for none then; none of them may be in a call. 0 or -1
 * (ESRCH). */
int vse_task_end(int task);

/*
 * What EZASTRUE does for a program: start and stop the task-related user exit EZATRUE, without
 * which EZASOKET and EZASMI calls of CICS-style tasks fail with ENOTRUE.
 *
 * Return: 0; 4 it is so already; 8 it cannot be done (the LFP instance is not there).
 */
int vse_true_start(void);
int vse_true_stop(void);

/* EZASTRUE itself, as linked to with a COMMAREA of 10 bytes: 'EZATRUE ', 'S' or 'T', and the return
 * code as one byte: 0, 4 or 8 as above, 16 if the first two are none of these. ASCII or EBCDIC.
 * Returns 0. */
int EZASTRUE(void *commarea);

/*
 * The calls above for COBOL: CALL 'VSETASK' USING FUNCTION TASK-NAME TASK-NUMBER RETCODE.
 *
 *	FUNCTION    PIC X(8)		'BEGIN', 'SWITCH', 'CURRENT' or 'END'
 *	TASK-NAME   PIC X(8)		in for BEGIN; blank: none
 *	TASK-NUMBER PIC 9(8) BINARY	out for BEGIN and CURRENT, in for the others
 *	RETCODE     PIC S9(8) BINARY	0 or more, -1: failed
 *
 * Numbers are big-endian, as COBOL's BINARY. Returns 0.
 */
int VSETASK(const char *function, const char *name, void *number, void *retcode);

/*
 * Event control blocks: fullwords, which calls with ECB= (ezasmi.h, csi-socket.h) post when they
 * are done. A program may wait for them by SELECTEX, or here, together with ECBs of its own, which
 * other threads post. An ECB is posted when it is not 0.
 */

/**
 * vse_ecb_wait() - wait until one of some ECBs is posted
 * @ecbs:	their addresses; NULL ones are passed over
 * @nr:		how many
 * @ms:		milliseconds at most; negative: for ever
 *
 * Return: the place of the first one that is posted, or -1 with errno: ETIMEDOUT, EFAULT, EINVAL
 * (no ECB at all, or one that is not on a fullword boundary).
 */
int vse_ecb_wait(void *const ecbs[], int nr, int ms);

/* Post an ECB of the program's: X'40' into its first byte and X'80' into its third, as calls with
 * ECB= do. */
void vse_ecb_post(void *ecb);

#ifdef __cplusplus
}
#endif

#endif
