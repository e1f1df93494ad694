/* SPDX-License-Identifier: Apache-2.0 */
/* system-service.c - runs a program as systemd does with SystemCallFilter=@system-service
 *
 *	system-service kill|errno|more PROGRAM [ARGUMENT...]
 *
 * kill: what is outside the set kills the process (SystemCallErrorNumber= is not set, the default).
 * errno: it fails with EPERM. more: as kill, but seccomp and pidfd_getfd are in the set, too.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The calls that "systemd-analyze syscall-filter @system-service" of systemd 252 does not list. */
static const unsigned int outside[] = {
	SYS_acct,
	SYS_adjtimex,
	SYS_bpf,
	SYS_chroot,
	SYS_clock_adjtime,
	SYS_clock_settime,
	SYS_delete_module,
	SYS_fanotify_init,
	SYS_fanotify_mark,
	SYS_finit_module,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fsopen,
	SYS_fspick,
	SYS_init_module,
	SYS_kexec_load,
	SYS_landlock_add_rule,
	SYS_landlock_create_ruleset,
	SYS_landlock_restrict_self,
	SYS_mincore,
	SYS_mount,
	SYS_move_mount,
	SYS_nfsservctl,
	SYS_open_by_handle_at,
	SYS_open_tree,
	SYS_perf_event_open,
	SYS_pidfd_getfd,
	SYS_pivot_root,
	SYS_pkey_alloc,
	SYS_pkey_free,
	SYS_pkey_mprotect,
	SYS_ptrace,
	SYS_quotactl,
	SYS_reboot,
	SYS_seccomp,
	SYS_setdomainname,
	SYS_sethostname,
	SYS_settimeofday,
	SYS_swapoff,
	SYS_swapon,
	SYS_syslog,
	SYS_umount2,
	SYS_vhangup,
#ifdef SYS_kexec_file_load
	SYS_kexec_file_load,
#endif
#ifdef SYS_mount_setattr
	SYS_mount_setattr,
#endif
#ifdef SYS_process_mrelease
	SYS_process_mrelease,
#endif
#ifdef SYS_quotactl_fd
	SYS_quotactl_fd,
#endif
#ifdef SYS_memfd_secret
	SYS_memfd_secret,
#endif
#ifdef SYS_iopl
	SYS_iopl,
	SYS_ioperm,
	SYS_modify_ldt,
#endif
#ifdef SYS_lookup_dcookie
	SYS_lookup_dcookie,
#endif
#ifdef SYS_uselib
	SYS_uselib,
	SYS_ustat,
	SYS_sysfs,
#endif
};

#define NR     (sizeof(outside) / sizeof(outside[0]))
#define NR_OPS (NR + 3)

int main(int argc, char **argv)
{
	struct sock_filter ops[NR_OPS];
	struct sock_fprog program = {.len = NR_OPS, .filter = ops};
	unsigned int action = SECCOMP_RET_KILL_PROCESS;
	size_t n = 0;

	if (argc < 3 || (strcmp(argv[1], "kill") != 0 && strcmp(argv[1], "errno") != 0 &&
			 strcmp(argv[1], "more") != 0)) {
		fputs("usage: system-service kill|errno|more PROGRAM [ARGUMENT...]\n", stderr);
		return 2;
	}
	if (*argv[1] == 'e')
		action = SECCOMP_RET_ERRNO | 1; /* EPERM */
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < NR; i++) {
		bool more = *argv[1] == 'm' &&
			    (outside[i] == SYS_seccomp || outside[i] == SYS_pidfd_getfd);

		ops[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, outside[i],
							more ? 0 : (unsigned char)(NR - i), 0);
	}
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	ops[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("system-service");
		return 1;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
