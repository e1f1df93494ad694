/* SPDX-License-Identifier: Apache-2.0 */
/* strict.c - strict runs: whose a descriptor is, descriptors at or above MAXSOC, TERMAPI */
#include "libvsesock/strict/strict.h"

#include <stdio.h>
#include <unistd.h>

#include "libvsesock/vse/api.h"
#include "libvsesock/vse/select.h"
#include "libvsesock/vse/task.h"

static const char *name_of(char text[static 32], int task)
{
	if (!task)
		return "the program outside of all tasks";
	snprintf(text, 32, "task %d", task);
	return text;
}

int vse_strict_use(const struct vse_api *api, int s, int maker)
{
	int task = vse_task_now()->number;
	char whose[32];

	/* With LFP$CIC=SHARE all see it. */
	if (maker >= 0 && maker != task)
		return strict_found(
			STRICT_OTHER_TASK,
			"socket %d is that of %s; z/VSE needs LFP$CIC=SHARE for it, too", s,
			name_of(whose, maker));
	if (maker >= 0)
		return 0;
	maker = vse_task_having(api, s);
	if (maker < 0)
		return 0;
	return strict_found(STRICT_OTHER_TASK,
			    "socket %d is that of %s; it must be given and taken", s,
			    name_of(whose, maker));
}

int vse_strict_new(const struct vse_api *api, int s)
{
	if (api->said < 1 || s < api->said)
		return 0;
	return strict_found(STRICT_MAXSOC, "descriptor %d is not below MAXSOC, which is %d", s,
			    api->said);
}

int vse_strict_sets(const struct vse_api *api, int n, const struct vse_sets *sets)
{
	int rc = 0;

	if (!strict_on())
		return 0;
	if (n > api->max)
		rc = strict_found(STRICT_MAXSOC, "its MAXSOC, %d, is above that of INITAPI, %d", n,
				  api->max);
	/* Those of the last fullword are known. */
	for (int s = n; s % 32; s++)
		for (int i = 0; i < VSE_SETS && !rc; i++)
			if (sets->bits[i][s / 32] & UINT32_C(1) << s % 32)
				rc = strict_found(
					STRICT_MAXSOC,
					"descriptor %d in a mask is not below its MAXSOC, %d", s,
					n);
	return rc;
}

/* A child of fork() has what its parent began. */
static pid_t own_pid;

static void __attribute__((constructor)) init(void)
{
	own_pid = getpid();
}

void vse_strict_left(const struct vse_task *task)
{
	const struct vse_api *api = task->apis[MUX_EZA];

	if (!strict_on() || !api || !api->set_up)
		return;
	strict_call("EZA", "at the end");
	(void)strict_found(STRICT_NO_TERM, "the task ends without TERMAPI");
}

static void __attribute__((destructor)) finish(void)
{
	if (strict_on() && getpid() == own_pid)
		vse_strict_left(vse_task_process());
}
