/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - what the supervisor does for each system call */
#include "lfp-run/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "lfp-run/filter.h"
#include "lfp-run/target.h"
#include "lfp-run/wait.h"
#include "libvsesock/core/ctl.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/listeners.h"

static const struct {
	int nr;
	long (*handle)(struct trap *trap);
} handlers[] = {
	{SYS_socket, serve_socket},         {SYS_bind, serve_bind},
	{SYS_connect, serve_connect},       {SYS_listen, serve_listen},
#ifdef SYS_accept
	{SYS_accept, serve_accept},
#endif
	{SYS_accept4, serve_accept},        {SYS_shutdown, serve_shutdown},
	{SYS_getsockname, serve_getname},   {SYS_getpeername, serve_getname},
	{SYS_getsockopt, serve_getsockopt}, {SYS_setsockopt, serve_setsockopt},
	{SYS_ioctl, serve_ioctl},           {SYS_sendto, serve_send},
	{SYS_sendmsg, serve_send},          {SYS_sendmmsg, serve_send},
	{SYS_recvfrom, serve_receive},      {SYS_recvmsg, serve_receive},
	{SYS_recvmmsg, serve_receive},      {SYS_execve, serve_exec},
	{SYS_execveat, serve_exec},
};

/* --- who calls -------------------------------------------------------------------------------- */

static _Thread_local struct trap *current;

static void speak(struct lfp_ctl_request_head *head)
{
	pid_t process = current ? target_process(current) : 0;

	if (process <= 0)
		return;
	head->task = process;
	head->speaker = getpid();
}

void serve_init(void)
{
	ctl_speaker = speak;
}

/* --- what handlers share ---------------------------------------------------------------------- */

long serve_take_near(struct trap *trap)
{
	int fd = target_take(trap, (int)trap->arg[0]);
	char nn[3];

	/* A bad descriptor is the kernel's to refuse, too. */
	if (fd < 0)
		return TRAP_CONTINUE;
	switch (near_kind(fd, nn)) {
	case NEAR_DATAGRAM:
		return fd;
	case NEAR_STREAM:
		/* The shim has not seen this number before. */
		listeners_note(fd);
		return fd;
	case NEAR_NONE:
		break;
	}
	close(fd);
	return TRAP_CONTINUE;
}

bool serve_may_wait(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_NONBLOCK);
}

bool serve_is_limited(int fd, int option)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	return !getsockopt(fd, SOL_SOCKET, option, &tv, &len) && (tv.tv_sec || tv.tv_usec);
}

void serve_refuse(const char *call, const char *reason)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%c%s", call, '\0', reason);
	struct ctl_call refused = {
		.nn = place_instance(),
		.op = LFP_CTL_REFUSED,
		.data = text,
		.len = (uint32_t)n + 1,
		.fd = -1,
	};

	(void)ctl_call(&refused);
}

long serve_wait_begin(struct wait *wait, struct trap *trap)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	long rc = wait_begin(wait, trap);

	if (rc < 0 && !atomic_flag_test_and_set(&told))
		serve_refuse("a call that would have to wait",
			     "the supervisor of lfp-run can have no more threads");
	return rc;
}

/* --- dispatch --------------------------------------------------------------------------------- */

/* The system call that socketcall() number @call is, -1 for none that is stopped. */
static int inner_call(uint64_t call)
{
	static const int numbers[] = {
		[1] = SYS_socket,
		[2] = SYS_bind,
		[3] = SYS_connect,
		[4] = SYS_listen,
#ifdef SYS_accept
		[5] = SYS_accept,
#else
		[5] = -1,
#endif
		[6] = SYS_getsockname,
		[7] = SYS_getpeername,
		[8] = -1,  /* socketpair */
		[9] = -1,  /* send */
		[10] = -1, /* recv */
		[11] = SYS_sendto,
		[12] = SYS_recvfrom,
		[13] = SYS_shutdown,
		[14] = SYS_setsockopt,
		[15] = SYS_getsockopt,
		[16] = SYS_sendmsg,
		[17] = SYS_recvmsg,
		[18] = SYS_accept4,
		[19] = SYS_recvmmsg,
		[20] = SYS_sendmmsg,
	};

	return call > 0 && call < sizeof(numbers) / sizeof(numbers[0]) ? numbers[call] : -1;
}

#ifdef SYS_socketcall
/* Replace socketcall() by the call within; false if it is the kernel's own affair. */
static bool unpack(struct trap *trap)
{
	int nr = inner_call((uint32_t)trap->arg[0]);
	uint64_t arg[6];

	/* The last arguments may lie beyond the end of its memory: no call has more than six. */
	memset(arg, 0, sizeof(arg));
	if (nr < 0)
		return false;
	for (int i = 0; i < 6; i++)
		if (target_read(trap, &arg[i], trap->arg[1] + (uint64_t)i * 8, 8) < 0)
			break;
	trap->nr = nr;
	memcpy(trap->arg, arg, sizeof(arg));
	return nr != SYS_socket || trap->arg[0] == AF_INET || trap->arg[0] == AF_INET6;
}
#endif

/* A 32-bit program makes an Internet socket, directly or by socketcall(). */
static long serve_foreign(struct trap *trap)
{
	uint32_t family = (uint32_t)trap->arg[0];

	if (inner_call(family) == SYS_socket && family != AF_INET && family != AF_INET6 &&
	    target_read(trap, &family, (uint32_t)trap->arg[1], sizeof(family)) < 0)
		return TRAP_CONTINUE;
	if (family != AF_INET && family != AF_INET6)
		return TRAP_CONTINUE;
	serve_refuse(family == AF_INET ? "socket(AF_INET)" : "socket(AF_INET6)",
		     "its system calls are those of another machine type (32 bits)");
	return -EAFNOSUPPORT;
}

static bool is_foreign(const struct trap *trap)
{
#ifdef FILTER_X32
	if ((uint32_t)trap->nr & FILTER_X32)
		return true;
#endif
	return trap->arch != FILTER_ARCH;
}

static long dispatch(struct trap *trap)
{
	if (is_foreign(trap))
		return serve_foreign(trap);
#ifdef SYS_socketcall
	if (trap->nr == SYS_socketcall && !unpack(trap))
		return TRAP_CONTINUE;
#endif
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
		if (handlers[i].nr == trap->nr)
			return handlers[i].handle(trap);
	return TRAP_CONTINUE;
}

long serve(struct trap *trap)
{
	long answer;

	current = trap;
	answer = dispatch(trap);
	current = NULL;
	target_close(trap);
	return answer;
}
