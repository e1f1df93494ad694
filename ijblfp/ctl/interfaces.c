/* SPDX-License-Identifier: Apache-2.0 */
/* interfaces.c - getifaddrs() and its kind: the interfaces that lfpd shows */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "lfp/bigend.h"
#include "lfp/codepage.h"
#include "lfp/ctl.h"
#include "lfp/frame.h"

#define ADDR_ENTRY (4 + 1 + 2 * LFP_ADDR_SIZE)

struct answer {
	uint8_t data[LFP_CTL_DATA];
	size_t len;
};

/* The rest of lfpd's answer. A read of more than @left bytes returns -EPROTO. */
struct reader {
	const uint8_t *at;
	size_t left;
};

static const uint8_t *take(struct reader *from, size_t len)
{
	const uint8_t *at = from->at;

	if (from->left < len)
		return NULL;
	from->at += len;
	from->left -= len;
	return at;
}

static bool put(struct answer *answer, const void *data, size_t len)
{
	if (len > sizeof(answer->data) - answer->len)
		return false;
	memcpy(answer->data + answer->len, data, len);
	answer->len += len;
	return true;
}

static int take_link(struct instance *inst, struct reader *from, struct lfp_ctl_link *link)
{
	const uint8_t *at = take(from, 4 + 4 + 4 + 2 + 2);
	size_t hwlen, len;

	if (!at)
		return -EPROTO;
	*link = (struct lfp_ctl_link){
		.index = be32_get(at),
		.flags = be32_get(at + 4),
		.mtu = be32_get(at + 8),
		.kind = be16_get(at + 12),
	};
	hwlen = be16_get(at + 14);
	at = take(from, hwlen);
	if (!at || hwlen > sizeof(link->hw))
		return -EPROTO;
	memcpy(link->hw, at, hwlen);
	link->hwlen = (uint16_t)hwlen;
	at = take(from, 2);
	len = at ? be16_get(at) : 0;
	at = at ? take(from, len) : NULL;
	if (!at)
		return -EPROTO;
	/* An interface has no name here if its name cannot be written in this code page. */
	if (lfp_codepage_from_path(inst->link->codepage, at, len, link->name, sizeof(link->name)) <
	    0)
		link->name[0] = '\0';
	return 0;
}

static int take_ifaddr(struct reader *from, struct lfp_ctl_ifaddr *ifaddr)
{
	const uint8_t *at = take(from, ADDR_ENTRY);

	if (!at)
		return -EPROTO;
	ifaddr->index = be32_get(at);
	ifaddr->prefix = at[4];
	if (lfp_addr_get(at + 5, &ifaddr->addr) ||
	    lfp_addr_get(at + 5 + LFP_ADDR_SIZE, &ifaddr->other))
		return -EPROTO;
	return 0;
}

/* Links come first: an address without its link is dropped. Entries that do not fit are left out at
 * the end. */
static int convert(struct instance *inst, const struct lfp_getifaddrs_reply *reply,
		   struct answer *answer)
{
	struct reader from = {.at = reply->rest.ptr, .left = reply->rest.len};
	struct lfp_ctl_interfaces head = {0};
	struct lfp_ctl_ifaddr ifaddr;
	struct lfp_ctl_link link;

	answer->len = sizeof(head);
	for (unsigned int i = 0; i < reply->links; i++) {
		if (take_link(inst, &from, &link))
			return -EPROTO;
		if (put(answer, &link, sizeof(link)))
			head.nr_links++;
	}
	while (from.left) {
		if (take_ifaddr(&from, &ifaddr))
			return -EPROTO;
		if (put(answer, &ifaddr, sizeof(ifaddr)))
			head.nr_addrs++;
	}
	memcpy(answer->data, &head, sizeof(head));
	return 0;
}

static void on_reply(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct answer answer;

	if (!reply || reply->status)
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
	else if (convert(inst, &reply->getifaddrs_reply, &answer))
		ctl_fail(request->data, EPROTO);
	else
		ctl_answer(request->data, 0, 0, answer.data, answer.len, -1);
}

void ijblfp_interfaces_handle(struct instance *inst, struct ctl_conn *conn)
{
	struct lfp_frame frame = {.code = LFP_GETIFADDRS, .task = conn->task->number};
	struct request *request;
	int error;

	request = request_send(inst, &frame, on_reply, &error);
	if (request)
		request->data = conn;
	else
		ctl_fail(conn, -error);
}
