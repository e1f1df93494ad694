/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - the seccomp filter: which system calls the supervisor sees */
#include "lfp-run/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "libvsesock/core/cookie.h"

/* calls of socketcall() without an address that make no Internet socket */
#define CALL_SOCKETPAIR 8u
#define CALL_SEND       9u
#define CALL_RECV       10u

/* A range of system call numbers, from first to last. */
struct range {
	uint32_t first, last;
};

/* Socket calls of 32-bit programs, in order: all that take a descriptor. */
static const struct range compat_calls[] = {
#if defined(__x86_64__)
	{337, 337}, /* recvmmsg */
	{345, 345}, /* sendmmsg */
	{361, 373}, /* bind, connect, ..., recvmsg, shutdown */
	{417, 417}, /* recvmmsg_time64 */
#elif defined(__s390x__)
	{357, 358}, /* recvmmsg, sendmmsg */
	{361, 373}, /* bind, connect, ..., recvmsg, shutdown */
	{417, 417}, /* recvmmsg_time64 */
#elif defined(__aarch64__)
	{282, 287}, /* bind, connect, ..., getpeername */
	{289, 297}, /* send, sendto, ..., recvmsg */
	{365, 366}, /* recvmmsg, accept4 */
	{374, 374}, /* sendmmsg */
	{417, 417}, /* recvmmsg_time64 */
#endif
};

#ifdef FILTER_X32
/* Socket calls of x32 programs, without the x32 bit. */
static const struct range x32_calls[] = {
	{42, 44},   /* connect, accept, sendto */
	{48, 52},   /* shutdown, bind, listen, getsockname, getpeername */
	{288, 288}, /* accept4 */
	{517, 519}, /* recvfrom, sendmsg, recvmsg */
	{537, 538}, /* recvmmsg, sendmmsg */
	{541, 542}, /* setsockopt, getsockopt */
};
#endif

/* The lower and the upper half of an argument. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW(nr)  (offsetof(struct seccomp_data, args) + 8 * (nr) + 4)
#define HIGH(nr) (offsetof(struct seccomp_data, args) + 8 * (nr))
#else
#define LOW(nr)  (offsetof(struct seccomp_data, args) + 8 * (nr))
#define HIGH(nr) (offsetof(struct seccomp_data, args) + 8 * (nr) + 4)
#endif

/* The bits of a type of sockets (SOCK_TYPE_MASK of the kernel). */
#define SOCK_TYPE 0xfu

/* Jump targets in the filter. */
enum label {
	NEXT, /* the next instruction */
	ALLOW,
	STOP,
	NO_SUCH_CALL,
	COOKIE,
	SOCKET,
	SOCKETPAIR,
	UNIX_TYPE,
	NO_RIGHT,
	SENDTO,
	RECVFROM,
	HAS_ADDRESS,
	IOCTL,
	SOCKETCALL,
	COMPAT_SOCKETCALL,
	FOREIGN,
	X32,
	NR_LABELS,
};

struct assembler {
	struct sock_filter *out;
	enum label yes[FILTER_MAX], no[FILTER_MAX];
	unsigned short len;
	unsigned short at[NR_LABELS];
};

static void put(struct assembler *a, uint16_t code, uint32_t k, enum label yes, enum label no)
{
	a->out[a->len] = (struct sock_filter){.code = code, .k = k};
	a->yes[a->len] = yes;
	a->no[a->len] = no;
	a->len++;
}

static void load(struct assembler *a, size_t offset)
{
	put(a, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, NEXT, NEXT);
}

static void if_equal(struct assembler *a, uint32_t k, enum label yes, enum label no)
{
	put(a, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

static void leave(struct assembler *a, enum label label, uint32_t what)
{
	a->at[label] = a->len;
	put(a, BPF_RET | BPF_K, what, NEXT, NEXT);
}

static void begin(struct assembler *a, enum label label)
{
	a->at[label] = a->len;
}

/* BPF jumps only go forward (net/core/filter.c, bpf_check_classic()); all labels are known now. */
static void link_jumps(struct assembler *a)
{
	for (unsigned short i = 0; i < a->len; i++) {
		struct sock_filter *op = &a->out[i];

		if (BPF_CLASS(op->code) != BPF_JMP)
			continue;
		op->jt = (uint8_t)(a->yes[i] == NEXT ? 0 : a->at[a->yes[i]] - i - 1);
		op->jf = (uint8_t)(a->no[i] == NEXT ? 0 : a->at[a->no[i]] - i - 1);
	}
}

static void put_numbers(struct assembler *a, bool exec, bool no_unix)
{
	static const uint32_t with_cookie[] = {
		SYS_connect,  SYS_bind,        SYS_listen,
#ifdef SYS_accept
		SYS_accept,
#endif
		SYS_accept4,  SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt,
		SYS_shutdown, SYS_sendmsg,     SYS_sendmmsg,    SYS_recvmsg,    SYS_recvmmsg,
	};

	for (size_t i = 0; i < sizeof(with_cookie) / sizeof(with_cookie[0]); i++)
		if_equal(a, with_cookie[i], COOKIE, NEXT);
	if_equal(a, SYS_socket, SOCKET, NEXT);
	if_equal(a, SYS_sendto, SENDTO, NEXT);
	if_equal(a, SYS_recvfrom, RECVFROM, NEXT);
	if_equal(a, SYS_ioctl, IOCTL, NEXT);
#ifdef SYS_socketcall
	if_equal(a, SYS_socketcall, no_unix ? NO_SUCH_CALL : SOCKETCALL, NEXT);
#endif
	if (no_unix)
		if_equal(a, SYS_socketpair, SOCKETPAIR, NEXT);
	if (exec) {
		if_equal(a, SYS_execve, STOP, NEXT);
		if_equal(a, SYS_execveat, STOP, NEXT);
	}
}

/* These numbers are the same on all machines. */
static void put_io_uring(struct assembler *a, uint32_t bit)
{
	if_equal(a, bit | SYS_io_uring_setup, NO_SUCH_CALL, NEXT);
	if_equal(a, bit | SYS_io_uring_enter, NO_SUCH_CALL, NEXT);
	if_equal(a, bit | SYS_io_uring_register, NO_SUCH_CALL, NEXT);
}

/* Stops the calls in the ranges and allows all others. */
static void put_ranges(struct assembler *a, const struct range *ranges, size_t count, uint32_t bit)
{
	for (size_t i = 0; i < count; i++) {
		put(a, BPF_JMP | BPF_JGE | BPF_K, bit | ranges[i].first, NEXT, ALLOW);
		put(a, BPF_JMP | BPF_JGT | BPF_K, bit | ranges[i].last, NEXT, STOP);
	}
	put(a, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, NEXT, NEXT);
}

/* 32-bit programs */
static void put_foreign(struct assembler *a)
{
	begin(a, FOREIGN);
	if_equal(a, FILTER_ARCH_COMPAT, NEXT, NO_SUCH_CALL);
	load(a, offsetof(struct seccomp_data, nr));
	put_io_uring(a, 0);
	if_equal(a, FILTER_COMPAT_SOCKET, SOCKET, NEXT);
	if_equal(a, FILTER_COMPAT_IOCTL, IOCTL, NEXT);
#ifdef FILTER_COMPAT_SOCKETCALL
	if_equal(a, FILTER_COMPAT_SOCKETCALL, COMPAT_SOCKETCALL, NEXT);
#endif
	put_ranges(a, compat_calls, sizeof(compat_calls) / sizeof(compat_calls[0]), 0);
#ifdef FILTER_X32
	begin(a, X32);
	put_io_uring(a, FILTER_X32);
	if_equal(a, FILTER_X32 | SYS_socket, SOCKET, NEXT);
	if_equal(a, FILTER_X32_IOCTL, IOCTL, NEXT);
	put_ranges(a, x32_calls, sizeof(x32_calls) / sizeof(x32_calls[0]), FILTER_X32);
#endif
}

/* The families of socket() and, with no_unix, socketpair(). */
static void put_families(struct assembler *a, bool no_unix)
{
	begin(a, SOCKET);
	load(a, LOW(0));
	if_equal(a, AF_INET, COOKIE, NEXT);
	if_equal(a, AF_INET6, COOKIE, no_unix ? NEXT : ALLOW);
	if (!no_unix)
		return;
	if_equal(a, AF_UNIX, UNIX_TYPE, ALLOW);
	begin(a, SOCKETPAIR);
	load(a, LOW(0));
	if_equal(a, AF_UNIX, UNIX_TYPE, ALLOW);
	begin(a, UNIX_TYPE);
	load(a, LOW(1));
	put(a, BPF_ALU | BPF_AND | BPF_K, SOCK_TYPE, NEXT, NEXT);
	if_equal(a, SOCK_STREAM, ALLOW, NEXT);
	if_equal(a, SOCK_SEQPACKET, ALLOW, NO_RIGHT);
}

static void put_arguments(struct assembler *a)
{
	begin(a, RECVFROM);
	load(a, LOW(3));
	put(a, BPF_JMP | BPF_JSET | BPF_K, SPECIAL_RECEIVE_FLAGS, STOP, HAS_ADDRESS);
	begin(a, SENDTO);
	load(a, LOW(3));
	put(a, BPF_JMP | BPF_JSET | BPF_K, SPECIAL_SEND_FLAGS, STOP, NEXT);
	load(a, LOW(2));
	put(a, BPF_JMP | BPF_JGT | BPF_K, SPECIAL_SEND_LEN, STOP, NEXT);
	load(a, HIGH(2));
	if_equal(a, 0, HAS_ADDRESS, STOP);
	begin(a, HAS_ADDRESS);
	load(a, LOW(4));
	if_equal(a, 0, NEXT, STOP);
	load(a, HIGH(4));
	if_equal(a, 0, ALLOW, STOP);

	begin(a, SOCKETCALL);
#ifdef SYS_socketcall
	load(a, LOW(0));
	if_equal(a, CALL_SOCKETPAIR, ALLOW, NEXT);
	if_equal(a, CALL_SEND, ALLOW, NEXT);
	if_equal(a, CALL_RECV, ALLOW, STOP);
#endif

	begin(a, COMPAT_SOCKETCALL);
	load(a, LOW(0));
	if_equal(a, CALL_SOCKETPAIR, ALLOW, STOP);

	begin(a, IOCTL);
	load(a, LOW(1));
	if_equal(a, SIOCOUTQ, COOKIE, NEXT);
	if_equal(a, FIONREAD, COOKIE, NEXT);
	put(a, BPF_ALU | BPF_AND | BPF_K, 0xffffff00u, NEXT, NEXT);
	if_equal(a, SOCK_IOC_TYPE << 8, COOKIE, ALLOW);
}

unsigned short filter_build(struct sock_filter out[static FILTER_MAX], uint64_t cookie, bool exec,
			    bool no_unix)
{
	struct assembler a = {.out = out};

	load(&a, offsetof(struct seccomp_data, arch));
	if_equal(&a, FILTER_ARCH, NEXT, no_unix ? NO_SUCH_CALL : FOREIGN);
	load(&a, offsetof(struct seccomp_data, nr));
#ifdef FILTER_X32
	put(&a, BPF_JMP | BPF_JGE | BPF_K, FILTER_X32, no_unix ? NO_SUCH_CALL : X32, NEXT);
#endif
	put_numbers(&a, exec, no_unix);
	put_io_uring(&a, 0);
	put(&a, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, NEXT, NEXT);
	if (!no_unix)
		put_foreign(&a);
	put_families(&a, no_unix);
	put_arguments(&a);

	begin(&a, COOKIE);
	load(&a, LOW(5));
	if_equal(&a, (uint32_t)cookie, NEXT, STOP);
	load(&a, HIGH(5));
	if_equal(&a, (uint32_t)(cookie >> 32), ALLOW, STOP);

	leave(&a, ALLOW, SECCOMP_RET_ALLOW);
	leave(&a, STOP, SECCOMP_RET_USER_NOTIF);
	leave(&a, NO_RIGHT, SECCOMP_RET_ERRNO | EACCES);
	leave(&a, NO_SUCH_CALL, SECCOMP_RET_ERRNO | ENOSYS);
	link_jumps(&a);
	return a.len;
}
