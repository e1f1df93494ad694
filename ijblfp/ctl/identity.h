/* SPDX-License-Identifier: Apache-2.0 */
/* identity.h - tells lfpd which user, groups and program a task has, for rules */
#ifndef IJBLFP_CTL_IDENTITY_H
#define IJBLFP_CTL_IDENTITY_H

struct ctl_conn;
struct instance;
struct task;

/*
 * Theory of operation
 *
 * The facts are the kernel's, and are read for each call that needs them, because a process changes
 * its user, its groups and its program without telling anybody. Nothing that the process says
 * itself counts.
 *
 * /proc has the facts under a number that another process may have by now. So a pidfd of the
 * process has to show that it lives after they were read. The pidfd is the connection's
 * (SO_PEERPIDFD, Linux 6.5): the number of the connection's process may have been another one's
 * already when the task was made. Where the task's own pidfd is one of the same process
 * (Linux 6.9), this is found once for each connection.
 *
 * No fact is believed because it was true before: nothing in the kernel tells of setgroups(), or of
 * an execve() that another one follows. Cheaper sources are used instead. The user comes from the
 * task's pidfd (Linux 6.13). /proc/PID/status is read for groups alone, by a descriptor that is
 * kept. The path of a program is read again if /proc/PID/exe or the path leads to another file.
 *
 * A program is a path that leads to the file which the process executes, in the mount namespace of
 * the instance. In a namespace of its own any user can mount any file at any path, so the path that
 * the kernel prints is compared with the file there. If it is another one, or if this process may
 * not see it (proc_pid_get_link() asks for the rights of ptrace()), the program is unknown.
 */

/* Tells lfpd what has changed since the last time, if lfpd has asked for it. @task may be NULL. */
void identity_tell(struct instance *inst, struct ctl_conn *conn, struct task *task);

#endif
