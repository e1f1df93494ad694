/* SPDX-License-Identifier: Apache-2.0 */
/* link-ops.c - what the rooms of an instance do on an event of its path to lfpd */
#include "ijblfp/wiring.h"

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/disagree.h"
#include "ijblfp/sock/dispatch.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

static uint16_t epoch_of(const struct instance *inst, uint64_t sock)
{
	const struct vsock *vs = vsock_find(inst->socks, sock);

	return vs ? vs->epoch : 0;
}

static bool has_socket(const struct instance *inst, uint64_t sock)
{
	return vsock_find(inst->socks, sock) != NULL;
}

static void on_ready(struct instance *inst)
{
	stream_on_ready(inst);
	ctl_server_check(inst);
}

static void on_session_end(struct instance *inst)
{
	again_fail_all(inst);
	tasks_forget(inst);
	end_all(inst);
	ctl_server_check(inst);
}

static unsigned int rest(struct instance *inst)
{
	datagram_rest(inst);
	return vsock_active(inst->socks);
}

const struct link_ops instance_link_ops = {
	.epoch_of = epoch_of,
	.has_socket = has_socket,
	.on_frame = ijblfp_dispatch_to_socket,
	.on_close_answer = end_is_closed,
	.on_odd_answer = disagree_note,
	.on_ready = on_ready,
	.on_phase = ctl_server_check,
	.on_path_end = stream_unblock,
	.on_session_end = on_session_end,
	.rest = rest,
	.on_resume = resume_sockets,
};
