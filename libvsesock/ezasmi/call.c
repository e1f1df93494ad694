/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - EZASMI: makes a call by a function of EZASOKET, at once or with an ECB */
#include <stdlib.h>
#include <string.h>

#include "include/vsesock.h"
#include "libvsesock/core/export.h"
#include "libvsesock/ezasmi/ezasmi.h"
#include "libvsesock/vse/task.h"
#include "libvsesock/vse/values.h"

#define TYPE_MAX 16

/* Checks NS=: the descriptor is in range, and free. */
static int check_number(struct smi_call *call)
{
	bool given;

	if (call->ns < 0)
		return 0;
	if (call->ns >= call->call.api->max)
		return eza_fail(&call->call, eza_error("EIBMSOCKOUTOFRANGE"), 10204);
	if (vse_fd_given(call->call.api, call->ns, &given) >= 0)
		return eza_fail(&call->call, eza_error("EIBMSOCKINUSE"), 10205);
	return 0;
}

static int take_ns(struct smi_call *call)
{
	call->ns = -1;
	if (!call->type->numbers || !call->said.NS)
		return 0;
	if (memory_check_read(call->said.NS, sizeof(int)))
		return -EFAULT;
	memcpy(&call->ns, call->said.NS, sizeof(int));
	return call->ns < 0 ? eza_fail(&call->call, eza_error("EIBMSOCKOUTOFRANGE"), 10203) : 0;
}

static int take_all(struct smi_call *call)
{
	int rc = take_ns(call);

	for (int i = 0; i < SMI_KEYWORDS && call->type->keywords[i].kind && !rc; i++) {
		rc = smi_take(call, i);
		call->call.nr = i + 1;
	}
	return rc;
}

/* Prepares a call up to the point where it may wait. */
static int begin(struct smi_call *call)
{
	int rc = smi_check_task(call);

	if (!rc)
		rc = take_all(call);
	if (!rc)
		rc = eza_prepare(&call->call, call->function);
	if (!rc)
		rc = check_number(call);
	return rc;
}

/* Ends the call whose ECB is CALAREA. */
static int cancel(struct smi_call *call)
{
	struct vse_api *api = vse_api_find(MUX_EZA);
	int rc = smi_check_task(call);

	if (rc < 0)
		return rc;
	if (!api || !api->set_up)
		return eza_fail(&call->call, eza_error("EIBMBADCALL"), 10108);
	if (!call->said.CALAREA)
		return eza_error("EIBMBADPARM");
	return async_cancel(api, call->said.CALAREA);
}

/* STORAGE=CSECT clears the area for INITAPI. DSECT is a layout only. */
static int define_storage(const char *storage, void *area, size_t size)
{
	char text[6] = "";
	int rc = storage ? vse_text(text, sizeof(text) - 1, storage) : 0;

	if (rc < 0)
		return rc;
	if (!strcmp(text, "DSECT"))
		return 0;
	if (strcmp(text, "CSECT") != 0)
		return -EINVAL;
	if (!area)
		return eza_error("EIBMBADPARM");
	if (memory_check_result(area, size))
		return -EFAULT;
	memset(area, 0, size);
	return 0;
}

/* Handles the types that have no function of EZASOKET. Returns 1 for other types. */
static int call_own(struct smi_call *call, const char *name)
{
	if (!strcmp(name, "CANCEL"))
		return cancel(call);
	if (!strcmp(name, "TASK"))
		return define_storage(call->said.STORAGE, call->said.TASK, EZASMI_TIE);
	if (!strcmp(name, "GLOBAL"))
		return define_storage(call->said.STORAGE, call->said.GLOBAL, EZASMI_GWA);
	return 1;
}

/* Returns RETCODE or a negative error. @started: the call is asynchronous, and the library owns it.
 */
static int make(struct smi_call *call, const char *type, bool *started)
{
	char name[TYPE_MAX + 1] = "";
	int rc = smi_check_result(call->said.RETCODE);

	if (!rc)
		rc = smi_check_result(call->said.ERRNO);
	if (!rc)
		rc = vse_text(name, TYPE_MAX, type);
	if (rc < 0)
		return rc;
	rc = call_own(call, name);
	if (rc <= 0)
		return rc;
	call->type = smi_type(name);
	if (!call->type)
		return eza_fail(&call->call, eza_error("EIBMBADCALL"), 10104);
	call->function = eza_function(name);
	rc = begin(call);
	smi_note_task(call);
	if (rc < 0)
		return rc;
	if (!call->said.ECB || !call->type->wait)
		return smi_run(call);
	rc = smi_start(call);
	*started = !rc;
	return rc;
}

EXPORT int EZASMI_call(const char *type, const struct ezasmi *said)
{
	return smi_make(type, said, false);
}

/* Ends a call that the library does not own. Returns what smi_make() does. */
static int finish(struct smi_call *call, int rc)
{
	int retcode = smi_give(call, rc);

	if (!call->said.ECB)
		return retcode;
	vse_ecb_post(call->said.ECB);
	return 0;
}

static int refuse_without_memory(const struct ezasmi *said)
{
	struct smi_call call = {.said = *said};
	int rc = async_take_ecb(said->ECB);

	return rc < 0 ? smi_give(&call, rc) : finish(&call, -ENOMEM);
}

int smi_make(const char *type, const struct ezasmi *said, bool assembler)
{
	struct smi_call *call;
	int saved = errno, rc, retcode;
	bool started = false;

	if (memory_check_pages(said, sizeof(*said)))
		return -1;
	call = calloc(1, sizeof(*call));
	if (!call) {
		retcode = refuse_without_memory(said);
		errno = saved;
		return retcode;
	}
	call->said = *said;
	call->call.order = EZA_NATIVE;
	call->call.interface = "EZASMI";
	call->call.fd = -1;
	call->call.ebcdic = call->call.copies = eza_last_ebcdic = assembler;
	rc = async_take_ecb(call->said.ECB);
	if (rc < 0) {
		(void)smi_give(call, rc);
		free(call);
		errno = saved;
		return -1;
	}
	rc = make(call, type, &started);
	if (started) {
		errno = saved;
		return 0;
	}
	if (rc == -VSE_ELOAD && call->said.ERROR)
		call->said.ERROR(said);
	smi_note_task(call);
	retcode = finish(call, rc);
	free(call);
	errno = saved;
	return retcode;
}
