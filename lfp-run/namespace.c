/* SPDX-License-Identifier: Apache-2.0 */
/* namespace.c - leave the network of the caller */
#include "lfp-run/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/capability.h"
#include "lfp/deadly.h"

/* Linux 6.12, <linux/landlock.h>; the headers may be older. */
struct landlock_ruleset {
	uint64_t handled_access_fs, handled_access_net, scoped;
};
#define SCOPE_ABSTRACT_UNIX_SOCKET 1u
#define LANDLOCK_VERSION           1u
#define LANDLOCK_ABI_SCOPED        6

static int write_text(const char *path, const char *text, int len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = write(fd, text, (size_t)len) == len ? 0 : -errno;
	close(fd);
	return rc;
}

/* Maps the caller's user and group into the user namespace, and no others. */
static int map_ids(uid_t uid, gid_t gid, const char **what)
{
	char text[64];
	int rc;

	/* A process without CAP_SETGID in the parent namespace may map a group only after this
	 * (user_namespaces(7)). */
	*what = "/proc/self/setgroups";
	rc = write_text(*what, "deny", 4);
	if (rc)
		return rc;
	*what = "/proc/self/uid_map";
	rc = write_text(*what, text, sprintf(text, "%u %u 1", uid, uid));
	if (rc)
		return rc;
	*what = "/proc/self/gid_map";
	return write_text(*what, text, sprintf(text, "%u %u 1", gid, gid));
}

/* Enters a Landlock domain that denies the abstract UNIX sockets of processes outside. Every domain
 * also denies ptrace() of these processes (Landlock's hook_ptrace_access_check()). */
static int close_abstract_names(const char **what)
{
	static const long create = SYS_landlock_create_ruleset;
	struct landlock_ruleset rules = {.scoped = SCOPE_ABSTRACT_UNIX_SOCKET};
	long abi, fd;
	int rc = 0;

	*what = "landlock_create_ruleset()";
	if (lfp_calls_kill(&create, 1))
		return -EPERM;
	abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION);
	if (abi < 0 && errno == EPERM)
		return -EPERM;
	if (abi < LANDLOCK_ABI_SCOPED)
		return -EOPNOTSUPP;
	fd = syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	if (fd < 0)
		return -errno;
	*what = "landlock_restrict_self()";
	if (!capability_has(CAP_SYS_ADMIN) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		rc = -errno;
	else if (syscall(SYS_landlock_restrict_self, fd, 0) < 0)
		rc = -errno;
	close((int)fd);
	return rc;
}

int namespace_enter(const struct namespace_plan *plan, const char **what)
{
	bool user = !plan->no_userns && !capability_has(CAP_SYS_ADMIN);
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int rc;

	if (plan->keep_net)
		return close_abstract_names(what);
	*what = user ? "unshare(CLONE_NEWUSER | CLONE_NEWNET)" : "unshare(CLONE_NEWNET)";
	if (unshare(CLONE_NEWNET | (user ? CLONE_NEWUSER : 0)) < 0)
		return -errno;
	if (!user)
		return 0;
	rc = map_ids(uid, gid, what);
	if (rc)
		return rc;
	/* No other user exists here: a set-user-id program would start without its rights. tier.c
	 * refuses or reports it. */
	*what = "prctl(PR_SET_NO_NEW_PRIVS)";
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}
