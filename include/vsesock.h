/* SPDX-License-Identifier: Apache-2.0 */
/* vsesock.h - CICS-style tasks in a program that uses the z/VSE socket interfaces */
#ifndef VSESOCK_H
#define VSESOCK_H

/*
 * On z/VSE, CICS begins and ends tasks. Here a program does so by these calls, which are ours; IBM
 * has none. A program without these calls is a batch program: one task with all its threads.
 *
 * Each CICS-style task has socket descriptors of its own, from 0 on. No other task sees them. They
 * are closed at the task's end unless they were given (GIVESOCKET) before. With
 * "// SETPARM [SYSTEM] LFP$CIC=SHARE" all tasks of the process share their descriptors, and nothing
 * is closed. The LFP instance enforces this.
 *
 * A thread works for one task at a time. Functions return 0 or more, or -1 with errno.
 */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vse_task_begin() - begin a CICS-style task, for which the calling thread then works
 * @name:	up to 8 characters, the task's name in client ids; NULL or "": the instance makes
 * one
 *
 * Return: the task's number, from 1 on, or -1 (EINVAL: the name is too long; ENOMEM).
 */
int vse_task_begin(const char *name);

/* Lets the thread work for another task, given by its number; 0: the program outside all tasks.
 * Returns the previous task's number, or -1 (ESRCH: there is no such task). */
int vse_task_switch(int task);

/* Returns the number of the task that the thread works for; 0: none. */
int vse_task_current(void);

/* Ends a task. Its threads then work for no task; none of them may be in a call. Returns 0 or -1
 * (ESRCH). */
int vse_task_end(int task);

/*
 * EZASTRUE's functions for a program: start and stop the task-related user exit EZATRUE. Without
 * it, EZASOKET and EZASMI calls of CICS-style tasks fail with ENOTRUE.
 *
 * Return: 0; 4: already done; 8: failed (the LFP instance is not there).
 */
int vse_true_start(void);
int vse_true_stop(void);

/* EZASTRUE itself, with a COMMAREA of 10 bytes: 'EZATRUE ', 'S' or 'T', and the return code as one
 * byte: 0, 4 or 8 as above, 16 for wrong contents. ASCII or EBCDIC. Returns 0. */
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
 * Event control blocks are fullwords. Calls with ECB= (ezasmi.h, csi-socket.h) post one when they
 * end. A program waits for them by SELECTEX, or here, together with ECBs that its own threads post.
 * An ECB that is not 0 is posted.
 */

/**
 * vse_ecb_wait() - wait until one of some ECBs is posted
 * @ecbs:	their addresses; NULL ones are skipped
 * @nr:		their number
 * @ms:		milliseconds at most; negative: no limit
 *
 * Return: the index of the first posted one, or -1 with errno: ETIMEDOUT, EFAULT, EINVAL (no ECB,
 * or one that is not on a fullword boundary).
 */
int vse_ecb_wait(void *const ecbs[], int nr, int ms);

/* Posts an ECB of the program: X'40' into its first byte and X'80' into its third, as calls with
 * ECB= do. */
void vse_ecb_post(void *ecb);

#ifdef __cplusplus
}
#endif

#endif
