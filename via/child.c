/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - starts a program of the appliance, with a user of its own and next to no rights */
#include "via/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "via/boot.h"
#include "via/loop.h"

static int keep_capability(bool binds)
{
	static const cap_value_t value[] = {CAP_NET_BIND_SERVICE};
	static const cap_flag_t sets[] = {CAP_PERMITTED, CAP_EFFECTIVE, CAP_INHERITABLE};
	cap_t caps = cap_init();
	int rc = caps ? 0 : -1;

	for (size_t i = 0; i < 3 && binds && !rc; i++)
		rc = cap_set_flag(caps, sets[i], 1, value, CAP_SET);
	if (!rc)
		rc = cap_set_proc(caps);
	if (!rc && binds)
		rc = cap_set_ambient(value[0], CAP_SET);
	if (caps)
		cap_free(caps);
	return rc;
}

static int become(const struct via_child *child)
{
	const bool has_users = via_has_users();

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (geteuid() != 0)
		return 0;
	for (cap_value_t cap = 0; cap < cap_max_bits(); cap++)
		if ((cap != CAP_NET_BIND_SERVICE || !child->binds) && cap_get_bound(cap) > 0 &&
		    cap_drop_bound(cap))
			return -1;
	if (prctl(PR_SET_KEEPCAPS, 1))
		return -1;
	if (has_users && (setgroups(0, NULL) || setresgid(child->user, child->user, child->user) ||
			  setresuid(child->user, child->user, child->user)))
		return -1;
	return keep_capability(child->binds);
}

static void __attribute__((noreturn)) execute(const struct via_child *child, int out)
{
	const char *env[] = {"LFP_ROOT=/", "LC_ALL=C", "COLUMNS=132",
			     child->notifies ? "NOTIFY_SOCKET=" VIA_NOTIFY : NULL, NULL};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (setsid() >= 0 && null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 &&
	    dup2(out, 2) == 2 && !chdir(child->dir) && !become(child)) {
		close_range(3, ~0u, 0);
		execve(child->program, (char *const *)(uintptr_t)child->argv,
		       (char *const *)(uintptr_t)env);
	}
	_exit(LFP_EXIT_UNAVAILABLE);
}

pid_t via_child_start(const struct via_child *child, int *out)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		execute(child, ends[1]);
	if (pid < 0)
		pid = -errno;
	close(ends[1]);
	if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK)) {
		close(ends[0]);
		return pid < 0 ? pid : -errno;
	}
	*out = ends[0];
	return pid;
}

/* Reads until the end, or until the time is over. Returns false then. */
static bool read_all(int fd, int64_t until, char *text, size_t size)
{
	size_t len = 0;

	for (;;) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int64_t left = until - via_now();
		char waste[256];
		bool full = len + 1 >= size;
		ssize_t n;

		text[len] = '\0';
		if (left <= 0 || poll(&ready, 1, (int)left) <= 0)
			return false;
		n = read(fd, full ? waste : text + len, full ? sizeof(waste) : size - 1 - len);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return true;
		if (n > 0 && !full)
			len += (size_t)n;
	}
}

int via_child_run(const struct via_child *child, int seconds, char *text, size_t size)
{
	int out, status = 0;
	pid_t pid = via_child_start(child, &out);

	if (pid < 0)
		return pid;
	if (!read_all(out, via_now() + (int64_t)seconds * 1000, text, size))
		kill(-pid, SIGKILL);
	close(out);
	kill(pid, SIGTERM); /* it has closed its output, and has nothing more to do */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
