/* SPDX-License-Identifier: Apache-2.0 */
/* link-hello.c - HELLO: the instance's offer, and the check of lfpd's answer */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/link-inner.h"
#include "ijblfp/link/link.h"
#include "lfp/codepage.h"
#include "lfp/log.h"
#include "transport/path.h"

static const char *dest(const struct instance *inst)
{
	return inst->config.st.iucv_dest_appname;
}

/* Fills in the instance's offer. */
static uint32_t features(const struct instance *inst)
{
	return LFP_FEATURE_EPOCH | LFP_FEATURE_WHO | LFP_FEATURE_USER |
	       (inst->config.st.hold_time ? LFP_FEATURE_RESUME : 0);
}

void link_say_refused(struct instance *inst, const char *why)
{
	if (inst->link->said_down)
		return;
	inst->link->said_down = true;
	lfp_msg("VLFB032E", "Instance %s was refused by lfpd %s: %s.", inst->config.st.id,
		dest(inst), why);
}

/* Logs the reason for not using the path. Returns false, for the caller's return. */
static bool unfit(struct instance *inst, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static bool unfit(struct instance *inst, const char *id, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!inst->link->said_down)
		lfp_msg(id, "Instance %s cannot use lfpd %s: %s.", inst->config.st.id, dest(inst),
			text);
	inst->link->said_down = true;
	return false;
}

/* Explains lfpd's status in terms of the statements. */
static void refused(struct instance *inst, int status, const struct lfp_hello_reply *reply)
{
	const struct ijblfp_statements *st = &inst->config.st;
	char why[160];

	switch (status) {
	case EACCES:
		snprintf(why, sizeof(why), "its configuration does not admit %s of %s",
			 st->iucv_src_appname, inst->config.vmid);
		break;
	case ENETUNREACH:
		snprintf(why, sizeof(why), "its z/VM user id is %s, but IucvDestVMId is %s",
			 reply->vmid, st->iucv_dest_vmid);
		break;
	case ECONNREFUSED:
		snprintf(why, sizeof(why), "its name is %s, but IucvDestAppName is %s",
			 reply->appname, st->iucv_dest_appname);
		break;
	case EBUSY:
		snprintf(why, sizeof(why), "another LFP instance is connected to it");
		break;
	default:
		snprintf(why, sizeof(why), "%s", strerror(status));
		break;
	}
	link_say_refused(inst, why);
}

bool link_hello_is_meant(struct instance *inst, const struct lfp_frame *frame)
{
	const struct lfp_hello_reply *reply = &frame->hello_reply;
	const struct ijblfp_statements *st = &inst->config.st;
	struct lfp_codepage *page;
	char codepage[33];

	if (frame->status) {
		refused(inst, frame->status, reply);
		return false;
	}
	if (reply->version != 1 || (reply->features & ~features(inst)))
		return unfit(inst, "VLFB033E", "it speaks version %u of the protocol, not 1",
			     reply->version);
	if (strcmp(reply->vmid, st->iucv_dest_vmid) || strcmp(reply->appname, dest(inst)))
		return unfit(inst, "VLFB034E", "it is %s of %s, but the statements name %s of %s",
			     reply->appname, reply->vmid, dest(inst), st->iucv_dest_vmid);
	snprintf(codepage, sizeof(codepage), "%.*s", (int)reply->codepage.len,
		 (const char *)reply->codepage.ptr);
	page = lfp_codepage_open(codepage);
	if (!page)
		return unfit(inst, "VLFB035E", "its code page %s is unknown here", codepage);
	/* A session that was suspended already has one. */
	lfp_codepage_close(inst->link->codepage);
	inst->link->codepage = page;
	return true;
}

void link_say_limits(struct instance *inst, const struct lfp_hello_reply *reply)
{
	const struct ijblfp_statements *st = &inst->config.st;

	if (reply->mtu != st->mtu)
		lfp_msg("VLFB036I", "MTU is %u here and %u at lfpd %s: %u is used.", st->mtu,
			reply->mtu, dest(inst), inst->link->mtu);
	if (inst->link->offered != st->iucv_msg_limit)
		lfp_msg("VLFB043I", "Message limit is %u here and %u in the z/VM directory.",
			st->iucv_msg_limit, inst->link->offered);
	if (reply->msglimit != inst->link->offered)
		lfp_msg("VLFB037I", "Message limit is %u here and %u at lfpd %s: %u is used.",
			inst->link->offered, reply->msglimit, dest(inst), inst->link->msglimit);
}

int link_send_hello(struct instance *inst)
{
	const struct ijblfp_statements *st = &inst->config.st;
	struct lfp_frame frame = {
		.code = LFP_HELLO,
		.request = 1,
		.hello =
			{
				.version = 1,
				.features = features(inst),
				.session = hold_session(&inst->link->hold),
				.threshold = (uint16_t)st->window_threshold,
				.mtu = st->mtu,
				.msglimit = inst->link->offered,
				.window = st->window_size,
			},
	};

	strcpy(frame.hello.vmid, inst->config.vmid);
	strcpy(frame.hello.appname, st->iucv_src_appname);
	strcpy(frame.hello.dest_vmid, st->iucv_dest_vmid);
	strcpy(frame.hello.dest_appname, st->iucv_dest_appname);
	return path_send(inst->link->path, &frame);
}
