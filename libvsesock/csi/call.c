/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - the SOCKET macro: finds the function of a call, and gives its result to the program */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/core/export.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/csi/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/clock.h"
#include "libvsesock/vse/values.h"

#define NAME_MAX_LEN 12

static const struct {
	const char *name;
	csi_function *function, *control;
} functions[] = {
	{"OPEN", csi_open, csi_control_open},          {"CLOSE", csi_close, csi_close},
	{"SEND", csi_send, csi_control_send},          {"STATUS", csi_status, csi_status},
	{"RECEIVE", csi_receive, csi_control_receive}, {"ABORT", csi_abort, csi_close},
};

static const char *const types[] = {
	[CSI_TCP] = "TCP", [CSI_UDP] = "UDP", [CSI_CONTROL] = "CONTROL"};

/* Finds the function by name and type; 0 or a negative error. */
static int find(struct csi_call *call, csi_function **function, const char *name, const char *type)
{
	char name_text[NAME_MAX_LEN + 1] = "", type_text[NAME_MAX_LEN + 1] = "";
	int at = -1, rc = vse_text(name_text, NAME_MAX_LEN, name);

	if (rc >= 0)
		rc = vse_text(type_text, NAME_MAX_LEN, type);
	if (rc < 0)
		return rc;
	for (int i = 0; i <= CSI_CONTROL; i++)
		if (!strcmp(types[i], type_text))
			at = i;
	if (at < 0)
		return -EOPNOTSUPP;
	call->type = (enum csi_type)at;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name_text)) {
			if (strict_on())
				strict_call("SOCKET", functions[i].name);
			*function =
				at == CSI_CONTROL ? functions[i].control : functions[i].function;
			return 0;
		}
	return -EINVAL;
}

/* Writes the keywords that a function may set. A program reads DESC to end an OPEN. */
static void give_keywords(struct csi_socket *to, const struct csi_socket *said)
{
	if (to->DESC != said->DESC)
		__atomic_store_n(&to->DESC, said->DESC, __ATOMIC_RELAXED);
	if (memcmp(to->FOIP, said->FOIP, sizeof(to->FOIP)) != 0)
		memcpy(to->FOIP, said->FOIP, sizeof(to->FOIP));
	if (memcmp(to->LOIP, said->LOIP, sizeof(to->LOIP)) != 0)
		memcpy(to->LOIP, said->LOIP, sizeof(to->LOIP));
	to->FAMILY = said->FAMILY;
	to->FOPORT = said->FOPORT;
	to->LOPORT = said->LOPORT;
}

static void tell_set(const struct csi_call *call, bool over)
{
	if (call->form)
		call->form->set(call->request, over);
}

static int give_result(struct csi_call *call, int rc)
{
	const size_t results = offsetof(struct csi_socket, RETCODE);
	struct csi_socket *said = &call->said;

	said->RETCODE = rc < 0 ? -1 : rc;
	said->ERRNO = rc < 0 ? vse_errno_io(vse_space(), -rc) : 0;
	if (memory_check_result(call->request, sizeof(*said)))
		return said->RETCODE;
	give_keywords(call->request, said);
	memcpy((char *)call->request + results, (const char *)said + results,
	       sizeof(*said) - results);
	tell_set(call, true);
	return said->RETCODE;
}

static void done(struct async_job *job, int rc)
{
	struct csi_call *call = (struct csi_call *)job;

	csi_opened(call, rc);
	(void)give_result(call, rc);
}

/* Continues a call that would have to wait. With an ECB the library owns it from now on. */
static int go_on(struct csi_call *call, bool *started)
{
	int rc;

	call->job.interface = MUX_CSI;
	call->job.until = call->said.TIMEOUT > 0 ? vse_now_ms() + call->said.TIMEOUT : -1;
	call->job.ecb = call->said.ECB;
	call->job.done = done;
	if (call->said.ECB) {
		/* The program can end an OPEN by DESC, which is set by now. */
		give_keywords(call->request, &call->said);
		tell_set(call, false);
		rc = async_start(&call->job);
		*started = !rc;
		if (rc < 0) {
			/* Another thread's call has taken the ECB meanwhile, and will post it. */
			call->said.ECB = NULL;
			csi_opened(call, rc);
		}
		return rc;
	}
	rc = async_wait(&call->job);
	csi_opened(call, rc);
	return rc;
}

const char *csi_function_at(size_t i)
{
	return i < sizeof(functions) / sizeof(functions[0]) ? functions[i].name : NULL;
}

const char *csi_type_at(size_t i)
{
	return i <= CSI_CONTROL ? types[i] : NULL;
}

EXPORT int csi_socket(const char *name, const char *type, struct csi_socket *request)
{
	return memory_check_result(request, sizeof(*request)) ? -1
							      : csi_make(name, type, request, NULL);
}

/* Ends a call that the library does not own. Returns what csi_make() does. */
static int finish(struct csi_call *call, int rc)
{
	int retcode = give_result(call, rc);

	if (!call->said.ECB)
		return retcode;
	vse_ecb_post(call->said.ECB);
	return 0;
}

static int refuse_without_memory(struct csi_socket *request, const struct csi_form *form)
{
	struct csi_call call = {.form = form, .request = request, .said = *request};
	int rc = async_take_ecb(call.said.ECB);

	return rc < 0 ? give_result(&call, rc) : finish(&call, -ENOMEM);
}

int csi_make(const char *name, const char *type, struct csi_socket *request,
	     const struct csi_form *form)
{
	int saved = errno, rc, retcode;
	csi_function *function = NULL;
	struct csi_call *call;
	bool started = false;

	call = calloc(1, sizeof(*call));
	if (!call) {
		retcode = refuse_without_memory(request, form);
		errno = saved;
		return retcode;
	}
	call->form = form;
	call->request = request;
	call->said = *request;
	call->job.s = call->job.fd = -1;
	rc = async_take_ecb(call->said.ECB);
	if (rc < 0) {
		(void)give_result(call, rc);
		free(call);
		errno = saved;
		return -1;
	}
	rc = find(call, &function, name, type);
	if (!rc)
		rc = function(call);
	if (rc == -EAGAIN && call->job.attempt)
		rc = go_on(call, &started);
	if (started) {
		errno = saved;
		return 0;
	}
	retcode = finish(call, rc);
	free(call);
	errno = saved;
	return retcode;
}
