/* SPDX-License-Identifier: Apache-2.0 */
/* hs-frame.c - frames of AF_IUCV over HiperSockets, as Linux and z/VSE exchange them */
#include "transport/hs-frame.h"

#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"
#include "lfp/once.h"

/* Offsets in a frame. */
enum {
	AT_TO = 0,
	AT_FROM = 6,
	AT_TYPE = 12,
	AT_MAGIC = HS_LINK,
	AT_VERSION = HS_LINK + 2,
	AT_FLAGS = HS_LINK + 3,
	AT_WINDOW = HS_LINK + 4,
	AT_DEST_USER = HS_LINK + 14, /* after 8 bytes of node id */
	AT_DEST_APP = HS_LINK + 22,  /* 16 bytes, of which 8 are used */
	AT_SRC_USER = HS_LINK + 46,
	AT_SRC_APP = HS_LINK + 54,
	AT_CLASS = HS_LINK + 78, /* in a struct iucv_message that begins at 70 */
	AT_TAG = HS_LINK + 82,
};

#define BLANK 0x40

void hs_frame_head(const struct hs_frame *frame, uint8_t head[static HS_HEAD])
{
	memset(head, 0, HS_HEAD);
	memcpy(head + AT_TO, frame->to, sizeof(frame->to));
	memcpy(head + AT_FROM, frame->from, sizeof(frame->from));
	be16_put(head + AT_TYPE, frame->type);
	be16_put(head + AT_MAGIC, HS_ETHERTYPE);
	head[AT_VERSION] = HS_VERSION;
	head[AT_FLAGS] = frame->flags;
	be16_put(head + AT_WINDOW, frame->window);
	memcpy(head + AT_DEST_USER, frame->dest.user, sizeof(frame->dest.user));
	memcpy(head + AT_DEST_APP, frame->dest.app, sizeof(frame->dest.app));
	memcpy(head + AT_SRC_USER, frame->src.user, sizeof(frame->src.user));
	memcpy(head + AT_SRC_APP, frame->src.app, sizeof(frame->src.app));
	be32_put(head + AT_CLASS, frame->class);
	be32_put(head + AT_TAG, frame->tag);
}

static int check_flags(uint8_t flags, size_t len)
{
	switch (flags) {
	case 0:
	case HS_WIN:
		return 0;
	case HS_SYN:
	case HS_SYN | HS_ACK:
	case HS_SYN | HS_FIN:
	case HS_FIN:
	case HS_SHT:
		return len ? -EPROTO : 0;
	default:
		return -EPROTO;
	}
}

int hs_frame_decode(const uint8_t *bytes, size_t len, struct hs_frame *frame)
{
	uint8_t head[HS_HEAD] = {0};

	if (len < HS_LINK)
		return -EPROTO;
	/* The sender may still write to it. */
	once_copy(head, bytes, len < sizeof(head) ? len : sizeof(head));
	frame->type = be16_get(head + AT_TYPE);
	/* The kernel answers SYN in the buffer that SYN came in, whose Ethernet header is lost. */
	if (frame->type != HS_ETHERTYPE && frame->type != 0)
		return -EPROTONOSUPPORT;
	if (len < HS_HEAD)
		return frame->type ? -EPROTO : -EPROTONOSUPPORT;
	if (be16_get(head + AT_MAGIC) != HS_ETHERTYPE)
		return frame->type ? -EPROTO : -EPROTONOSUPPORT;
	if (head[AT_VERSION] != HS_VERSION)
		return -EPROTO;
	memcpy(frame->to, head + AT_TO, sizeof(frame->to));
	memcpy(frame->from, head + AT_FROM, sizeof(frame->from));
	frame->flags = head[AT_FLAGS];
	frame->window = be16_get(head + AT_WINDOW);
	memcpy(frame->dest.user, head + AT_DEST_USER, sizeof(frame->dest.user));
	memcpy(frame->dest.app, head + AT_DEST_APP, sizeof(frame->dest.app));
	memcpy(frame->src.user, head + AT_SRC_USER, sizeof(frame->src.user));
	memcpy(frame->src.app, head + AT_SRC_APP, sizeof(frame->src.app));
	frame->class = be32_get(head + AT_CLASS);
	frame->tag = be32_get(head + AT_TAG);
	frame->message = bytes + HS_HEAD;
	frame->len = len - HS_HEAD;
	return check_flags(frame->flags, frame->len);
}

/* Characters of names, in ASCII and in code page 037. All EBCDIC pages agree on these, except "$",
 * "#" and "@". */
static const char here[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$#@_-.+:";
static const uint8_t there[] = {
	0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5,
	0xd6, 0xd7, 0xd8, 0xd9, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0x81, 0x82,
	0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
	0x98, 0x99, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xf0, 0xf1, 0xf2, 0xf3,
	0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0x5b, 0x7b, 0x7c, 0x6d, 0x60, 0x4b, 0x4e, 0x7a,
};
_Static_assert(sizeof(there) == sizeof(here) - 1, "each character has its code");

int hs_name_put(const char *name, uint8_t out[static 8])
{
	size_t len = strlen(name);

	if (!len || len > 8)
		return -EINVAL;
	memset(out, BLANK, 8);
	for (size_t i = 0; i < len; i++) {
		const char *at = strchr(here, name[i]);

		if (!at)
			return -EINVAL;
		out[i] = there[at - here];
	}
	return 0;
}

int hs_name_get(const uint8_t in[static 8], char out[static 9])
{
	size_t len = 8;

	out[0] = '\0';
	while (len && (in[len - 1] == BLANK || !in[len - 1]))
		len--;
	for (size_t i = 0; i < len; i++) {
		const uint8_t *at = memchr(there, in[i], sizeof(there));

		if (!at) {
			out[0] = '\0';
			return -EILSEQ;
		}
		out[i] = here[at - there];
	}
	out[len] = '\0';
	return len ? 0 : -EILSEQ;
}
