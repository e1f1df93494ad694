/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h - the seccomp filter: which system calls the supervisor sees */
#ifndef LFP_RUN_FILTER_H
#define LFP_RUN_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Stopped, that is handed to the supervisor, are
 *
 *   socket() of an Internet family,
 *   connect, bind, listen, accept, accept4, getsockname, getpeername, setsockopt, getsockopt,
 *   shutdown, sendmsg, sendmmsg, recvmsg, recvmmsg, and the ioctls of sockets, unless they carry
 *   the cookie (libvsesock/core/cookie.h)
 *   sendto() with an address, with SPECIAL_SEND_FLAGS (libvsesock/core/cookie.h), or of more
 *   bytes than every datagram may have
 *   recvfrom() with an address or with SPECIAL_RECEIVE_FLAGS
 *   execve() and execveat(), where asked for
 *   all calls of sockets among the system calls of another machine (32 bits, x32), but socket() of
 *   another family and socketpair(); none of them will be served (foreign.h)
 *
 * With no_unix, AF_UNIX sockets that are neither streams nor SOCK_SEQPACKET cannot be made
 * (EACCES), and no call of another machine exists, nor socketcall() (ENOSYS).
 *
 * io_uring does not exist (ENOSYS): it makes and connects sockets past every filter. All else
 * goes through: read, write, close, dup, poll and their kind are never stopped.
 */

/* The machine that this program is for, and the one of its 32-bit programs. */
#if defined(__x86_64__)
#define FILTER_ARCH        AUDIT_ARCH_X86_64
#define FILTER_ARCH_COMPAT AUDIT_ARCH_I386
#define FILTER_X32         0x40000000u /* a bit in the numbers of x32 programs */
#define FILTER_X32_IOCTL   (FILTER_X32 | 514u)
#elif defined(__s390x__)
#define FILTER_ARCH        AUDIT_ARCH_S390X
#define FILTER_ARCH_COMPAT AUDIT_ARCH_S390
#elif defined(__aarch64__)
#define FILTER_ARCH        AUDIT_ARCH_AARCH64
#define FILTER_ARCH_COMPAT AUDIT_ARCH_ARM
#else
#error "the seccomp filter is not written for this machine"
#endif

/* Numbers of 32-bit programs. */
#define FILTER_COMPAT_IOCTL 54u
#if defined(__aarch64__)
#define FILTER_COMPAT_SOCKET 281u
#else
#define FILTER_COMPAT_SOCKET     359u
#define FILTER_COMPAT_SOCKETCALL 102u
#endif

#define FILTER_MAX 192u /* instructions; a jump passes over 255 at most */

/**
 * filter_build() - write the filter
 * @out:	the instructions
 * @cookie:	of the calls that go through; not 0
 * @exec:	stop execve() and execveat() too
 *
 * Return: how many instructions.
 */
unsigned short filter_build(struct sock_filter out[static FILTER_MAX], uint64_t cookie, bool exec,
			    bool no_unix);

#endif
