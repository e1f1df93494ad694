/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - ends the use of an interface, and ends tasks */
#include <unistd.h>

#include "include/vsesock.h"
#include "libvsesock/core/export.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/async.h"
#include "libvsesock/vse/socket.h"
#include "libvsesock/vse/task.h"

/* Closes all descriptors that a task made by an interface. */
static void end_interface(struct vse_task *task, enum mux_interface interface)
{
	struct vse_api *api = vse_api_detach(task, interface);

	if (!api)
		return;
	async_forget(api, -1);
	vse_api_close(api);
}

void vse_api_end(enum mux_interface interface)
{
	end_interface(vse_task_now(), interface);
	vse_task_leave();
}

/* In a strict run, reports a task that ends while it uses EZA. */
static void check_term(const struct vse_task *task)
{
	const struct vse_api *api = task->apis[MUX_EZA];

	if (strict_on() && api && api->set_up)
		strict_no_term();
}

/* A child of fork() inherits the parent's use of EZA. */
static pid_t own_pid;

static void __attribute__((constructor)) note_pid(void)
{
	own_pid = getpid();
}

static void __attribute__((destructor)) finish(void)
{
	if (strict_on() && getpid() == own_pid)
		check_term(vse_task_process());
}

EXPORT int vse_task_end(int number)
{
	struct vse_task *task = vse_task_take(number);

	if (!task)
		return (int)give(-ESRCH);
	check_term(task);
	async_forget_task(task->number);
	for (int i = MUX_LEC; i <= MUX_CSI; i++)
		end_interface(task, (enum mux_interface)i);
	vse_task_free(task);
	return 0;
}
