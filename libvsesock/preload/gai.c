/* SPDX-License-Identifier: Apache-2.0 */
/* gai.c - getaddrinfo_a: several names at once */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/preload/hooks.h"

/*
 * libc's would look the names up by itself. Here the call itself looks them up, one after the
 * other, also with GAI_NOWAIT: when it returns, all results are available and reported. libc's
 * gai_error() then finds them, and its gai_suspend() and gai_cancel() find nothing under way.
 */

struct notice {
	void (*function)(union sigval value);
	union sigval value;
};

static void *run_notice(void *arg)
{
	struct notice notice = *(struct notice *)arg;

	free(arg);
	notice.function(notice.value);
	return NULL;
}

static int start_notice(const struct sigevent *event)
{
	struct notice *notice = malloc(sizeof(*notice));
	pthread_attr_t own, *attr = event->sigev_notify_attributes;
	pthread_t thread;
	int rc;

	if (!notice)
		return EAI_MEMORY;
	*notice = (struct notice){event->sigev_notify_function, event->sigev_value};
	if (!attr) {
		pthread_attr_init(&own);
		pthread_attr_setdetachstate(&own, PTHREAD_CREATE_DETACHED);
	}
	rc = pthread_create(&thread, attr ? attr : &own, run_notice, notice);
	if (!attr)
		pthread_attr_destroy(&own);
	if (rc)
		free(notice);
	return rc ? EAI_AGAIN : 0;
}

static int notify(const struct sigevent *event)
{
	siginfo_t info;

	if (!event || event->sigev_notify == SIGEV_NONE)
		return 0;
	if (event->sigev_notify == SIGEV_THREAD)
		return start_notice(event);
	memset(&info, 0, sizeof(info));
	info.si_signo = event->sigev_signo;
	info.si_code = SI_ASYNCNL;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = event->sigev_value;
	return raw_call(SYS_rt_sigqueueinfo, info.si_pid, event->sigev_signo, (long)&info, 0, 0,
			0) < 0
		       ? EAI_SYSTEM
		       : 0;
}

EXPORT int getaddrinfo_a(int mode, struct gaicb *list[restrict], int count,
			 struct sigevent *restrict event)
{
	if (mode != GAI_WAIT && mode != GAI_NOWAIT) {
		errno = EINVAL;
		return EAI_SYSTEM;
	}
	for (int i = 0; i < count; i++) {
		if (!list[i])
			continue;
		list[i]->ar_result = NULL;
		list[i]->__return = getaddrinfo(list[i]->ar_name, list[i]->ar_service,
						list[i]->ar_request, &list[i]->ar_result);
	}
	return mode == GAI_NOWAIT ? notify(event) : 0;
}
