/* SPDX-License-Identifier: Apache-2.0 */
/* serve-exec.c - messages for programs that would change their user, and can't */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lfp-run/handlers.h"
#include "lfp-run/target.h"

/*
 * Without CAP_SYS_ADMIN a filter needs no_new_privs (kernel/seccomp.c, seccomp_prepare_filter()),
 * under which set-user-id programs and file capabilities have no effect. Such a program then fails
 * for a reason of its own. So the supervisor looks at execve() and writes the reason to the
 * program's standard error. The kernel starts the program in any case: nothing depends on this
 * look.
 */

/* Makes the path as the supervisor sees it: through the program's own root and directories. */
static int find_file(const struct trap *trap, char path[static PATH_MAX], const char **name)
{
	char theirs[PATH_MAX];
	uint64_t at = trap->nr == SYS_execveat ? trap->arg[1] : trap->arg[0];
	int dir = trap->nr == SYS_execveat ? (int)trap->arg[0] : AT_FDCWD;
	ssize_t len = target_read_text(trap, theirs, at, sizeof(theirs));
	int n;

	if (len <= 0)
		return -ENOENT;
	if (*theirs == '/')
		n = snprintf(path, PATH_MAX, "/proc/%d/root%s", trap->tid, theirs);
	else if (dir == AT_FDCWD)
		n = snprintf(path, PATH_MAX, "/proc/%d/cwd/%s", trap->tid, theirs);
	else
		n = snprintf(path, PATH_MAX, "/proc/%d/fd/%d/%s", trap->tid, dir, theirs);
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	*name = path + n - len;
	return 0;
}

static bool changes_user(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != geteuid())
		return true;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getegid())
		return true;
	return getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The reader may be absent: leave the text out if writing would wait. */
static void tell(int to, const char *text, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = len};
	struct pollfd pfd = {.fd = to, .events = POLLOUT};
	struct stat st;

	if (fstat(to, &st) < 0 || poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLOUT))
		return;
	/* Others may fill these after the check, and O_NONBLOCK would change the program's own
	 * descriptor. */
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		(void)!pwritev2(to, &iov, 1, -1, RWF_NOWAIT);
	else
		(void)!write(to, text, len);
}

long serve_exec(struct trap *trap)
{
	char path[PATH_MAX], text[PIPE_BUF]; /* up to PIPE_BUF bytes are written at once */
	const char *name;
	int to, n;

	if (find_file(trap, path, &name) < 0 || !changes_user(path))
		return TRAP_CONTINUE;
	to = target_take(trap, STDERR_FILENO);
	if (to < 0)
		return TRAP_CONTINUE;
	n = snprintf(text, sizeof(text),
		     "VLFB730W %.3000s cannot change its user or its rights here: the supervisor "
		     "of lfp-run needs CAP_SYS_ADMIN for that. lfp-run --mode=preload does without "
		     "it.\n",
		     name);
	tell(to, text, (size_t)n);
	close(to);
	return TRAP_CONTINUE;
}
