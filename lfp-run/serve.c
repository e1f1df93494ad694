/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - the supervisor's dispatch of system calls */
#include "lfp-run/serve.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/foreign.h"
#include "lfp-run/handlers.h"
#include "lfp-run/target.h"
#include "libvsesock/core/ctl-client.h"

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
