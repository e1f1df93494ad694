/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - EZASMI: runs the function of a call, and gives its results to the program */
#include <string.h>

#include "libvsesock/ezasmi/ezasmi.h"
#include "libvsesock/vse/socket.h"

int smi_check_result(const int *result)
{
	return result && memory_check_result(result, sizeof(*result)) ? -EFAULT : 0;
}

static void put(int *result, int value)
{
	if (result && !smi_check_result(result))
		memcpy(result, &value, sizeof(value));
}

/* Writes the numbers that a function has set. */
static void give_numbers(const struct smi_call *call)
{
	for (int i = 0; i < SMI_KEYWORDS && call->type->keywords[i].kind; i++) {
		const struct smi_keyword *keyword = &call->type->keywords[i];
		int *to;

		if (keyword->kind != SMI_IN_OUT && keyword->kind != SMI_OUT)
			continue;
		memcpy(&to, (const char *)&call->said + keyword->offset, sizeof(to));
		put(to, call->numbers[i]);
	}
}

int smi_give(struct smi_call *call, int rc)
{
	int number = 0, retcode;

	/* Without a function the call failed before its type was known. */
	if (call->function) {
		retcode = eza_retcode(&call->call, call->function, rc, &number);
	} else {
		retcode = rc < 0 ? -1 : rc;
		if (rc < 0)
			number =
				call->call.number ? call->call.number : vse_errno(vse_space(), -rc);
	}
	if (rc >= 0 && call->type)
		give_numbers(call);
	put(call->said.ERRNO, number);
	put(call->said.RETCODE, retcode);
	return retcode;
}

int smi_run(struct smi_call *call)
{
	int rc = eza_run(&call->call, call->function);

	if (rc < 0 || call->ns < 0 || rc == call->ns)
		return rc;
	/* Another thread may have used the number meanwhile. */
	if (!vse_move(call->call.api, rc, call->ns))
		return call->ns;
	(void)vse_close(call->call.api, rc);
	return eza_error("EIBMSOCKINUSE");
}
