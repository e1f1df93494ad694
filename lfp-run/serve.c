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

#include "lfp-run/foreign.h"
#include "lfp-run/ours.h"
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

long serve_take_near(struct trap *trap)
{
	int fd = target_take(trap, (int)trap->arg[0]);
	enum near_kind kind;
	char nn[3];

	/* A bad descriptor is the kernel's to refuse, too. */
	if (fd < 0)
		return TRAP_CONTINUE;
	kind = near_kind(fd, nn);
	if (kind == NEAR_NONE || !ours_is(fd, nn)) {
		near_forget(fd);
		close(fd);
		return TRAP_CONTINUE;
	}
	/* The shim has not seen this number before. */
	if (kind == NEAR_STREAM)
		listeners_note(fd);
	return fd;
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

static long dispatch(struct trap *trap)
{
	if (foreign_is(trap))
		return serve_foreign(trap);
#ifdef SYS_socketcall
	if (trap->nr == SYS_socketcall && !foreign_unpack(trap))
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
