/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h - what the interposed functions share */
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
 * Every interposed function asks near_end() first and hands what is not LFP's to the kernel as it
 * came. Those named hook_ are for syscall() too; they return a result or a negative errno and leave
 * errno alone, but for the ones that may block: these return as libc's functions do, with errno.
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
 * The program's own seccomp filter decides on its calls, as natively. So a control call is first
 * made on no descriptor, which the kernel answers with EBADF before it looks at anything else: any
 * other error is the filter's, and the call's. 0 or that negative errno.
 */
static inline int filter_verdict(long rc)
{
	return rc == -EBADF ? 0 : (int)rc;
}

/* The end of a call that reads: what libc's function has returned, with errno; @wanted bytes were
 * asked for, or 0. */
ssize_t receive_finish(int fd, ssize_t rc, size_t wanted);

/* The end of a call that writes and has no flags: what libc's function has returned, with errno. A
 * stream that is not connected says EPIPE, with its signal, or why the connection was lost. */
ssize_t send_finish(int fd, ssize_t rc);

/*
 * A call with MSG_NOSIGNAL added has failed, and the program has not given that. Returns true if it
 * is to be made as the program has made it; else *rc and errno are what the program gets.
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
 * The instance has SO_INQ on at the near end of a socket with TCP_INQ, so the kernel tells what is
 * unread as of a UNIX socket. Before Linux 6.17 it has a mark instead (lfp/ctl.h), and the library
 * asks, in processes that have set the option, or have asked for it.
 */

/* Notes that TCP_INQ was set or asked for on a near end, and is @on. */
void unread_note(int fd, int on);

/* Returns the room for control messages of @msg, which recvmsg() overwrites; 0 if nobody needs it.
 */
size_t unread_room(const struct msghdr *msg);

/*
 * @msg was received on @fd, and had @room before. If that is a near end it is told
 * as by TCP, which counts the end of file as one byte. Messages without it cost nothing.
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
