/* SPDX-License-Identifier: Apache-2.0 */
/* tier.c - put the calling process under the seccomp filter and its supervisor */
#include "lfp-run/tier.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/capability.h"
#include "lfp-run/filter.h"
#include "lfp-run/join.h"
#include "lfp-run/supervisor.h"
#include "lfp-run/trap.h"
#include "libvsesock/core/raw.h"

/* Yama lets only an ancestor look into a process (ptrace_scope 1), and the supervisor is none. */
static bool is_kept_out(void)
{
	char text[16] = "";
	int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	bool scoped;

	if (fd < 0)
		return false;
	scoped = read(fd, text, sizeof(text) - 1) > 0 && *text != '0';
	close(fd);
	return scoped && !capability_has(CAP_SYS_PTRACE);
}

const char *tier_find(struct tier *tier, const char *nn)
{
	const char *missing;
	struct join join;

	memset(tier, 0, sizeof(*tier));
	tier->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	if (join_ask(&join)) {
		tier->joined = true;
		memcpy(tier->nn, join.nn, sizeof(tier->nn));
		tier->cookie = join.cookie;
		tier->guards = join.guards;
		return strcmp(join.nn, nn) == 0
			       ? NULL
			       : "the lfp-run around this one uses another instance";
	}
	missing = trap_missing();
	if (missing)
		return missing;
	if (is_kept_out())
		return "kernel.yama.ptrace_scope lets only a supervisor with CAP_SYS_PTRACE read "
		       "programs";
	memcpy(tier->nn, nn, 3);
	if (!capability_has(CAP_SYS_ADMIN))
		tier->no_new_privs = true;
	do {
		if (getrandom(&tier->cookie, sizeof(tier->cookie), 0) != sizeof(tier->cookie))
			return "the kernel provides no random number";
	} while (!tier->cookie);
	return NULL;
}

/* Returns the listener, or a negative errno. */
static int install(const struct tier *tier)
{
	struct sock_filter ops[FILTER_MAX];
	struct sock_fprog program = {.filter = ops};
	long fd;

	if (tier->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* Only under no_new_privs does execve() need a look (serve-exec.c). */
	program.len = filter_build(ops, tier->cookie, tier->no_new_privs, tier->no_unix);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		     &program);
	return fd < 0 ? -errno : (int)fd;
}

const char *tier_start(struct tier *tier, bool tells_cookie, bool strict)
{
	struct join self = {.cookie = tells_cookie ? tier->cookie : 0};
	int conn, listener, rc;

	if (tier->joined)
		return strict && !tier->guards ? "the supervisor around this lfp-run cannot guard "
						 "connections"
					       : NULL;
	memcpy(self.nn, tier->nn, sizeof(self.nn));
	conn = supervisor_start(&self, strict);
	if (conn == -ENOPROTOOPT)
		return "the instance or the kernel does not let the supervisor guard connections";
	if (conn == -EPERM)
		return "the supervisor may not read programs";
	if (conn < 0)
		return strerror(-conn);
	listener = install(tier);
	if (listener < 0) {
		supervisor_hand(conn, -1);
		return listener == -EBUSY ? "another program already has a seccomp supervisor here"
					  : strerror(-listener);
	}
	tier->installed = true;
	raw_cookie = (long)tier->cookie;
	rc = supervisor_hand(conn, listener);
	close(listener);
	return rc < 0 ? strerror(-rc) : NULL;
}
