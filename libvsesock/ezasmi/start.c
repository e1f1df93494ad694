/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - asynchronous calls of EZASMI: tries each kind without waiting */
#include <poll.h>
#include <string.h>
#include <sys/time.h>

#include "libvsesock/ezasmi/ezasmi.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/clock.h"
#include "libvsesock/vse/connect.h"

static int try_data(struct async_job *job)
{
	struct smi_call *call = (struct smi_call *)job;

	/* Another thread than the caller's may try it. */
	if (strict_on())
		strict_call(call->call.interface, call->type->name);
	return smi_run(call);
}

static int try_connect(struct async_job *job)
{
	struct smi_call *call = (struct smi_call *)job;
	struct sockaddr_storage name;
	socklen_t len;
	int rc = eza_take_name(&name, &len, &call->call.args[1]);

	return rc ? rc
		  : vse_connect(job->api, job->s, job->fd, (const struct sockaddr *)&name, len,
				&call->started);
}

enum { AT_TIMEOUT = 1, AT_MASKS, AT_ECBS = AT_MASKS + 2 * VSE_SETS };

static bool is_posted(const struct smi_call *call)
{
	const struct eza_arg *arg = &call->call.args[AT_ECBS];
	const uint32_t *ecb = arg->data;

	if (!ecb || strcmp(call->type->name, "SELECTEX") != 0)
		return false;
	if (!arg->size)
		return __atomic_load_n(ecb, __ATOMIC_ACQUIRE) != 0;
	for (size_t i = 0; i < arg->size / sizeof(void *); i++)
		if (__atomic_load_n(((const uint32_t *const *)arg->data)[i], __ATOMIC_ACQUIRE))
			return true;
	return false;
}

/* Each attempt is a SELECT with a timeout of zero. It uses masks of the call's own, because one
 * area of the program may be both sent and returned. */
static int try_select(struct async_job *job)
{
	struct smi_call *call = (struct smi_call *)job;
	int rc = smi_run(call);

	return rc || job->expired || is_posted(call) ? rc : -EAGAIN;
}

static size_t size_of_masks(const struct smi_call *call)
{
	long n = call->call.values[0];

	return n < 0 || n > VSE_DESCRIPTORS ? 0 : (size_t)(n + 31) / 32 * 4;
}

/* Copies the masks that are sent; 0 or a negative error. */
static int take_masks(struct smi_call *call)
{
	for (int i = 0; i < 2 * VSE_SETS; i++) {
		struct eza_arg *arg = &call->call.args[AT_MASKS + i];

		if (!arg->data)
			continue;
		if (i < VSE_SETS ? memory_check_read(arg->data, size_of_masks(call))
				 : memory_check_result(arg->data, size_of_masks(call)))
			return -EFAULT;
		if (i < VSE_SETS)
			memcpy(call->masks[i], arg->data, size_of_masks(call));
		arg->data = call->masks[i];
	}
	return 0;
}

static void give_masks(const struct smi_call *call)
{
	void *const to[VSE_SETS] = {call->said.RRETMSK, call->said.WRETMSK, call->said.ERETMSK};

	for (int i = 0; i < VSE_SETS; i++)
		if (to[i] && !memory_check_result(to[i], size_of_masks(call)))
			memcpy(to[i], call->masks[VSE_SETS + i], size_of_masks(call));
}

/* Makes TIMEOUT the job's deadline; 0 or a negative error. */
static int take_timeout(struct smi_call *call)
{
	struct eza_arg *arg = &call->call.args[AT_TIMEOUT];
	int time[2];

	if (arg->data) {
		if (memory_check_read(arg->data, sizeof(time)))
			return -EFAULT;
		memcpy(time, arg->data, sizeof(time));
		if (time[0] >= 0 && (time[1] < 0 || time[1] > 999999))
			return -EINVAL;
		if (time[0] >= 0)
			call->job.until =
				vse_now_ms() + time[0] * INT64_C(1000) + (time[1] + 999) / 1000;
	}
	arg->data = call->none;
	arg->size = 0;
	return 0;
}

static void done(struct async_job *job, int rc)
{
	struct smi_call *call = (struct smi_call *)job;

	if (call->type->wait == SMI_SELECTS && rc >= 0)
		give_masks(call);
	(void)smi_give(call, rc);
}

int smi_start(struct smi_call *call)
{
	struct async_job *job = &call->job;
	struct vse_api *api = call->call.api;
	int rc = 0;

	*job = (struct async_job){
		.api = api,
		.interface = MUX_EZA,
		.s = call->call.fd < 0 ? -1 : (int)call->call.values[0],
		.fd = call->call.fd,
		.events = call->type->wait == SMI_READS ? POLLIN : POLLOUT,
		.until = -1,
		.ecb = call->said.ECB,
		.done = done,
	};
	memcpy(job->nn, api->nn, sizeof(job->nn));
	call->call.dontwait = MSG_DONTWAIT;
	switch (call->type->wait) {
	case SMI_CONNECTS:
		job->attempt = try_connect;
		break;
	case SMI_SELECTS:
		job->attempt = try_select;
		rc = take_timeout(call);
		if (!rc)
			rc = take_masks(call);
		break;
	default:
		job->attempt = try_data;
	}
	if (rc < 0)
		return rc;
	rc = async_start(job);
	/* Another thread's call has taken the ECB meanwhile, and will post it. */
	if (rc < 0)
		call->said.ECB = NULL;
	return rc;
}
