/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - system calls that would end the program, because its own seccomp filter kills */
#ifndef VSESOCK_SANDBOX_H
#define VSESOCK_SANDBOX_H

#include <linux/filter.h>
#include <stdbool.h>

/*
 * Theory of operation
 *
 * The shim's additional system calls must not end a program that has confined itself to reading and
 * writing. So the shim interprets each filter that the program sets up, and remembers which of its
 * own system calls the filter would kill. A call that the filter only refuses does no harm: the
 * program gets the filter's error.
 *
 * A filter that came with exec is not known. One that a thread sets up for itself alone is known
 * for this thread alone; if that is the first thread of the process, those that it starts later
 * have the filter, too, and it counts for all.
 */
enum sandbox_call {
	SANDBOX_GETSOCKNAME = 1,
	SANDBOX_GETSOCKOPT = 2,
	SANDBOX_SOCKETPAIR = 4,
	SANDBOX_SOCKET = 8,
	SANDBOX_CONNECT = 16,
	SANDBOX_SENDMSG = 32,
	SANDBOX_RECVMSG = 64,
	SANDBOX_CLOSE = 128,
	SANDBOX_PPOLL = 256,
	SANDBOX_FCNTL = 512,
	SANDBOX_GETPID = 1024,
	SANDBOX_LOW_WATER = 2048, /* other calls of SO_RCVLOWAT (core/low-water.h) */
	SANDBOX_SENDTO = 4096,
	SANDBOX_CREDIT = 8192, /* other calls of core/fresh.c and credit.c */
	SANDBOX_EARLY = 16384, /* of early options (core/early.h) */
	SANDBOX_MARK = 32768,  /* that reads the mark of a fresh socket (lfp/ctl.h) */
	SANDBOX_PASSCRED = 65536,
};

/* Returns true if one of these calls (bits of enum sandbox_call) ends the program. */
bool sandbox_kills(unsigned int calls);

/* Returns the calls that the filter kills, as bits. */
unsigned int sandbox_judge(const struct sock_fprog *prog);

/* All of them: seccomp's strict mode. */
#define SANDBOX_ALL 131071u

/* Returns true in the first thread of the process. Call this before the filter is set up. */
bool sandbox_is_first(void);

/* Notes a filter: from now on these calls end the program; with in all threads. Makes no system
 * call. */
void sandbox_add(unsigned int calls, bool all);

#endif
