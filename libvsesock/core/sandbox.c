/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - system calls that would end the program, because its own seccomp filter kills */
#include "libvsesock/core/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "lfp/ctl.h"
#include "libvsesock/core/raw.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

#define WORDS (sizeof(struct seccomp_data) / sizeof(uint32_t))

static unsigned int killed;
static __thread unsigned int killed_here;

bool sandbox_kills(unsigned int calls)
{
	return (__atomic_load_n(&killed, __ATOMIC_RELAXED) | killed_here) & calls;
}

bool sandbox_is_first(void)
{
	return raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0) == raw_call(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

void sandbox_add(unsigned int calls, bool all)
{
	if (all)
		__atomic_fetch_or(&killed, calls, __ATOMIC_RELAXED);
	else
		killed_here |= calls;
}

struct machine {
	uint32_t a, x, mem[BPF_MEMWORDS];
	uint32_t data[WORDS];
};

static uint32_t calculate(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_XOR:
		return a ^ b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	default: /* BPF_NEG */
		return -a;
	}
}

static bool compare(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default: /* BPF_JSET */
		return a & b;
	}
}

static uint32_t load(const struct machine *m, const struct sock_filter *at)
{
	switch (BPF_MODE(at->code)) {
	case BPF_ABS:
		return at->k / 4 < WORDS ? m->data[at->k / 4] : 0;
	case BPF_MEM:
		return at->k < BPF_MEMWORDS ? m->mem[at->k] : 0;
	case BPF_LEN:
		return sizeof(struct seccomp_data);
	default:
		return at->k;
	}
}

/* Returns the filter's action. A filter that the kernel would refuse allows everything. */
static uint32_t run(const struct sock_fprog *prog, struct machine *m)
{
	for (size_t pc = 0; pc < prog->len; pc++) {
		const struct sock_filter *at = &prog->filter[pc];
		uint32_t b = BPF_SRC(at->code) == BPF_X ? m->x : at->k;

		switch (BPF_CLASS(at->code)) {
		case BPF_LD:
			m->a = load(m, at);
			break;
		case BPF_LDX:
			m->x = load(m, at);
			break;
		case BPF_ST:
		case BPF_STX:
			if (at->k < BPF_MEMWORDS)
				m->mem[at->k] = BPF_CLASS(at->code) == BPF_ST ? m->a : m->x;
			break;
		case BPF_ALU:
			m->a = calculate(BPF_OP(at->code), m->a, b);
			break;
		case BPF_JMP:
			if (BPF_OP(at->code) == BPF_JA)
				pc += at->k;
			else
				pc += compare(BPF_OP(at->code), m->a, b) ? at->jt : at->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(at->code) == BPF_A ? m->a : at->k;
		default:
			if (BPF_MISCOP(at->code) == BPF_TAX)
				m->x = m->a;
			else
				m->a = m->x;
			break;
		}
	}
	return SECCOMP_RET_ALLOW;
}

static bool kills(const struct sock_fprog *prog, const struct seccomp_data *data)
{
	struct machine m = {.a = 0};
	uint32_t action;

	memcpy(m.data, data, sizeof(*data));
	action = run(prog, &m) & SECCOMP_RET_ACTION_FULL;
	return action == SECCOMP_RET_KILL_PROCESS || action == SECCOMP_RET_KILL_THREAD ||
	       action == SECCOMP_RET_TRAP;
}

unsigned int sandbox_judge(const struct sock_fprog *prog)
{
	static const struct {
		unsigned int call; /* bits of enum sandbox_call */
		int nr;
		uint64_t args[3]; /* as the shim passes them; 3 stands for descriptors */
	} calls[] = {
		{SANDBOX_GETSOCKNAME, SYS_getsockname, {3}},
		{SANDBOX_GETSOCKOPT, SYS_getsockopt, {3, SOL_SOCKET, SO_COOKIE}},
		{SANDBOX_SOCKETPAIR, SYS_socketpair, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC}},
		{SANDBOX_SOCKET, SYS_socket, {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC}},
		{SANDBOX_CONNECT, SYS_connect, {3}},
		{SANDBOX_SENDMSG, SYS_sendmsg, {3, 0, MSG_NOSIGNAL}},
		{SANDBOX_RECVMSG, SYS_recvmsg, {3, 0, MSG_CMSG_CLOEXEC}},
		{SANDBOX_CLOSE, SYS_close, {3}},
		{SANDBOX_PPOLL, SYS_ppoll, {0, 1}},
		{SANDBOX_FCNTL, SYS_fcntl, {3, F_GETFL}},
		{SANDBOX_GETPID, SYS_getpid, {0}},
		{SANDBOX_SENDTO, SYS_sendto, {3}},
		{SANDBOX_CREDIT, SYS_socket, {AF_UNIX, SOCK_STREAM}},
		{SANDBOX_CREDIT | SANDBOX_MARK | SANDBOX_EARLY,
		 SYS_getsockopt,
		 {3, SOL_SOCKET, SO_MAX_PACING_RATE}},
		{SANDBOX_CREDIT, SYS_setsockopt, {3, SOL_SOCKET, SO_MAX_PACING_RATE}},
		{SANDBOX_CREDIT, SYS_mmap, {0, LFP_CREDIT_SIZE, PROT_READ | PROT_WRITE}},
		{SANDBOX_PASSCRED, SYS_setsockopt, {3, SOL_SOCKET, SO_PASSCRED}},
		{SANDBOX_LOW_WATER, SYS_ioctl, {3, FIONREAD}},
		{SANDBOX_LOW_WATER, SYS_ioctl, {3, SIOCATMARK}},
		{SANDBOX_LOW_WATER, SYS_readlinkat, {(uint64_t)AT_FDCWD}},
		{SANDBOX_LOW_WATER, SYS_openat, {(uint64_t)AT_FDCWD, 0, O_RDONLY | O_CLOEXEC}},
		{SANDBOX_LOW_WATER, SYS_newfstatat, {3}},
		{SANDBOX_LOW_WATER, SYS_read, {3}},
		{SANDBOX_LOW_WATER, SYS_epoll_create1, {EPOLL_CLOEXEC}},
		{SANDBOX_LOW_WATER, SYS_epoll_ctl, {3, EPOLL_CTL_ADD, 3}},
		{SANDBOX_LOW_WATER, SYS_epoll_pwait, {3, 0, 1}},
		{SANDBOX_LOW_WATER, SYS_pselect6, {1}},
		{SANDBOX_LOW_WATER, SYS_fcntl, {3, F_DUPFD_CLOEXEC}},
		{SANDBOX_LOW_WATER, SYS_mmap, {0, 1, PROT_READ | PROT_WRITE}},
		{SANDBOX_LOW_WATER, SYS_munmap, {0, 1}},
		{SANDBOX_EARLY, SYS_getpeername, {3}},
		{SANDBOX_EARLY, SYS_setsockopt, {3, SOL_SOCKET, SO_DONTROUTE}},
		{SANDBOX_EARLY, SYS_setsockopt, {3, SOL_SOCKET, SO_KEEPALIVE}},
		{SANDBOX_EARLY, SYS_setsockopt, {3, SOL_SOCKET, SO_MAX_PACING_RATE}},
		{SANDBOX_EARLY, SYS_setsockopt, {3, SOL_SOCKET, SO_NO_CHECK}},
		{SANDBOX_EARLY, SYS_getsockopt, {3, SOL_SOCKET, SO_DONTROUTE}},
		{SANDBOX_EARLY, SYS_getsockopt, {3, SOL_SOCKET, SO_KEEPALIVE}},
		{SANDBOX_EARLY, SYS_getsockopt, {3, SOL_SOCKET, SO_INCOMING_CPU}},
	};
	unsigned int found = 0;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct seccomp_data data = {.nr = calls[i].nr, .arch = ARCH};

		memcpy(data.args, calls[i].args, sizeof(calls[i].args));
		if (kills(prog, &data))
			found |= calls[i].call;
	}
	return found;
}
