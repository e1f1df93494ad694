/* SPDX-License-Identifier: Apache-2.0 */
/* supervisor.c - the process that serves the calls which the seccomp filter stops */
#include "lfp-run/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp-run/guard.h"
#include "lfp-run/pool.h"
#include "lfp-run/serve.h"
#include "lfp-run/unix-door.h"
#include "lfp-run/wait.h"
#include "lfp/rights.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"

/* Linux 6.6; the headers may be older. */
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP 1UL
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS      SECCOMP_IOW(4, uint64_t)
#endif

static void ignore_signals(void)
{
	static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGUSR2,
				      SIGTSTP, SIGTTIN, SIGTTOU, SIGALRM, SIGCHLD};
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Gives up everything that belongs to the program. */
static void detach(int conn)
{
	struct rlimit limit;
	int null = open("/dev/null", O_RDWR);

	setsid();
	ignore_signals();
	for (int fd = 0; fd <= 2; fd++)
		if (null >= 0 && fd != conn)
			dup2(null, fd);
	if (conn > 3)
		close_range(3, (unsigned int)conn - 1, 0);
	close_range((unsigned int)conn + 1, ~0u, 0);
	(void)!chdir("/");
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Returns true if the supervisor may inspect programs. Tries it on the one that is about to
 * start. */
static int try_access(pid_t program)
{
	static const int here;
	int there;
	struct iovec local = {.iov_base = &there, .iov_len = sizeof(there)};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)&here, .iov_len = sizeof(here)};

	return process_vm_readv(program, &local, 1, &remote, 1, 0) < 0 ? -errno : 0;
}

static int receive_listener(int conn)
{
	union lfp_rights rights;
	char byte;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights),
	};
	int fd;

	if (recvmsg(conn, &msg, MSG_CMSG_CLOEXEC) != 1 || !lfp_rights_take(&msg, &fd, 1))
		return -ECANCELED;
	return fd;
}

static int serve_until_end(int conn)
{
	int rc, listener = receive_listener(conn);

	if (listener < 0)
		return 1;
	/* Without the flag (before Linux 6.6) calls only take a little longer. */
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	serve_init();
	rc = wait_init(listener);
	if (!rc)
		rc = pool_start(listener, serve);
	(void)!write(conn, &rc, sizeof(rc));
	close(conn);
	if (rc)
		return 1;
	wait_watch();
	return 0;
}

static int run(int conn, pid_t program, const struct join *self, bool strict)
{
	int rc;

	detach(conn);
	place_again();
	join_init(self);
	rc = try_access(program);
	if (!rc)
		rc = unix_door_open();
	if (!rc && strict && guard_start(program) < 0)
		rc = -ENOPROTOOPT;
	if (write(conn, &rc, sizeof(rc)) != sizeof(rc) || rc)
		return 1;
	return serve_until_end(conn);
}

/* Reads the supervisor's answer: 0 or a negative errno. */
static int hear(int conn)
{
	int rc;

	return read(conn, &rc, sizeof(rc)) == sizeof(rc) ? rc : -ECHILD;
}

int supervisor_start(const struct join *self, bool strict)
{
	pid_t program = getpid(), child;
	int ends[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	child = fork();
	if (child < 0) {
		rc = -errno;
		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	if (child == 0) {
		child = fork();
		if (child == 0)
			exit(run(ends[1], program, self, strict));
		_exit(child < 0);
	}
	close(ends[1]);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	rc = hear(ends[0]);
	if (!rc)
		return ends[0];
	close(ends[0]);
	return rc;
}

int supervisor_hand(int conn, int listener)
{
	union lfp_rights rights;
	char byte = 0;
	struct iovec iov = {.iov_base = &byte, .iov_len = 1};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t n;
	int rc = 0;

	if (listener >= 0) {
		lfp_rights_put(&msg, &rights, &listener, 1);
		/* The filter is already installed: send with the cookie. */
		n = raw_sendmsg(conn, &msg, MSG_NOSIGNAL);
		rc = n == 1 ? hear(conn) : n < 0 ? (int)n : -ECHILD;
	}
	close(conn);
	return rc;
}
