/* SPDX-License-Identifier: Apache-2.0 */
/* trap.c - a system call of a program that waits for the supervisor, and its answer */
#include "lfp-run/trap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp/deadly.h"

/* Room for messages of later kernels, which may be longer than those of the headers. */
#define ROOM 512

static int call_seccomp(unsigned int op, unsigned int flags, void *arg)
{
	return syscall(SYS_seccomp, op, flags, arg) < 0 ? -errno : 0;
}

const char *trap_missing(void)
{
	const unsigned int flags =
		SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	static const long needed[] = {SYS_seccomp, SYS_pidfd_getfd};
	struct seccomp_notif_sizes sizes;
	uint32_t action = SECCOMP_RET_USER_NOTIF;

	if (lfp_calls_kill(needed, sizeof(needed) / sizeof(needed[0])) ||
	    call_seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &action) == -EPERM ||
	    (syscall(SYS_pidfd_getfd, -1, -1, 0) < 0 && errno == EPERM))
		return "a system call filter around lfp-run forbids what the supervisor needs; a "
		       "unit of systemd allows it by SystemCallFilter=seccomp pidfd_getfd";
	if (call_seccomp(SECCOMP_GET_ACTION_AVAIL, 0, &action))
		return "the kernel has no seccomp user notification";
	if (call_seccomp(SECCOMP_GET_NOTIF_SIZES, 0, &sizes) || sizes.seccomp_notif > ROOM ||
	    sizes.seccomp_notif_resp > ROOM)
		return "the kernel's seccomp notifications have an unknown layout";
	/* Probes with an unreadable filter: a kernel that knows the flags returns EFAULT. */
	if (call_seccomp(SECCOMP_SET_MODE_FILTER, flags, NULL) != -EFAULT)
		return "the kernel is older than Linux 5.19 (no "
		       "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)";
	return NULL;
}

int trap_receive(int listener, struct trap *trap)
{
	union {
		struct seccomp_notif notif;
		char room[ROOM];
	} in;

	memset(&in, 0, sizeof(in));
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &in.notif) < 0)
		return errno == EINTR || errno == ENOENT ? -EAGAIN : -errno;
	trap->listener = listener;
	trap->id = in.notif.id;
	trap->tid = (pid_t)in.notif.pid;
	trap->arch = in.notif.data.arch;
	trap->nr = in.notif.data.nr;
	for (int i = 0; i < 6; i++)
		trap->arg[i] = in.notif.data.args[i];
	trap->pidfd = -1;
	trap->process = 0;
	return 0;
}

/* The ioctls wait for the filter's lock (kernel/seccomp.c, seccomp_notify_ioctl()), and a kick that
 * comes too late for a wait (wait.h) may interrupt that: nothing was done then. */
static int control(const struct trap *trap, unsigned long request, void *arg)
{
	int rc;

	do
		rc = ioctl(trap->listener, request, arg);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : rc;
}

bool trap_is_valid(const struct trap *trap)
{
	uint64_t id = trap->id;

	return control(trap, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

void trap_answer(const struct trap *trap, long answer)
{
	union {
		struct seccomp_notif_resp resp;
		char room[ROOM];
	} out;

	memset(&out, 0, sizeof(out));
	out.resp.id = trap->id;
	if (answer == TRAP_CONTINUE)
		out.resp.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	else if (answer < 0)
		out.resp.error = (int32_t)answer;
	else
		out.resp.val = answer;
	/* Fails if the program has been killed. */
	(void)control(trap, SECCOMP_IOCTL_NOTIF_SEND, &out.resp);
}

/* Returns the program's descriptor, or a negative errno. */
static long install(const struct trap *trap, int fd, uint32_t flags, int number, bool cloexec)
{
	struct seccomp_notif_addfd add = {
		.id = trap->id,
		.flags = flags,
		.srcfd = (uint32_t)fd,
		.newfd = (uint32_t)number,
		.newfd_flags = cloexec ? O_CLOEXEC : 0,
	};

	return control(trap, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

long trap_give(const struct trap *trap, int fd, bool cloexec)
{
	long rc = install(trap, fd, 0, 0, cloexec);

	close(fd);
	return rc;
}

int trap_replace(const struct trap *trap, int fd, int number, bool cloexec)
{
	long rc = install(trap, fd, SECCOMP_ADDFD_FLAG_SETFD, number, cloexec);

	return rc < 0 ? (int)rc : 0;
}
