/* SPDX-License-Identifier: Apache-2.0 */
/* system-calls.c - a seccomp filter with the system calls that a serving lfpd never makes */
#include "lfpd/policy/isolation.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The unit has a filter of what is allowed, which systemd updates for new calls of libc. A daemon
 * started without systemd has this list of refused calls instead. It must not break when libc uses
 * a new call, so it names only calls that could harm others. execve() is not in it, as SIGUSR2
 * makes it; no_new_privs is there for that.
 */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define X32 0x40000000u /* the second table of x86-64 begins here; others end far below */

#if defined(__SANITIZE_ADDRESS__)
#define LOOKS_FOR_LEAKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOOKS_FOR_LEAKS 1
#endif
#endif

static const uint32_t refused[] = {
/* access to other processes; some have the same user */
#if !defined(LOOKS_FOR_LEAKS)
	SYS_ptrace,
#endif
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
#ifdef SYS_pidfd_getfd
	SYS_pidfd_getfd,
#endif
	/* file systems and namespaces */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_open_by_handle_at,
	SYS_name_to_handle_at,
	SYS_quotactl,
	SYS_fanotify_init,
	SYS_mknodat,
#ifdef SYS_mknod
	SYS_mknod,
#endif
#ifdef SYS_fsopen
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_open_tree,
	SYS_move_mount,
#endif
#ifdef SYS_mount_setattr
	SYS_mount_setattr,
#endif
	/* other users, keys */
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setgroups,
	SYS_setfsuid,
	SYS_setfsgid,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	/* the kernel and the machine */
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_syslog,
	SYS_vhangup,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
	SYS_iopl,
	SYS_ioperm,
#endif
/* it would go round this filter */
#ifdef SYS_io_uring_setup
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
#endif
};

#define NR_REFUSED (sizeof(refused) / sizeof(refused[0]))
#define BEFORE     4u
#define NR_OPS     (BEFORE + NR_REFUSED + 2)
_Static_assert(NR_REFUSED + 3 <= 255, "jumps have one byte");

/* Each number jumps to the last operation; behind them all is allowed. */
static void assemble(struct sock_filter ops[static NR_OPS])
{
	size_t n = 0;

	ops[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, arch));
	ops[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, NR_REFUSED + 3);
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, nr));
	ops[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, NR_REFUSED + 1, 0);
	for (size_t i = 0; i < NR_REFUSED; i++)
		ops[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
							(uint8_t)(NR_REFUSED - i), 0);
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
}

int system_calls_refuse(bool more)
{
#ifdef ARCH
	struct sock_filter ops[NR_OPS];
	struct sock_fprog program = {.len = NR_OPS, .filter = ops};
	long rc;

	/* The unit's, a container's, or that of the process before: one is enough, mostly. */
	if (!more && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER)
		return 0;
	assemble(ops);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
	/* An existing filter may refuse seccomp(). prctl() covers this thread and its future
	 * threads. */
	if (rc < 0 && (errno == EPERM || errno == ENOSYS))
		rc = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	if (rc < 0)
		return -errno;
	return rc ? -EBUSY : 0; /* rc > 0: a thread has another filter */
#else
	return -EOPNOTSUPP;
#endif
}
