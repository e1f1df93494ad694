/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h - shared parts of the interposed functions */
#ifndef VSESOCK_HOOKS_H
#define VSESOCK_HOOKS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lfp/frame.h"
#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/preload/real.h"

/*
 * Calls on descriptors that are not LFP's go to the kernel unchanged (near_end()). syscall() uses
 * the functions named hook_, too. They return a result or a negative errno and leave errno alone.
 * Functions that may block return as libc's do, with errno.
 */
int hook_socket(int family, int type, int protocol);
int hook_bind(int fd, const struct sockaddr *addr, socklen_t addrlen);
int hook_listen(int fd, int backlog);
int hook_shutdown(int fd, int how);
int hook_getsockname(int fd, struct sockaddr *addr, socklen_t *addrlen);
int hook_getpeername(int fd, struct sockaddr *addr, socklen_t *addrlen);
int hook_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int hook_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
long hook_ioctl(int fd, unsigned long request, long arg);
long hook_prctl(int option, const long arg[4]);
long hook_seccomp(unsigned int operation, unsigned long flags, void *prog);
/* Makes a call after which the path of the instance may be out of reach. */
long hook_leave(long nr, long a, long b);

/*
 * The program's own seccomp filter decides on its calls, as natively. So each control call is first
 * made on descriptor -1. The kernel returns EBADF before it checks anything else, so any other
 * error comes from the filter. Returns 0, or that negative errno, which is the result of the call.
 */
static inline int filter_verdict(long rc)
{
	return rc == -EBADF ? 0 : (int)rc;
}

/* Ends a call that reads: corrects @rc, the result of libc's function, and errno. @wanted is the
 * number of bytes that the call asked for. */
ssize_t receive_finish(int fd, ssize_t rc, size_t wanted);

/* Ends a call that writes and has no flags: corrects @rc, the result of libc's function, and errno.
 * On a stream that is not connected the call fails with EPIPE and SIGPIPE, or with the reason why
 * the connection was lost. */
ssize_t send_finish(int fd, ssize_t rc);

/*
 * Handles the failure of a call to which the library has added MSG_NOSIGNAL. Returns true if the
 * caller must repeat the call with the program's own flags; else *rc and errno are its result.
 */
bool send_is_for_kernel(int fd, ssize_t *rc, int flags);

/* Returns 0 if all buffers are empty, else another number. The vector must be readable. */
size_t iov_size(const struct iovec *iov, size_t count);

/* Makes a request without data on a near end. Returns as ctl_call(). */
int near_call(int fd, const char *nn, enum lfp_ctl_op op, int32_t a);

/* Copies an address to a program as the kernel does: cut off at *@addrlen, which is then set to its
 * length. */
int give_addr(const struct lfp_addr *from, struct sockaddr *addr, socklen_t *addrlen);

/* Checks addr and addrlen of a call that returns an address. Returns 0, -EFAULT or -EINVAL. */
int check_addr_room(const struct sockaddr *addr, const socklen_t *addrlen);

/* Checks that a message's head and vector can be read and are not too long. Returns 0, -EFAULT or
 * -EMSGSIZE. The kernel checks the buffers. */
int check_msg(const struct msghdr *msg);

/* Reads an address of a program. Returns 0 or a negative errno. */
int take_addr(struct lfp_addr *to, const struct sockaddr *addr, socklen_t addrlen);

/* unread.c: */

/*
 * For a socket with TCP_INQ the instance sets SO_INQ at the near end: recvmsg() then returns the
 * number of unread bytes in the form for UNIX sockets. Before Linux 6.17 the near end has a mark
 * instead (lfp/ctl.h), and the library asks for the number, in processes that have set the option
 * or asked for it.
 */

/* Notes that TCP_INQ was set or asked for on a near end, and is @on. */
void unread_note(int fd, int on);

/* Returns the room for control messages of @msg, which recvmsg() overwrites; 0 if the library does
 * not need it.
 */
size_t unread_room(const struct msghdr *msg);

/*
 * @msg was received on @fd, and had @room before. On a near end, gives the number of unread bytes
 * in TCP's form, which counts the end of file as one byte. Costs nothing for messages without a
 * number.
 */
void unread_tell(int fd, struct msghdr *msg, size_t room);

/* idn.c: */

/*
 * libidn2 converts names in the encoding of the program's locale. As in libc, it is loaded when it
 * is needed, and may not be installed.
 */

/* Sets *@out to the form for the DNS, which the caller frees; to @name itself if that is ASCII.
 * Returns 0 or an EAI_. */
int idn_to_dns(const char *name, char **out);

/* Sets *@out to the form for people; to @name itself without libidn2 or such a form. Returns 0 or
 * an EAI_. */
int idn_from_dns(const char *name, char **out);

#endif
