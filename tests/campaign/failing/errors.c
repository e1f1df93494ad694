/* SPDX-License-Identifier: Apache-2.0 */
/* errors.c - the system calls that may fail, and their errors */
#include <errno.h>
#include <sys/syscall.h>

#include "tests/campaign/failing/failing.h"
#include "tests/system/tool.h"

#define NEW EMFILE, ENFILE, ENOMEM
#define CALL(name, ...)                                                                            \
	{                                                                                          \
#name, SYS_##name,                                                                 \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

/*
 * These cases are left out:
 *
 * - a failure that the kernel never causes. write() to an eventfd fails only if its counter is full
 *   (fs/eventfd.c, eventfd_write(); see tracer.c). connect() to an open near end never fails with
 *   ECONNREFUSED: by this error the instance learns that the program has closed the near end.
 *   getsockname() of an open socket never fails (net/ipv4/af_inet.c, inet_getname(), and
 *   net/unix/af_unix.c, unix_getname());
 * - brk() and the first mmap() of a program: if they fail, the program crashes natively, too, as it
 *   starts;
 * - epoll_ctl(): libuv itself ends the process if it fails (uv__io_poll()).
 *
 * Other machines lack some of these calls, and there nothing is traced.
 */
const struct failing_call failing_calls[] = {
#ifdef __x86_64__
	CALL(read, EINTR, EAGAIN, EIO, ECONNRESET),
	CALL(write, EINTR, EAGAIN, ENOSPC, EIO, EPIPE),
	CALL(readv, EINTR, EAGAIN, EIO, ECONNRESET),
	CALL(writev, EINTR, EAGAIN, ENOSPC, EIO, EPIPE),
	CALL(recvfrom, EINTR, EAGAIN, ENOMEM, ECONNRESET),
	CALL(recvmsg, EINTR, EAGAIN, ENOMEM, ECONNRESET),
	CALL(recvmmsg, EINTR, EAGAIN, ENOMEM, ECONNRESET),
	CALL(sendto, EINTR, EAGAIN, ENOBUFS, ENOMEM, EPIPE),
	CALL(sendmsg, EINTR, EAGAIN, ENOBUFS, ENOMEM, EPIPE, ETOOMANYREFS),
	CALL(sendmmsg, EINTR, EAGAIN, ENOBUFS, ENOMEM),
	CALL(splice, EINTR, EAGAIN, ENOMEM, EINVAL),
	CALL(socket, NEW, ENOBUFS, EACCES),
	CALL(socketpair, NEW, ENOBUFS),
	CALL(accept4, NEW, ENOBUFS, ECONNABORTED, EPERM),
	CALL(accept, NEW, ENOBUFS, ECONNABORTED, EPERM),
	CALL(connect, EINTR, EAGAIN, ENOMEM, EADDRNOTAVAIL),
	CALL(bind, EADDRINUSE, EACCES, ENOMEM, ENOSPC),
	CALL(listen, EADDRINUSE, ENOMEM),
	CALL(shutdown, ENOTCONN),
	CALL(setsockopt, ENOMEM, ENOBUFS, EPERM, ENOPROTOOPT),
	CALL(getsockopt, ENOBUFS, ENOPROTOOPT),
	CALL(getpeername, ENOTCONN),
	CALL(epoll_wait, EINTR),
	CALL(epoll_pwait, EINTR),
	CALL(epoll_create1, NEW),
	CALL(poll, EINTR, ENOMEM),
	CALL(ppoll, EINTR, ENOMEM),
	CALL(pipe2, NEW),
	CALL(eventfd2, NEW),
	CALL(dup, EMFILE),
	CALL(dup3, EMFILE),
	CALL(fcntl, EMFILE, EPERM),
	CALL(ioctl, EINTR),
	CALL(openat, NEW, EACCES, ENOSPC, EINTR),
	CALL(memfd_create, NEW),
	CALL(ftruncate, ENOSPC, EINTR),
	CALL(close, EINTR, EIO),
	CALL(newfstatat, ENOMEM, EACCES),
	CALL(statx, ENOMEM, EACCES),
	CALL(readlink, ENOMEM, EACCES),
	CALL(unlink, EACCES, EROFS, ENOSPC),
	CALL(unlinkat, EACCES, EROFS, ENOSPC),
	CALL(chdir, EACCES, ENOMEM),
	CALL(fchdir, EACCES),
	CALL(mmap, ENOMEM),
	CALL(mprotect, ENOMEM),
	CALL(clone3, EAGAIN, ENOMEM),
	CALL(pidfd_open, NEW, ESRCH),
	CALL(pidfd_getfd, EMFILE, EPERM, ESRCH, EBADF),
	CALL(process_vm_readv, ENOMEM, EPERM, ESRCH),
	CALL(process_vm_writev, ENOMEM, EPERM, ESRCH),
	CALL(sched_getaffinity, ENOMEM),
#endif
	{"malloc", INSIDE_MALLOC, {ENOMEM}},
	{"clock", INSIDE_CLOCK, {JUMP_BACK, JUMP_ON, JUMP_ALL_ON}},
	{0},
};

const char *failure_name(const struct failing_call *call, int error)
{
	static const char *const jumps[JUMPS] = {[JUMP_BACK] = "BACK_A_DAY",
						 [JUMP_ON] = "ON_A_DAY",
						 [JUMP_ALL_ON] = "ALL_ON_AN_HOUR"};

	return call->nr == INSIDE_CLOCK ? jumps[error] : error_name(error);
}

bool failure_is_passing(const struct failing_call *call, int error)
{
	if (call->nr == INSIDE_CLOCK)
		return true;
	switch (error) {
	case EINTR:
	case EAGAIN:
	case ENOBUFS:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ENOSPC:
		return true;
	default:
		return false;
	}
}
