/* SPDX-License-Identifier: Apache-2.0 */
/* frame.c - packets and frames: encode, decode, validate */
#include "lfp/frame.h"

#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"

/*
 * Theory of operation
 *
 * messages.h is expanded into tables: a struct lfp_message for each message, a struct
 * lfp_message_field for each field of its body with the field's place in the C struct. One decoder
 * and one encoder walk these tables, so that a field cannot be read without its check.
 */

enum field_type {
	TYPE_u8,
	TYPE_u16,
	TYPE_u32,
	TYPE_u64,
	TYPE_i32,
	TYPE_name8,
	TYPE_addr,
	TYPE_text,
	TYPE_bytes,
};

/* The words of messages.h for the header fields that a message needs. */
enum {
	NONE = LFP_NEEDS_NONE,
	SOCKET = LFP_NEEDS_SOCKET,
	REQUEST = LFP_NEEDS_REQUEST,
	TASK = LFP_NEEDS_TASK
};

#define FIELD(body_, kind_, name_, min_, max_, text_)                                              \
	{                                                                                          \
		.kind = #kind_,                                                                    \
		.name = #name_,                                                                    \
		.text = (text_),                                                                   \
		.bad = "bad " #name_ " in the body of " #body_,                                    \
		.min = (int64_t)(min_),                                                            \
		.max = (uint64_t)(int64_t)(max_),                                                  \
		.offset = offsetof(struct lfp_##body_, name_),                                     \
		.type = TYPE_##kind_,                                                              \
	},

#define TABLE(body)                                                                                \
	static const struct lfp_message_field fields_##body[] = {                                  \
		LFP_FIELDS_##body(FIELD, body){.kind = NULL}};
LFP_BODIES(TABLE)

#define MESSAGE(NAME_, body_, code_, from_, needs_, text_)                                         \
	{                                                                                          \
		.name = #NAME_,                                                                    \
		.code = (code_),                                                                   \
		.from = LFP_FROM_##from_,                                                          \
		.needs = (needs_),                                                                 \
		.text = (text_),                                                                   \
		.fields = fields_##body_,                                                          \
		.nr_fields = sizeof(fields_##body_) / sizeof(fields_##body_[0]) - 1,               \
	},
static const struct lfp_message messages[] = {LFP_MESSAGES(MESSAGE)};

#define NR_MESSAGES (sizeof(messages) / sizeof(messages[0]))

const struct lfp_message *lfp_message_at(size_t index)
{
	return index < NR_MESSAGES ? &messages[index] : NULL;
}

/* Position in messages[] by code, plus 1; 0 where there is no message. */
#define INDEX_(NAME_, body_, code_, from_, needs_, text_) INDEX_##NAME_,
enum { LFP_MESSAGES(INDEX_) };
#undef INDEX_
#define INDEX_(NAME_, body_, code_, from_, needs_, text_) [code_] = INDEX_##NAME_ + 1,
static const uint8_t index_by_code[256] = {LFP_MESSAGES(INDEX_)};
#undef INDEX_

const struct lfp_message *lfp_message_by_code(uint8_t code)
{
	return index_by_code[code] ? &messages[index_by_code[code] - 1] : NULL;
}

const char *lfp_message_name(uint8_t code)
{
	const struct lfp_message *message = lfp_message_by_code(code);

	return message ? message->name : "?";
}

int lfp_packet_decode(const uint8_t *buf, size_t len, struct lfp_packet *out, const char **why)
{
	if (len < LFP_PACKET_HEADER) {
		*why = "packet shorter than its header";
		return -EPROTO;
	}
	if (be16_get(buf) != LFP_MAGIC) {
		*why = "packet without the magic number";
		return -EPROTO;
	}
	if (buf[2] != LFP_PROTOCOL_VERSION) {
		*why = "packet of another version";
		return -EPROTO;
	}
	out->flags = buf[3];
	out->length = be32_get(buf + 4);
	out->sequence = be32_get(buf + 8);
	out->taken = be32_get(buf + 12);
	if (out->flags & ~LFP_PACKET_DATA) {
		*why = "packet with unknown flags";
		return -EPROTO;
	}
	if (out->length != len) {
		*why = "packet length differs from the bytes received";
		return -EPROTO;
	}
	return 0;
}

void lfp_packet_encode(const struct lfp_packet *packet, uint8_t *buf)
{
	be16_put(buf, LFP_MAGIC);
	buf[2] = LFP_PROTOCOL_VERSION;
	buf[3] = packet->flags;
	be32_put(buf + 4, packet->length);
	be32_put(buf + 8, packet->sequence);
	be32_put(buf + 12, packet->taken);
}

void lfp_addr_put(const struct lfp_addr *addr, uint8_t *buf)
{
	be16_put(buf, addr->family);
	be16_put(buf + 2, addr->port);
	be32_put(buf + 4, addr->flowinfo);
	memcpy(buf + 8, addr->ip, sizeof(addr->ip));
	be32_put(buf + 24, addr->scope);
}

static bool addr_ok(const struct lfp_addr *addr)
{
	static const uint8_t zero[16];

	switch (addr->family) {
	case LFP_AF_UNSPEC:
		return addr->port == 0 && memcmp(addr->ip, zero, 16) == 0 && !addr->scope &&
		       !addr->flowinfo;
	case LFP_AF_INET:
		return memcmp(addr->ip + 4, zero, 12) == 0 && !addr->scope && !addr->flowinfo;
	case LFP_AF_INET6:
		return true;
	default:
		return false;
	}
}

int lfp_addr_get(const uint8_t *buf, struct lfp_addr *addr)
{
	addr->family = be16_get(buf);
	addr->port = be16_get(buf + 2);
	addr->flowinfo = be32_get(buf + 4);
	memcpy(addr->ip, buf + 8, sizeof(addr->ip));
	addr->scope = be32_get(buf + 24);
	return addr_ok(addr) ? 0 : -EPROTO;
}

static int name8_get(const uint8_t *buf, char out[9])
{
	size_t len = 8;

	while (len && buf[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < len; i++)
		if (buf[i] <= ' ' || buf[i] > '~')
			return -EPROTO;
	memcpy(out, buf, len);
	memset(out + len, 0, 9 - len);
	return 0;
}

static int name8_put(const char *name, uint8_t *buf)
{
	size_t len = strnlen(name, 9);

	if (len > 8)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return -EINVAL;
	memset(buf, ' ', 8);
	memcpy(buf, name, len);
	return 0;
}

/* Size of a field on the wire; for text and bytes the minimum. */
static size_t field_size(const struct lfp_message_field *field)
{
	static const size_t sizes[] = {
		[TYPE_u8] = 1,
		[TYPE_u16] = 2,
		[TYPE_u32] = 4,
		[TYPE_u64] = 8,
		[TYPE_i32] = 4,
		[TYPE_name8] = 8,
		[TYPE_addr] = LFP_ADDR_SIZE,
		[TYPE_text] = 2,
		[TYPE_bytes] = 0,
	};

	return sizes[field->type];
}

static bool in_range(const struct lfp_message_field *field, uint64_t value)
{
	return value >= (uint64_t)field->min && value <= field->max;
}

/* One field of the body at @buf with @left bytes; returns how many it took, or -EPROTO. */
static int field_decode(const struct lfp_message_field *field, const uint8_t *buf, size_t left,
			void *body)
{
	void *to = (uint8_t *)body + field->offset;
	size_t size = field_size(field);
	uint64_t value = 0;

	if (left < size)
		return -EPROTO;
	switch ((enum field_type)field->type) {
	case TYPE_u8:
		value = buf[0];
		*(uint8_t *)to = buf[0];
		break;
	case TYPE_u16:
		value = be16_get(buf);
		*(uint16_t *)to = (uint16_t)value;
		break;
	case TYPE_u32:
		value = be32_get(buf);
		*(uint32_t *)to = (uint32_t)value;
		break;
	case TYPE_u64:
		value = be64_get(buf);
		*(uint64_t *)to = value;
		break;
	case TYPE_i32: {
		int32_t number = (int32_t)be32_get(buf);

		*(int32_t *)to = number;
		return number >= field->min && number <= (int64_t)field->max ? (int)size : -EPROTO;
	}
	case TYPE_name8:
		return name8_get(buf, to) ? -EPROTO : (int)size;
	case TYPE_addr:
		return lfp_addr_get(buf, to) ? -EPROTO : (int)size;
	case TYPE_text: {
		struct lfp_text *text = to;

		text->len = be16_get(buf);
		text->ptr = buf + 2;
		if (text->len > field->max || text->len > left - 2)
			return -EPROTO;
		return 2 + text->len;
	}
	case TYPE_bytes: {
		struct lfp_bytes *bytes = to;

		bytes->len = (uint32_t)left;
		bytes->ptr = buf;
		return in_range(field, left) ? (int)left : -EPROTO;
	}
	}
	return in_range(field, value) ? (int)size : -EPROTO;
}

static int check_header(const struct lfp_message *message, const struct lfp_frame *frame,
			const char **why)
{
	bool has_status =
		(frame->code & 0x80) || frame->code == LFP_CONNECTED || frame->code == LFP_RESET;

	*why = "flags that the message does not allow";
	if (frame->flags & ~(frame->code == LFP_DATA ? LFP_FRAME_MORE | LFP_FRAME_URGENT : 0u))
		return -EPROTO;
	*why = "a status that the message does not allow";
	if (frame->status > LFP_STATUS_MAX || (frame->status && !has_status))
		return -EPROTO;
	*why = "socket id missing or not expected";
	if (!!frame->sock != !!(message->needs & LFP_NEEDS_SOCKET))
		return -EPROTO;
	*why = "bad socket id or epoch";
	if ((frame->sock & LFP_ID_EPOCH) || frame->epoch >= LFP_EPOCHS ||
	    (frame->epoch && !frame->sock))
		return -EPROTO;
	*why = "request number missing or not expected";
	if (!!frame->request != !!(message->needs & LFP_NEEDS_REQUEST))
		return -EPROTO;
	*why = "task id missing";
	if (!frame->task && (message->needs & LFP_NEEDS_TASK))
		return -EPROTO;
	return 0;
}

static uint32_t head_decode(const uint8_t *buf, struct lfp_frame *out)
{
	out->code = buf[4];
	out->flags = buf[5];
	out->status = be16_get(buf + 6);
	out->request = be32_get(buf + 8);
	out->task = be32_get(buf + 12);
	out->sock = be64_get(buf + 16);
	out->epoch = (uint16_t)((out->sock & LFP_ID_EPOCH) >> LFP_EPOCH_SHIFT);
	out->sock &= ~LFP_ID_EPOCH;
	return be32_get(buf);
}

uint32_t lfp_frame_head(const uint8_t *buf, struct lfp_frame *out)
{
	return head_decode(buf, out);
}

int lfp_frame_decode(const uint8_t *buf, size_t len, enum lfp_side from, struct lfp_frame *out,
		     const char **why)
{
	const struct lfp_message *message;
	size_t length, at = LFP_FRAME_HEADER;

	if (len < LFP_FRAME_HEADER) {
		*why = "frame shorter than its header";
		return -EPROTO;
	}
	length = head_decode(buf, out);
	if (length < LFP_FRAME_HEADER || length > len) {
		*why = "frame length does not fit the packet";
		return -EPROTO;
	}
	message = lfp_message_by_code(out->code);
	if (!message) {
		*why = "unknown message";
		return -EPROTO;
	}
	if (!(message->from & from)) {
		*why = "message from the wrong side";
		return -EPROTO;
	}
	if (check_header(message, out, why))
		return -EPROTO;

	for (size_t i = 0; i < message->nr_fields; i++) {
		const struct lfp_message_field *field = &message->fields[i];
		int took = field_decode(field, buf + at, length - at, &out->empty);

		if (took < 0) {
			*why = field->bad;
			return took;
		}
		at += (size_t)took;
	}
	if (at != length) {
		*why = "bytes after the last field";
		return -EPROTO;
	}
	return (int)length;
}

/* The counterpart of field_decode(); @left is enough for a field of fixed size. */
static int field_encode(const struct lfp_message_field *field, const void *body, uint8_t *buf,
			size_t left)
{
	const void *from = (const uint8_t *)body + field->offset;
	size_t size = field_size(field);
	uint64_t value = 0;

	if (left < size)
		return -EMSGSIZE;
	switch ((enum field_type)field->type) {
	case TYPE_u8:
		value = *(const uint8_t *)from;
		buf[0] = (uint8_t)value;
		break;
	case TYPE_u16:
		value = *(const uint16_t *)from;
		be16_put(buf, (uint16_t)value);
		break;
	case TYPE_u32:
		value = *(const uint32_t *)from;
		be32_put(buf, (uint32_t)value);
		break;
	case TYPE_u64:
		value = *(const uint64_t *)from;
		be64_put(buf, value);
		break;
	case TYPE_i32: {
		int32_t number = *(const int32_t *)from;

		be32_put(buf, (uint32_t)number);
		return number >= field->min && number <= (int64_t)field->max ? (int)size : -EINVAL;
	}
	case TYPE_name8:
		return name8_put(from, buf) ? -EINVAL : (int)size;
	case TYPE_addr:
		lfp_addr_put(from, buf);
		return addr_ok(from) ? (int)size : -EINVAL;
	case TYPE_text: {
		const struct lfp_text *text = from;

		if (text->len > field->max)
			return -EINVAL;
		if (text->len > left - 2)
			return -EMSGSIZE;
		be16_put(buf, text->len);
		if (text->len)
			memcpy(buf + 2, text->ptr, text->len);
		return 2 + text->len;
	}
	case TYPE_bytes: {
		const struct lfp_bytes *bytes = from;

		if (!in_range(field, bytes->len))
			return -EINVAL;
		if (bytes->len > left)
			return -EMSGSIZE;
		if (bytes->len)
			memcpy(buf, bytes->ptr, bytes->len);
		return (int)bytes->len;
	}
	}
	return in_range(field, value) ? (int)size : -EINVAL;
}

static void header_put(const struct lfp_frame *frame, size_t length, uint8_t *buf)
{
	be32_put(buf, (uint32_t)length);
	buf[4] = frame->code;
	buf[5] = frame->flags;
	be16_put(buf + 6, frame->status);
	be32_put(buf + 8, frame->request);
	be32_put(buf + 12, frame->task);
	be64_put(buf + 16, lfp_sock_join(frame->sock, frame->epoch));
}

int lfp_frame_encode(const struct lfp_frame *frame, uint8_t *buf, size_t room)
{
	const struct lfp_message *message = lfp_message_by_code(frame->code);
	size_t at = LFP_FRAME_HEADER;
	const char *why;

	if (!message || check_header(message, frame, &why))
		return -EINVAL;
	if (room < LFP_FRAME_HEADER)
		return -EMSGSIZE;
	for (size_t i = 0; i < message->nr_fields; i++) {
		int took = field_encode(&message->fields[i], &frame->empty, buf + at, room - at);

		if (took < 0)
			return took;
		at += (size_t)took;
	}
	header_put(frame, at, buf);
	return (int)at;
}

void lfp_data_header(uint8_t *buf, uint64_t sock, uint64_t position, size_t len, uint8_t flags)
{
	struct lfp_frame frame = {.code = LFP_DATA, .flags = flags, .sock = sock};

	header_put(&frame, LFP_DATA_OVERHEAD + len, buf);
	be64_put(buf + LFP_FRAME_HEADER, position);
}
