/* SPDX-License-Identifier: Apache-2.0 */
/* syscall.c - the interposed calls by number */
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "libvsesock/core/low-water.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/preload/hooks.h"

/* Missing from older headers. */
int epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *timeout,
		 const sigset_t *mask);

/* A signal mask of the kernel's size in bytes. */
#define MASK_SIZE (_NSIG / 8)

/* pselect6() has the mask behind one pointer more. */
struct mask {
	const sigset_t *set;
	size_t size;
};

static bool is_mask(const void *mask, size_t size)
{
	return !mask || size == MASK_SIZE;
}

/* Handles calls that obey SO_RCVLOWAT (core/low-water.h). Returns false for others and for wrong
 * ones. */
static bool waits(long nr, const long arg[6], long *rc)
{
	int first = (int)arg[0];
	const struct mask *mask = (const struct mask *)arg[5];

	switch (nr) {
#ifdef SYS_poll
	case SYS_poll:
		*rc = poll((struct pollfd *)arg[0], (nfds_t)arg[1], (int)arg[2]);
		return true;
#endif
	case SYS_ppoll:
		if (!is_mask((void *)arg[3], (size_t)arg[4]))
			return false;
		*rc = ppoll((struct pollfd *)arg[0], (nfds_t)arg[1], (struct timespec *)arg[2],
			    (sigset_t *)arg[3]);
		return true;
#ifdef SYS_select
	case SYS_select:
		*rc = select(first, (fd_set *)arg[1], (fd_set *)arg[2], (fd_set *)arg[3],
			     (struct timeval *)arg[4]);
		return true;
#endif
	case SYS_pselect6:
		if (mask &&
		    (memory_check_read(mask, sizeof(*mask)) || !is_mask(mask->set, mask->size)))
			return false;
		*rc = pselect(first, (fd_set *)arg[1], (fd_set *)arg[2], (fd_set *)arg[3],
			      (struct timespec *)arg[4], mask ? mask->set : NULL);
		return true;
#ifdef SYS_epoll_wait
	case SYS_epoll_wait:
		*rc = epoll_wait(first, (struct epoll_event *)arg[1], (int)arg[2], (int)arg[3]);
		return true;
#endif
	case SYS_epoll_pwait:
		if (!is_mask((void *)arg[4], (size_t)arg[5]))
			return false;
		*rc = epoll_pwait(first, (struct epoll_event *)arg[1], (int)arg[2], (int)arg[3],
				  (sigset_t *)arg[4]);
		return true;
	case SYS_epoll_pwait2:
		if (!is_mask((void *)arg[4], (size_t)arg[5]))
			return false;
		*rc = epoll_pwait2(first, (struct epoll_event *)arg[1], (int)arg[2],
				   (struct timespec *)arg[3], (sigset_t *)arg[4]);
		return true;
	default:
		return false;
	}
}

/*
 * Six arguments are always read, as in libc; the kernel ignores those that the caller did not pass.
 * Calls that are not listed here go to the kernel unchanged.
 */
static long dispatch(long nr, const long arg[6])
{
	int fd = (int)arg[0];
	long rc;

	switch (nr) {
	case SYS_socket:
		return socket(fd, (int)arg[1], (int)arg[2]);
	case SYS_connect:
		return connect(fd, (struct sockaddr *)arg[1], (socklen_t)arg[2]);
	case SYS_bind:
		return bind(fd, (struct sockaddr *)arg[1], (socklen_t)arg[2]);
	case SYS_listen:
		return listen(fd, (int)arg[1]);
#ifdef SYS_accept
	case SYS_accept:
		return accept(fd, (struct sockaddr *)arg[1], (socklen_t *)arg[2]);
#endif
	case SYS_accept4:
		return accept4(fd, (struct sockaddr *)arg[1], (socklen_t *)arg[2], (int)arg[3]);
	case SYS_getsockname:
		return getsockname(fd, (struct sockaddr *)arg[1], (socklen_t *)arg[2]);
	case SYS_getpeername:
		return getpeername(fd, (struct sockaddr *)arg[1], (socklen_t *)arg[2]);
	case SYS_getsockopt:
		return getsockopt(fd, (int)arg[1], (int)arg[2], (void *)arg[3],
				  (socklen_t *)arg[4]);
	case SYS_setsockopt:
		return setsockopt(fd, (int)arg[1], (int)arg[2], (void *)arg[3], (socklen_t)arg[4]);
	case SYS_shutdown:
		return shutdown(fd, (int)arg[1]);
	case SYS_sendto:
		return sendto(fd, (void *)arg[1], (size_t)arg[2], (int)arg[3],
			      (struct sockaddr *)arg[4], (socklen_t)arg[5]);
	case SYS_sendmsg:
		return sendmsg(fd, (struct msghdr *)arg[1], (int)arg[2]);
	case SYS_sendmmsg:
		return sendmmsg(fd, (struct mmsghdr *)arg[1], (unsigned int)arg[2], (int)arg[3]);
	case SYS_recvfrom:
		return recvfrom(fd, (void *)arg[1], (size_t)arg[2], (int)arg[3],
				(struct sockaddr *)arg[4], (socklen_t *)arg[5]);
	case SYS_recvmsg:
		return recvmsg(fd, (struct msghdr *)arg[1], (int)arg[2]);
	case SYS_recvmmsg:
		return recvmmsg(fd, (struct mmsghdr *)arg[1], (unsigned int)arg[2], (int)arg[3],
				(struct timespec *)arg[4]);
	case SYS_read:
		return read(fd, (void *)arg[1], (size_t)arg[2]);
	case SYS_readv:
		return readv(fd, (struct iovec *)arg[1], (int)arg[2]);
	case SYS_write:
		return write(fd, (void *)arg[1], (size_t)arg[2]);
	case SYS_writev:
		return writev(fd, (struct iovec *)arg[1], (int)arg[2]);
	case SYS_sendfile:
		return sendfile(fd, (int)arg[1], (off_t *)arg[2], (size_t)arg[3]);
	case SYS_preadv2:
		return preadv2(fd, (struct iovec *)arg[1], (int)arg[2], (off_t)arg[3], (int)arg[5]);
	case SYS_splice:
		return splice(fd, (off64_t *)arg[1], (int)arg[2], (off64_t *)arg[3], (size_t)arg[4],
			      (unsigned int)arg[5]);
	case SYS_ioctl:
		return give(hook_ioctl(fd, (unsigned long)arg[1], arg[2]));
#ifdef SYS_io_uring_setup
	case SYS_io_uring_setup:
		return give(-ENOSYS);
#endif
	case SYS_prctl:
		return give(hook_prctl(fd, arg + 1));
	case SYS_seccomp:
		return give(hook_seccomp((unsigned int)fd, (unsigned long)arg[1], (void *)arg[2]));
	case SYS_chroot:
	case SYS_unshare:
	case SYS_setns:
	case SYS_pivot_root:
		return give(hook_leave(nr, arg[0], arg[1]));
#ifdef SYS_dup2
	case SYS_dup2:
		return dup2(fd, (int)arg[1]);
#endif
	case SYS_dup:
		return dup(fd);
	case SYS_dup3:
		return dup3(fd, (int)arg[1], (int)arg[2]);
	case SYS_fcntl:
		return fcntl(fd, (int)arg[1], arg[2]);
	default:
		if (low_water_on() && waits(nr, arg, &rc))
			return rc;
		return give(raw_call(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]));
	}
}

EXPORT long syscall(long nr, ...)
{
	long arg[6];
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	return dispatch(nr, arg);
}
