/* SPDX-License-Identifier: Apache-2.0 */
/* credit.h - sockets of lfpd that wait for near ends which programs make themselves */
#ifndef IJBLFP_CTL_CREDIT_H
#define IJBLFP_CTL_CREDIT_H

#include <stdbool.h>

struct instance;
struct request;
struct task;
struct task_watch;
struct vsock;

/*
 * Theory of operation
 *
 * socket() of a busy program makes no round trip: the program makes the near end itself, a *fresh*
 * socket (lfp/ctl.h), and the first call on it brings it to the instance (adopt_call()). What may
 * fail at socket() must not fail later. So lfpd makes the socket before: for each socket that the
 * program may make ahead, its task has one in state SPARE. They are the task's like any others, so
 * they count in every limit and in the user's share.
 *
 * A process asks for credit once (LFP_CTL_CREDIT) and gets a page, in which the instance counts the
 * spare sockets. It may scribble there. The instance reads `left` only to take credit back, and
 * never believes more than its own list of spare sockets. It touches the page only when the file is
 * sealed, so that no hole makes it a SIGBUS.
 *
 * Spare sockets hold up nobody: before lfpd's ENFILE reaches a program, all that no program counts
 * on are closed, and for a while there are no new ones. Where only the user's share is spent
 * (EDQUOT), this is so for the user's. lfpd makes them only while half of its
 * limits is free (LFP_KIND_SPARE). Together they take at most a sixteenth of the instance's
 * descriptors. Those of a program that has made none for a second are closed, after five seconds
 * also those that are promised to its fresh sockets, of whose close no event tells. They end with
 * their process.
 *
 * A fresh socket without a spare one, because another process has it now, or because it was left
 * unused for long, asks lfpd like socket(): the call may fail with the errors of socket().
 */

/* For tasks_init(): a task's end closes its spare sockets, and a lost path takes its credit back.
 */
extern const struct task_watch credit_watch;

/* Returns a spare socket of the task, whose next state the caller sets, or NULL. */
struct vsock *credit_take(struct task *task, int family);

/* Asks lfpd for the spare sockets that are missing, if the task has credit. */
void credit_fill(struct task *task, int family);

/* The program makes a stream by a call of socket(): gives it the credit that it has lost count of,
 * and more if it makes many. */
void credit_on_call(struct task *task, int family);

/* As again_try(), for a SOCKET. Before that it closes spare sockets if lfpd lacks some: those of
 * all users, or of the task's if only its share is spent. @error: a positive errno; set to the one
 * for the program. */
bool credit_try(struct instance *inst, struct request *request, int *error);

/* The timer is a handle of the instance. */
void credits_init(struct instance *inst);
void credits_finish(struct instance *inst);

#endif
