/* SPDX-License-Identifier: Apache-2.0 */
/* old-kernel.c - run a program as on a kernel whose UNIX sockets do not have SO_INQ (before 6.17)
 *
 *	old-kernel PROGRAM [ARGUMENT...]
 *
 * A seccomp filter refuses the option to it and to all that it starts.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lfp/ctl.h"
#include "tests/system/tool.h"

#define LOW (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0) /* half of a u64 */
#define LOAD(member, half)                                                                         \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member) + (half))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)(value), 0, (skip))

int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		LOAD(nr, 0),
		UNLESS(SYS_setsockopt, 5),
		LOAD(args[1], LOW),
		UNLESS(SOL_SOCKET, 3),
		LOAD(args[2], LOW),
		UNLESS(LFP_NEAR_INQ, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (argc < 2)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) {
		perror("old-kernel: a filter");
		return 77;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
