/* SPDX-License-Identifier: Apache-2.0 */
/* target.h - the program behind a trap: its descriptors, its memory, its signals */
#ifndef LFP_RUN_TARGET_H
#define LFP_RUN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "lfp-run/trap.h"

/*
 * Everything here goes by the thread that waits in the trap. Its id is the thread's as long as the
 * trap is valid: when the thread has been killed another may get it, of any user; and a thread that
 * executes a program takes the id of the main thread at once. So the trap is asked after each thing
 * that was found or read by the id, which is thrown away if the trap is not valid any more, and
 * right before each write and signal: -ESRCH then, and nothing was done. Between that question and
 * the write remains the time from one system call to the next. /proc/TID/mem would pin the memory,
 * but cannot be used: it also writes to memory that is read-only for the program.
 *
 * Functions return 0 or a negative errno unless they say otherwise.
 */

/* Opens trap->pidfd, unless it is open. Returns -EPERM if the supervisor may not look into the
 * program. */
int target_open(struct trap *trap);
void target_close(struct trap *trap);

/* Returns 0 if the supervisor may take descriptors and read memory of the program, else -EPERM or
 * -ESRCH. */
int target_check(struct trap *trap);

/* Returns a copy of the program's descriptor @fd, close-on-exec; or a negative errno. */
int target_take(struct trap *trap, int fd);

/* Returns true if the program can get one more descriptor. The kernel, too, checks that first. */
bool target_has_room(struct trap *trap);

/* Replaces all of the program's descriptors of the socket with this inode by @fd. */
void target_replace(struct trap *trap, uint64_t ino, int fd);

/* Returns true if the thread has the supervisor's user, groups and capabilities. */
bool target_has_our_rights(const struct trap *trap);

/* Returns true if the thread has the supervisor's user and groups. */
bool target_has_our_user(const struct trap *trap);

/* Returns the id of its process, or a negative errno. */
pid_t target_process(struct trap *trap);

/* Copy @len bytes from or to the program's memory. Return 0, -ESRCH, or -EFAULT if not all bytes
 * can be copied. */
int target_read(const struct trap *trap, void *to, uint64_t from, size_t len);
int target_write(const struct trap *trap, uint64_t to, const void *from, size_t len);

/* The same with a vector in the program's memory. Its parts have at least @len bytes in all. */
int target_gather(const struct trap *trap, void *to, const struct iovec *from, size_t count,
		  size_t len);
int target_scatter(const struct trap *trap, const struct iovec *to, size_t count, const void *from,
		   size_t len);

/* Copies text and its NUL. Returns the length of the text, or -ENAMETOOLONG if the first @room
 * bytes have no NUL. */
ssize_t target_read_text(const struct trap *trap, char *to, uint64_t from, size_t room);

/* Reads a socket address of the program. As the kernel, returns -EINVAL for an impossible length.
 */
int target_read_addr(const struct trap *trap, struct sockaddr_storage *to, uint64_t from,
		     int64_t len);

/* Reads the room for an address: sets *@len to the program's *@at_len. Returns 0, -EFAULT or
 * -EINVAL. */
int target_addr_room(const struct trap *trap, uint64_t at_len, int *len);

/* Writes the address, cut off at @room, then its true length. */
int target_write_addr(const struct trap *trap, uint64_t to, uint64_t at_len, int room,
		      const struct sockaddr_storage *from, socklen_t len);

/* Tells whether a signal is pending that would interrupt a wait in the kernel. */
enum target_signal {
	TARGET_NO_SIGNAL,
	TARGET_SIGNAL,       /* this thread is the one that will handle it */
	TARGET_SIGNAL_MAYBE, /* one of several threads will */
};
enum target_signal target_signal(const struct trap *trap);

/* Sends a signal to the thread, as the kernel does with SIGPIPE. */
void target_raise(struct trap *trap, int sig);

#endif
