/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - the process at the other end of a connection of the control channel */
#ifndef IJBLFP_CTL_PEER_H
#define IJBLFP_CTL_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Theory of operation
 *
 * SO_PEERCRED gives pid 0 for a process that the instance's pid namespace does not have. Such
 * processes must not be one task: they would share its user, its name, and the right to take what
 * it gives. SO_PEERPIDFD (Linux 6.5) gives a pidfd of such a process, and since Linux 6.9 (pidfs)
 * its inode number is the process's, which no other process ever has. The process gets a negative
 * number made from it, which stands in the place of the pid. Two processes can have the same one,
 * so task.c compares inode numbers as well. Where the kernel cannot tell processes apart, calls of
 * such a process are refused.
 */

struct peer {
	pid_t pid; /* negative if the pid namespace does not have it; 0: unknown */
	uid_t uid;
	uint64_t inode; /* of its pidfd, if @pid is negative; else 0 */
};

/* Reads the process that made the connection @fd. Returns 0 or a negative errno. */
int peer_read(int fd, struct peer *peer);

/* Returns the pid to show to people, or 0. */
static inline pid_t peer_shown(pid_t pid)
{
	return pid > 0 ? pid : 0;
}

/* Returns a pidfd of the process that made the connection, which the caller closes, or a negative
 * errno: -ENOPROTOOPT before Linux 6.5. */
int peer_pidfd(int fd);

/* Returns true if @pidfd is one of a process that has not ended. -1 is none. */
bool peer_lives(int pidfd);

/* Returns true if @pidfd is certainly one of the process that made the connection: not before Linux
 * 6.9. */
bool peer_is(int fd, int pidfd);

/* Reads the effective user of a process, even one that has ended but still has its number. Returns
 * 0 or a negative errno: -ESRCH if the process is gone, others before Linux 6.13. */
int peer_user(int pidfd, uid_t *uid);

#define PEER_STATUS_MAX 16384u /* bytes of /proc/PID/status that are read */

/* Reads the user and group ids of a process. Returns the lines of @text from "Uid:" on, or NULL if
 * there is no such process. */
const char *peer_read_ids(pid_t pid, char text[static PEER_STATUS_MAX]);

/* The same in two steps. The descriptor stays that process's, whoever gets its number later.
 * Returns a descriptor, which the caller closes, or -1. */
int peer_open_ids(pid_t pid);
const char *peer_read_open_ids(int fd, char text[static PEER_STATUS_MAX]);

/* Opens a pidfd of a process, which the caller closes. @fd: the process's connection, or -1 if it
 * has none and @pid is positive. The number of a connection's process may be another one's by now;
 * since Linux 6.5 that is noticed. Returns a negative errno on failure. */
int peer_open(int fd, pid_t pid, uint64_t inode);

#endif
