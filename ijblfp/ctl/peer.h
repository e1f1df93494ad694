/* SPDX-License-Identifier: Apache-2.0 */
/* peer.h - the process at the other end of a connection of the control channel */
#ifndef IJBLFP_CTL_PEER_H
#define IJBLFP_CTL_PEER_H

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

#define PEER_STATUS_MAX 16384u /* bytes of /proc/PID/status that are read */

/* Reads the user and group ids of a process. Returns the lines of @text from "Uid:" on, or NULL if
 * there is no such process. */
const char *peer_read_ids(pid_t pid, char text[static PEER_STATUS_MAX]);

/* Opens a pidfd of a process, which the caller closes. Needs the process's connection @fd if @pid
 * is negative. Returns a negative errno on failure. */
int peer_open(int fd, pid_t pid, uint64_t inode);

#endif
