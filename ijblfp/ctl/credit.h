/* SPDX-License-Identifier: Apache-2.0 */
/* credit.h - spare sockets of lfpd, for near ends that programs make themselves */
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
 * socket() of a busy program makes no round trip: the program makes the near end itself. This
 * *fresh* socket (lfp/ctl.h) comes to the instance with the first call on it (adopt_call()). An
 * error of socket() must not come later. So lfpd makes its socket first: for each fresh socket that
 * a program may make, its task has a *spare* socket, in state SPARE. Spare sockets are the task's
 * like any others, so they count in every limit and in the user's share.
 *
 * A process asks for credit once (LFP_CTL_CREDIT) and gets a page, in which the instance counts the
 * spare sockets. The process may write anything there. The instance reads `left` and
 * `live`, and never believes more than its own list of spare sockets. It touches the page only
 * after the file is sealed, so that no hole in the page causes a SIGBUS.
 *
 * No socket() fails because of spare sockets. Before lfpd's ENFILE reaches a program, the instance
 * takes back all unused credit, closes its spare sockets, and asks for no new ones for a while. If
 * only the user's share is spent (EDQUOT), it does so for this user alone. lfpd makes spare sockets
 * only while they are less than a quarter of what the others leave of its limits (LFP_KIND_SPARE).
 * The instance asks for no more while they take a sixteenth of the instance's descriptors. Spare
 * sockets that a program has not used for a second are closed. After five idle seconds, so are
 * those promised to its fresh sockets, because no event reports that a program has closed a fresh
 * socket. All end with their process.
 *
 * A fresh socket may have no spare one, because another process has it now, or because it was
 * unused for long. The first call on it then asks lfpd for a socket, and may fail with the errors
 * of socket().
 */

/* For tasks_init(): a task's end closes its spare sockets, and a lost path takes its credit back.
 */
extern const struct task_watch credit_watch;

/* Returns a spare socket of the task, whose next state the caller sets, or NULL. */
struct vsock *credit_take(struct task *task, int family);

/* If the task has credit, asks lfpd for the missing spare sockets. */
void credit_fill(struct task *task, int family);

/* Notes that the program makes a stream by a call of socket(). Restores credit that the program has
 * lost count of, and gives it more if it makes many streams. */
void credit_on_call(struct task *task, int family);

/* The process is another one to lfpd now: closes the spare sockets, also those that lfpd is making.
 */
void credit_renew(struct task *task);

/* As again_try(), for a SOCKET. If lfpd is short of sockets, first closes spare ones: those of all
 * users, or those of the task's user if only that user's share is spent. @error: lfpd's errno,
 * positive; set to the program's. */
bool credit_try(struct instance *inst, struct request *request, int *error);

/* The timer is a handle of the instance. */
void credits_init(struct instance *inst);
void credits_finish(struct instance *inst);

#endif
