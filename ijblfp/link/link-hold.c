/* SPDX-License-Identifier: Apache-2.0 */
/* link-hold.c - the hold: sockets of a session are kept while its lfpd restarts */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link-inner.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "lfp/log.h"

/*
 * Theory of operation
 *
 * docs/protocol.md, "Suspending and resuming", has the dialogue. SUSPENDED is the instance's last
 * frame. Later frames are kept in order and sent after RESUMED_REPLY; their senders need not know.
 * Data is not kept: it stays in the far ends, whose full buffers then stop the programs. Calls of
 * programs are not read, so the kept frames are only those of sockets and tasks that exist already:
 * a few frames each.
 *
 * Until lfpd's SUSPENDED, all its frames count as always. After it nothing is on its way. The two
 * sides compare their positions socket by socket (sock/resume.c), and reset only a socket on which
 * they do not agree. All requests are answered by then, except questions about names, whose entries
 * stay in the table of requests.
 */

struct kept {
	struct lfp_list place;
	uint32_t len;
	uint8_t frame[];
};

static const struct ijblfp_statements *statements(const struct instance *inst)
{
	return &inst->config.st;
}

int hold_keep(struct instance *inst, const struct lfp_frame *frame)
{
	static uint8_t buf[LFP_MTU_MAX];
	int len = lfp_frame_encode(frame, buf, inst->link->mtu - LFP_PACKET_HEADER);
	struct kept *kept;

	if (len < 0)
		return -EINVAL;
	kept = malloc(sizeof(*kept) + (size_t)len);
	if (!kept)
		return -ENOMEM;
	lfp_list_init(&kept->place);
	kept->len = (uint32_t)len;
	memcpy(kept->frame, buf, kept->len);
	lfp_list_append(&inst->link->hold.kept, &kept->place);
	return 0;
}

static struct kept *take_kept(struct hold *hold)
{
	struct lfp_list *first = lfp_list_first(&hold->kept);

	if (!first)
		return NULL;
	lfp_list_del(first);
	return lfp_list_entry(first, struct kept, place);
}

/* Sends the kept frames. Some may be about a socket that was lost. */
static void send_kept(struct instance *inst)
{
	struct kept *kept;

	/* Frames that are added meanwhile come after these. */
	while ((kept = take_kept(&inst->link->hold))) {
		struct lfp_frame frame;
		const char *why;

		(void)lfp_frame_decode(kept->frame, kept->len, LFP_FROM_VSE, &frame, &why);
		if ((frame.sock && !inst->link->ops->has_socket(inst, frame.sock)) ||
		    path_send(inst->link->path, &frame))
			request_fail(inst, frame.request, ECONNRESET);
		free(kept);
	}
}

static void set_phase(struct instance *inst, enum hold_phase phase)
{
	inst->link->hold.phase = phase;
	inst->link->ops->on_phase(inst);
}

void hold_end(struct instance *inst)
{
	struct hold *hold = &inst->link->hold;
	struct kept *kept;

	while ((kept = take_kept(hold)))
		free(kept);
	uv_timer_stop(&hold->timer);
	hold->phase = HOLD_NONE;
	hold->session = 0;
}

static void say_lost(const struct instance *inst, const char *why)
{
	lfp_msg("VLFB062W", "Instance %s cannot resume its session: %s. Its sockets are reset.",
		statements(inst)->id, why);
}

static void on_late(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	enum link_state state = inst->link->state;
	char why[96];

	snprintf(why, sizeof(why), "lfpd %s has not resumed it within %u seconds (HoldTime)",
		 statements(inst)->iucv_dest_appname, statements(inst)->hold_time);
	say_lost(inst, why);
	/* A path that is being made continues for a new session, unless it has asked for this one.
	 */
	if (state == LINK_HELLO || state == LINK_UP)
		link_end_path(inst, "the session was not resumed in time");
	link_end_session(inst);
	if (state == LINK_HELLO || state == LINK_UP)
		link_retry(inst);
}

bool hold_expects(const struct hold *hold, uint8_t code, const char **why)
{
	bool answer = code == LFP_RESUME_REPLY || code == LFP_RESUMED_REPLY;

	*why = "unexpected message";
	switch (hold->phase) {
	case HOLD_NONE:
		return code != LFP_SUSPENDED && (code != LFP_SUSPEND || hold->session);
	case HOLD_SUSPENDING:
		return code != LFP_SUSPEND;
	case HOLD_RESUMING:
		return answer;
	case HOLD_AWAY:
		break;
	}
	return false;
}

int hold_on_suspend(struct instance *inst)
{
	const struct lfp_frame frame = {.code = LFP_SUSPENDED};
	struct hold *hold = &inst->link->hold;

	lfp_msg("VLFB060I",
		"Instance %s: lfpd %s restarts; %u sockets are held for at most %u seconds.",
		statements(inst)->id, statements(inst)->iucv_dest_appname,
		inst->link->ops->rest(inst), statements(inst)->hold_time);
	if (path_send(inst->link->path, &frame))
		return -EPROTO;
	hold->since = uv_now(inst->loop);
	uv_timer_start(&hold->timer, on_late, statements(inst)->hold_time * 1000ull, 0);
	set_phase(inst, HOLD_SUSPENDING);
	return 0;
}

void hold_on_suspended(struct instance *inst)
{
	inst->link->hold.phase = HOLD_AWAY;
	link_end_path(inst, "suspended");
	link_retry(inst);
}

void hold_count(struct instance *inst, bool goes_on)
{
	struct hold *hold = &inst->link->hold;

	if (goes_on)
		hold->goes_on++;
	else
		hold->was_lost++;
}

static void on_resumed(struct instance *inst, struct request *request,
		       const struct lfp_frame *reply)
{
	struct hold *hold = &inst->link->hold;

	(void)request;
	if (!reply)
		return;
	uv_timer_stop(&hold->timer);
	hold->times++;
	lfp_msg("VLFB061I",
		"Instance %s goes on with %u sockets after %" PRIu64 " ms; %u sockets were reset.",
		statements(inst)->id, hold->goes_on, uv_now(inst->loop) - hold->since,
		hold->was_lost);
	send_kept(inst);
	set_phase(inst, HOLD_NONE);
	inst->link->ops->on_ready(inst);
}

void hold_check(struct instance *inst, const struct lfp_hello_reply *reply)
{
	struct hold *hold = &inst->link->hold;
	uint64_t session = reply->features & LFP_FEATURE_RESUME ? reply->session : 0;

	if (hold_is_away(hold) && session != hold->session) {
		struct lfp_codepage *page = inst->link->codepage;

		say_lost(inst, "lfpd no longer has it");
		inst->link->codepage = NULL;
		link_end_session(inst);
		inst->link->codepage = page;
	}
	hold->session = session;
}

void hold_resume(struct instance *inst)
{
	struct lfp_frame frame = {.code = LFP_RESUMED};
	struct hold *hold = &inst->link->hold;

	if (!hold_is_away(hold))
		return;
	hold->phase = HOLD_RESUMING;
	hold->goes_on = hold->was_lost = 0;
	inst->link->ops->on_resume(inst);
	(void)request_send_now(inst, &frame, on_resumed);
}

void hold_init(struct instance *inst)
{
	struct hold *hold = &inst->link->hold;

	lfp_list_init(&hold->kept);
	uv_timer_init(inst->loop, &hold->timer);
	hold->timer.data = inst;
	handle_open(inst);
}

void hold_finish(struct instance *inst)
{
	hold_end(inst);
	handle_close(inst, (uv_handle_t *)&inst->link->hold.timer);
}
