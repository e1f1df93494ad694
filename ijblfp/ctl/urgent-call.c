/* SPDX-License-Identifier: Apache-2.0 */
/* urgent-call.c - programs' calls that send urgent data */
#include "ijblfp/ctl/calls.h"

#include <errno.h>

#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/urgent.h"

void urgent_call(struct call *call)
{
	int error = EINVAL;

	if (call->request->len == 1)
		error = urgent_add(call->vs, call->request->data[0]);
	ctl_reply(call->conn, error);
	if (!error)
		stream_look_again(call->inst, call->vs);
}
