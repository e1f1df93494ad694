/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.c - calls of other machines (32 bits, x32), and socketcall() */
#include "lfp-run/foreign.h"

#include <errno.h>
#include <linux/net.h>
#include <linux/sockios.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/filter.h"
#include "lfp-run/handlers.h"
#include "lfp-run/near-call.h"
#include "lfp-run/target.h"

static const char other_machine[] = "it uses the system calls of another machine type (32 bits)";

static bool is_internet(uint32_t family)
{
	return family == AF_INET || family == AF_INET6;
}

static long refuse_socket(uint32_t family)
{
	serve_refuse(family == AF_INET ? "socket(AF_INET)" : "socket(AF_INET6)", other_machine);
	return -EAFNOSUPPORT;
}

/* Refuses a call on the descriptor in its first argument, if that is a near end. */
static long refuse_near(struct trap *trap)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	long fd = serve_take_near(trap);

	if (fd < 0)
		return fd;
	close((int)fd);
	if (!atomic_flag_test_and_set(&told))
		serve_refuse("a call on a socket", other_machine);
	return -EAFNOSUPPORT;
}

static bool is_x32(const struct trap *trap)
{
#ifdef FILTER_X32
	return trap->arch == FILTER_ARCH && ((uint32_t)trap->nr & FILTER_X32);
#else
	(void)trap;
	return false;
#endif
}

bool foreign_is(const struct trap *trap)
{
	return is_x32(trap) || trap->arch != FILTER_ARCH;
}

#ifdef FILTER_COMPAT_SOCKETCALL
/* Reads the arguments once; their number depends on the call. */
static long serve_socketcall(struct trap *trap)
{
	uint32_t arg[3] = {0};
	bool makes = (uint32_t)trap->arg[0] == SYS_SOCKET;

	if (target_read(trap, arg, (uint32_t)trap->arg[1], makes ? sizeof(arg) : sizeof(*arg)) < 0)
		return -EFAULT;
	for (int i = 0; i < 3; i++)
		trap->arg[i] = arg[i];
	if (!makes)
		return refuse_near(trap);
	return is_internet(arg[0]) ? refuse_socket(arg[0]) : serve_other_socket(trap);
}
#endif

static bool makes_socket(const struct trap *trap)
{
#ifdef FILTER_X32
	if (is_x32(trap))
		return (uint32_t)trap->nr == (FILTER_X32 | SYS_socket);
#endif
	return (uint32_t)trap->nr == FILTER_COMPAT_SOCKET;
}

static bool is_ioctl(const struct trap *trap)
{
#ifdef FILTER_X32
	if (is_x32(trap))
		return (uint32_t)trap->nr == FILTER_X32_IOCTL;
#endif
	return (uint32_t)trap->nr == FILTER_COMPAT_IOCTL;
}

long serve_foreign(struct trap *trap)
{
	uint32_t first = (uint32_t)trap->arg[0];

#ifdef FILTER_COMPAT_SOCKETCALL
	if (!is_x32(trap) && (uint32_t)trap->nr == FILTER_COMPAT_SOCKETCALL)
		return serve_socketcall(trap);
#endif
	if (makes_socket(trap))
		return is_internet(first) ? refuse_socket(first) : TRAP_CONTINUE;
	/* The number of waiting bytes has one layout on all machines, and tells nothing else. */
	if (is_ioctl(trap) &&
	    ((uint32_t)trap->arg[1] == FIONREAD || (uint32_t)trap->arg[1] == SIOCOUTQ))
		return TRAP_CONTINUE;
	return refuse_near(trap);
}

#ifdef SYS_socketcall

/* Returns the system call of socketcall() number @call, -1 if the filter does not stop it. */
static int inner_call(uint32_t call)
{
	static const int numbers[] = {
		[SYS_SOCKET] = SYS_socket,
		[SYS_BIND] = SYS_bind,
		[SYS_CONNECT] = SYS_connect,
		[SYS_LISTEN] = SYS_listen,
#ifdef SYS_accept
		[SYS_ACCEPT] = SYS_accept,
#else
		[SYS_ACCEPT] = -1,
#endif
		[SYS_GETSOCKNAME] = SYS_getsockname,
		[SYS_GETPEERNAME] = SYS_getpeername,
		[SYS_SOCKETPAIR] = -1,
		[SYS_SEND] = -1,
		[SYS_RECV] = -1,
		[SYS_SENDTO] = SYS_sendto,
		[SYS_RECVFROM] = SYS_recvfrom,
		[SYS_SHUTDOWN] = SYS_shutdown,
		[SYS_SETSOCKOPT] = SYS_setsockopt,
		[SYS_GETSOCKOPT] = SYS_getsockopt,
		[SYS_SENDMSG] = SYS_sendmsg,
		[SYS_RECVMSG] = SYS_recvmsg,
		[SYS_ACCEPT4] = SYS_accept4,
		[SYS_RECVMMSG] = SYS_recvmmsg,
		[SYS_SENDMMSG] = SYS_sendmmsg,
	};

	return call > 0 && call < sizeof(numbers) / sizeof(numbers[0]) ? numbers[call] : -1;
}

bool foreign_unpack(struct trap *trap)
{
	int nr = inner_call((uint32_t)trap->arg[0]);
	uint64_t arg[6];

	/* The last arguments may lie beyond the end of readable memory: no call has more than six.
	 */
	memset(arg, 0, sizeof(arg));
	if (nr < 0)
		return false;
	for (int i = 0; i < 6; i++)
		if (target_read(trap, &arg[i], trap->arg[1] + (uint64_t)i * 8, 8) < 0)
			break;
	trap->nr = nr;
	memcpy(trap->arg, arg, sizeof(arg));
	return true;
}

#endif
