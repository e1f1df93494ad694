/* SPDX-License-Identifier: Apache-2.0 */
/* strays.c - ends the processes that an lfpd has left behind */
#include "via/strays.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "via/boot.h"
#include "via/journal.h"

void via_strays_adopt(void)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool via_strays_own_users(void)
{
	return getpid() == 1 && via_has_users();
}

/* Sets the real and the effective user id; unlike glibc's function it concerns this thread alone.
 */
static int become(uid_t real, uid_t effective)
{
	return syscall(SYS_setresuid, real, effective, (uid_t)-1) ? -errno : 0;
}

/*
 * kill(-1) reaches the processes of the effective and of the real user (kernel/signal.c,
 * kill_ok_by_cred()). So the real one is nobody's meanwhile: root's processes are not to be ended,
 * among them a child of this process that has not become its own user yet. The kernel walks its
 * list of processes under a lock that fork() needs, and fork() fails with a signal pending
 * (kernel/fork.c, copy_process()): so nothing escapes. No process of that user can send a signal
 * back: it would need the real or the saved user id, and that one stays root's.
 */
void via_strays_kill_user(uid_t user)
{
	int rc = user ? become(VIA_NO_USER, user) : -EINVAL;

	if (!rc) {
		if (kill(-1, SIGKILL) && errno != ESRCH)
			rc = -errno;
		if (become(0, 0))
			_exit(1); /* without its rights the appliance cannot work: the kernel
				     restarts it */
	}
	if (rc)
		via_say("VLFD557E", "The processes of user %u cannot be ended: %s.", user,
			strerror(-rc));
}

void via_strays_kill_orphans(bool (*known)(pid_t pid))
{
	char path[64];
	FILE *list;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	list = fopen(path, "re");
	while (list && fscanf(list, "%d", &pid) == 1)
		if (!known(pid))
			kill(pid, SIGKILL);
	if (list)
		fclose(list);
}
