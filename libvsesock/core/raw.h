/* SPDX-License-Identifier: Apache-2.0 */
/* raw.h - system calls without libc: no errno, no cancellation, no symbol that could be ours */
#ifndef VSESOCK_RAW_H
#define VSESOCK_RAW_H

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

/*
 * Theory of operation
 *
 * libc's syscall() is interposed by the shim itself, so a call of it from here would come back to
 * the shim. The wrappers below return what the kernel returns: a result, or a negative errno. errno
 * stays as it is, and they may be used in signal handlers, after vfork() and before constructors
 * have run.
 *
 * lfp-run's seccomp filter stops control calls of sockets, for its supervisor to serve. Calls made
 * here must pass it: they carry the filter's cookie (cookie.h) as the sixth argument, which the
 * kernel ignores. The register is cleared at once: libc does not set it in calls with fewer
 * arguments, and its own calls must not carry the cookie.
 */
extern long raw_cookie __attribute__((visibility("hidden")));

#if defined(__x86_64__)

static inline long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long rc;

	__asm__ volatile("syscall\n\txorl %%r9d, %%r9d"
			 : "=a"(rc), "+r"(r9)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "cc", "memory");
	return rc;
}

#elif defined(__s390x__)

static inline long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r1 __asm__("1") = nr;
	register long r2 __asm__("2") = a;
	register long r3 __asm__("3") = b;
	register long r4 __asm__("4") = c;
	register long r5 __asm__("5") = d;
	register long r6 __asm__("6") = e;
	register long r7 __asm__("7") = f;

	__asm__ volatile("svc 0\n\tlghi %%r7, 0"
			 : "+d"(r2), "+d"(r7)
			 : "d"(r1), "d"(r3), "d"(r4), "d"(r5), "d"(r6)
			 : "cc", "memory");
	return r2;
}

#elif defined(__aarch64__)

static inline long raw_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0\n\tmov x5, xzr"
			 : "+r"(x0), "+r"(x5)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "cc", "memory");
	return x0;
}

#else
#error "raw_call() is not written for this machine"
#endif

static inline int raw_socket(int family, int type, int protocol)
{
	return (int)raw_call(SYS_socket, family, type, protocol, 0, 0, 0);
}

static inline int raw_socketpair(int family, int type, int protocol, int fds[2])
{
	return (int)raw_call(SYS_socketpair, family, type, protocol, (long)fds, 0, 0);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAW_TELLS_CLOSE
#endif
#elif defined(__SANITIZE_THREAD__)
#define RAW_TELLS_CLOSE
#endif
#ifdef RAW_TELLS_CLOSE
void __sanitizer_syscall_pre_impl_close(long fd); /* sanitizer/linux_syscall_hooks.h */
#endif

static inline int raw_close(int fd)
{
#ifdef RAW_TELLS_CLOSE
	/* Else the number would still be that of the thread which used it last. */
	__sanitizer_syscall_pre_impl_close(fd);
#endif
	return (int)raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline int raw_connect(int fd, const void *addr, socklen_t len)
{
	return (int)raw_call(SYS_connect, fd, (long)addr, len, 0, 0, raw_cookie);
}

static inline int raw_bind(int fd, const void *addr, socklen_t len)
{
	return (int)raw_call(SYS_bind, fd, (long)addr, len, 0, 0, raw_cookie);
}

/* These always fail: with EBADF unless a seccomp filter refuses the call. qemu-user reads the
 * address before it looks at the descriptor, so there is one. */
static inline int raw_connect_nothing(void)
{
	static const struct sockaddr nothing;

	return raw_connect(-1, &nothing, sizeof(nothing));
}

static inline int raw_bind_nothing(void)
{
	static const struct sockaddr nothing;

	return raw_bind(-1, &nothing, sizeof(nothing));
}

static inline int raw_listen(int fd, int backlog)
{
	return (int)raw_call(SYS_listen, fd, backlog, 0, 0, 0, raw_cookie);
}

static inline int raw_shutdown(int fd, int how)
{
	return (int)raw_call(SYS_shutdown, fd, how, 0, 0, 0, raw_cookie);
}

static inline int raw_getsockname(int fd, void *addr, socklen_t *len)
{
	return (int)raw_call(SYS_getsockname, fd, (long)addr, (long)len, 0, 0, raw_cookie);
}

static inline int raw_getpeername(int fd, void *addr, socklen_t *len)
{
	return (int)raw_call(SYS_getpeername, fd, (long)addr, (long)len, 0, 0, raw_cookie);
}

static inline int raw_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	return (int)raw_call(SYS_getsockopt, fd, level, name, (long)value, (long)len, raw_cookie);
}

static inline int raw_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	return (int)raw_call(SYS_setsockopt, fd, level, name, (long)value, len, raw_cookie);
}

static inline ssize_t raw_recv(int fd, void *buf, size_t len, int flags)
{
	return raw_call(SYS_recvfrom, fd, (long)buf, (long)len, flags, 0, 0);
}

static inline ssize_t raw_recvmsg(int fd, struct msghdr *msg, int flags)
{
	return raw_call(SYS_recvmsg, fd, (long)msg, flags, 0, 0, raw_cookie);
}

static inline ssize_t raw_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return raw_call(SYS_sendmsg, fd, (long)msg, flags, 0, 0, raw_cookie);
}

/* Not by sendto(), which has no room for the cookie. */
static inline ssize_t raw_sendto(int fd, const void *buf, size_t len, int flags)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return raw_sendmsg(fd, &msg, flags);
}

static inline int raw_fcntl(int fd, int cmd, long arg)
{
	return (int)raw_call(SYS_fcntl, fd, cmd, arg, 0, 0, 0);
}

static inline int raw_dup3(int from, int to, int flags)
{
	return (int)raw_call(SYS_dup3, from, to, flags, 0, 0, 0);
}

static inline long raw_ioctl(int fd, unsigned long request, long arg)
{
	return raw_call(SYS_ioctl, fd, (long)request, arg, 0, 0, raw_cookie);
}

/* Returns true if @fd is ready for @events now. */
static inline short raw_poll_now(int fd, short events)
{
	struct pollfd pfd = {.fd = fd, .events = events};
	struct timespec zero = {0};

	if (raw_call(SYS_ppoll, (long)&pfd, 1, (long)&zero, 0, 0, 0) <= 0)
		return 0;
	return pfd.revents;
}

static inline void raw_sleep_ms(long ms)
{
	struct timespec ts = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	raw_call(SYS_nanosleep, (long)&ts, 0, 0, 0, 0, 0);
}

/* Send a signal to the calling thread, as the kernel does with SIGPIPE. */
static inline void raw_raise(int sig)
{
	long pid = raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);

	raw_call(SYS_tgkill, pid, tid, sig, 0, 0, 0);
}

#endif
