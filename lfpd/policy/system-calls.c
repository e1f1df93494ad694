/* SPDX-License-Identifier: Apache-2.0 */
/* system-calls.c - a seccomp filter with the system calls that a serving lfpd never makes */
#include "lfpd/policy/isolation.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lfp/deadly.h"

/*
 * The unit has a filter of what is allowed, which systemd updates for new calls of libc. A daemon
 * started without systemd has this list of refused calls instead. It must not break when libc uses
 * a new call, so it names only calls that could harm others. execve() is not in it, as SIGUSR2
 * makes it; no_new_privs is there for that.
 */

#if defined(__SANITIZE_ADDRESS__)
#define LOOKS_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOOKS_FOR_LEAKS 1
#endif
#endif

/* Calls that an architecture lacks have negative numbers, which libseccomp leaves out. */
static const int refused[] = {
/* access to other processes; some have the same user */
#if !defined(LOOKS_FOR_LEAKS)
	SCMP_SYS(ptrace),
#endif
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(kcmp),
	SCMP_SYS(pidfd_getfd),
	/* file systems and namespaces */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(unshare),
	SCMP_SYS(setns),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(name_to_handle_at),
	SCMP_SYS(quotactl),
	SCMP_SYS(quotactl_fd),
	SCMP_SYS(fanotify_init),
	SCMP_SYS(mknodat),
	SCMP_SYS(mknod),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(fspick),
	SCMP_SYS(open_tree),
#ifdef __SNR_open_tree_attr
	SCMP_SYS(open_tree_attr),
#endif
	SCMP_SYS(move_mount),
	SCMP_SYS(mount_setattr),
	/* other users, keys */
	SCMP_SYS(setuid),
	SCMP_SYS(setgid),
	SCMP_SYS(setreuid),
	SCMP_SYS(setregid),
	SCMP_SYS(setresuid),
	SCMP_SYS(setresgid),
	SCMP_SYS(setgroups),
	SCMP_SYS(setfsuid),
	SCMP_SYS(setfsgid),
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	/* the kernel and the machine */
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(reboot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(acct),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(sethostname),
	SCMP_SYS(setdomainname),
	SCMP_SYS(syslog),
	SCMP_SYS(vhangup),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(iopl),
	SCMP_SYS(ioperm),
	/* Rings are out of a filter's sight. io_uring_enter() is no way to a new one: libuv
	 * from 1.49 on makes one for epoll_ctl() before the filter is there, and aborts where it
	 * cannot use it. */
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_register),
};

#define NR_REFUSED (sizeof(refused) / sizeof(refused[0]))

/* All is allowed but these calls, and the calls of other tables (x32, 32 bits), by which a filter
 * would be passed. */
static int describe(scmp_filter_ctx filter)
{
	int rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));

	/* An existing filter may refuse seccomp(). Without it, the filter covers this thread and
	 * its future threads. */
	if (!rc && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == -EINVAL)
		rc = -EINVAL;
	for (size_t i = 0; !rc && i < NR_REFUSED; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
	return rc;
}

int system_calls_refuse(bool more)
{
	static const long seccomp = SYS_seccomp;
	scmp_filter_ctx filter;
	int rc;

	/* The unit's, a container's, or that of the process before: one is enough, mostly. */
	if (!more && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return 0;
	/* The library would ask for its features by seccomp(). In this level it calls prctl(). */
	if (lfp_calls_kill(&seccomp, 1))
		(void)seccomp_api_set(1);
	filter = seccomp_init(SCMP_ACT_ALLOW);
	if (!filter)
		return -ENOMEM;
	rc = describe(filter);
	if (!rc)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return rc == -ESRCH ? -EBUSY : rc; /* a thread has another filter */
}
