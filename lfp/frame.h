/* SPDX-License-Identifier: Apache-2.0 */
/* frame.h - packets and frames: encode, decode, validate */
#ifndef LFP_FRAME_H
#define LFP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/messages.h"

/*
 * A path carries packets; a packet carries frames. All integers are big-endian.
 *
 * Packet header, 16 bytes:
 *    0  u16  magic 0x4C46 ("LF")
 *    2  u8   version, 1
 *    3  u8   flags: 1 = at least one frame is DATA or DATAGRAM
 *    4  u32  length of the packet with this header, bytes
 *    8  u32  sequence: number of this packet in its direction, from 1, modulo 2^32
 *   12  u32  taken: packets with data that the sender has taken off the path, modulo 2^32
 *
 * Frame header, 24 bytes, then the body as messages.h describes it:
 *    0  u32  length of the frame with this header, bytes
 *    4  u8   code of the message
 *    5  u8   flags: 1 = MORE, 2 = URGENT (DATA only)
 *    6  u16  status: errno number of Linux (asm-generic) in answers, CONNECTED and RESET, else 0
 *    8  u32  request: repeated in the answer; 0 where none is expected
 *   12  u32  task that asks, 0 where none does
 *   16  u64  socket, 0 where none is meant: bit 63 and bits 0 to 47 its id, bits 48 to 62 its epoch
 */
#define LFP_MAGIC            0x4C46u
#define LFP_PROTOCOL_VERSION 1u
#define LFP_PACKET_HEADER    16u
#define LFP_PACKET_DATA      0x01u
#define LFP_FRAME_HEADER     24u
#define LFP_FRAME_MORE       0x01u
#define LFP_FRAME_URGENT     0x02u                   /* the payload is one byte of urgent data */
#define LFP_DATA_OVERHEAD    (LFP_FRAME_HEADER + 8u) /* header of a DATA frame before its payload */
#define LFP_MTU_MIN          1024u
#define LFP_MTU_MAX          65536u
#define LFP_PAYLOAD_MAX      262144u /* of DATA; over 64 KiB only by reference (transport/pipes.h) */
#define LFP_ADDR_SIZE        28u
#define LFP_STATUS_MAX       4095u

/* Socket ids: those of the z/VSE side have the top bit 0, those of lfpd (ACCEPTED) 1. */
#define LFP_ID_LFPD (UINT64_C(1) << 63)

/*
 * An epoch is one life of a connection on a socket. It begins at 0 and counts up, modulo
 * LFP_EPOCHS, on both sides. docs/protocol.md, "Epochs", says when.
 */
#define LFP_EPOCH_SHIFT 48
#define LFP_EPOCHS      0x8000u
#define LFP_ID_EPOCH    ((uint64_t)(LFP_EPOCHS - 1) << LFP_EPOCH_SHIFT)

/* Features, bits of HELLO and HELLO_REPLY. */
#define LFP_FEATURE_RESUME (UINT32_C(1) << 4) /* SUSPEND and its later messages */
#define LFP_FEATURE_EPOCH  (UINT32_C(1) << 5) /* epochs rise; without it all are 0 */
#define LFP_FEATURE_WHO    (UINT32_C(1) << 6) /* TASK_WHO and ASK_WHO */
#define LFP_FEATURE_USER   (UINT32_C(1) << 7) /* ASK_WHO may ask for the user alone */

/* Bits of ASK_WHO and TASK_WHO. */
#define LFP_WHO_PROGRAM 0x1u
#define LFP_WHO_GROUPS  0x2u

/* IBM's numbers on the wire */
#define LFP_AF_UNSPEC 0u
#define LFP_AF_INET   2u
#define LFP_AF_INET6  19u

/* A socket address. On the wire: family u16, port u16, flowinfo u32, address 16 (IPv4 in the first
 * 4, the rest 0), scope u32; in C all are in host order but for the address. */
struct lfp_addr {
	uint16_t family;
	uint16_t port;
	uint32_t flowinfo;
	uint8_t ip[16];
	uint32_t scope;
};

/* Points into the buffer that was decoded; not NUL-terminated. */
struct lfp_text {
	const uint8_t *ptr;
	uint16_t len;
};

struct lfp_bytes {
	const uint8_t *ptr;
	uint32_t len;
};

enum lfp_side {
	LFP_FROM_VSE = 1,
	LFP_FROM_LFPD = 2,
	LFP_FROM_BOTH = 3,
};

enum lfp_needs {
	LFP_NEEDS_NONE = 0,
	LFP_NEEDS_SOCKET = 1,
	LFP_NEEDS_REQUEST = 2,
	LFP_NEEDS_TASK = 4,
};

#define LFP_ENUM_(NAME, body, code, from, needs, text) LFP_##NAME = (code),
enum lfp_code { LFP_MESSAGES(LFP_ENUM_) };
#undef LFP_ENUM_

#define LFP_TYPE_u8(name)    uint8_t name
#define LFP_TYPE_u16(name)   uint16_t name
#define LFP_TYPE_u32(name)   uint32_t name
#define LFP_TYPE_u64(name)   uint64_t name
#define LFP_TYPE_i32(name)   int32_t name
#define LFP_TYPE_name8(name) char name[9]
#define LFP_TYPE_addr(name)  struct lfp_addr name
#define LFP_TYPE_text(name)  struct lfp_text name
#define LFP_TYPE_bytes(name) struct lfp_bytes name
/* `kind` of SOCKET, beside SOCK_STREAM and SOCK_DGRAM: a stream that a program may need soon. lfpd
 * refuses it with EBUSY, and reports nothing, if such sockets have a quarter of what the others
 * leave of a limit. */
#define LFP_KIND_SPARE 17u

#define LFP_MEMBER_(body, kind, name, min, max, text) LFP_TYPE_##kind(name);
#define LFP_STRUCT_(body)                                                                          \
	struct lfp_##body {                                                                        \
		LFP_FIELDS_##body(LFP_MEMBER_, body)                                               \
	};
LFP_BODIES(LFP_STRUCT_)
#undef LFP_STRUCT_
#undef LFP_MEMBER_

#define LFP_UNION_(body) struct lfp_##body body;
struct lfp_frame {
	uint8_t code; /* enum lfp_code */
	uint8_t flags;
	uint16_t status;
	uint32_t request;
	uint32_t task;
	uint64_t sock;  /* its id, without the epoch */
	uint16_t epoch; /* of the socket */
	union {
		LFP_BODIES(LFP_UNION_)
	};
};
#undef LFP_UNION_

struct lfp_packet {
	uint8_t flags;
	uint32_t length;
	uint32_t sequence;
	uint32_t taken;
};

/* The field of the frame header for a socket. */
static inline uint64_t lfp_sock_join(uint64_t id, uint16_t epoch)
{
	return id | (uint64_t)epoch << LFP_EPOCH_SHIFT;
}

static inline uint16_t lfp_epoch_next(uint16_t epoch)
{
	return (uint16_t)((epoch + 1u) & (LFP_EPOCHS - 1));
}

/* The epoch of a frame, compared with the socket's. Half of all epochs are earlier than any given
 * one, the other half later. */
enum lfp_age {
	LFP_LATE, /* of an earlier life */
	LFP_IN_TIME,
	LFP_FUTURE, /* of a life that has not begun */
};

static inline enum lfp_age lfp_epoch_age(uint16_t frame, uint16_t sock)
{
	unsigned int behind = ((unsigned int)sock - frame) & (LFP_EPOCHS - 1);

	if (!behind)
		return LFP_IN_TIME;
	return behind < LFP_EPOCHS / 2 ? LFP_LATE : LFP_FUTURE;
}

/* Returns true if a frame with this code counts against the message limit. */
static inline bool lfp_is_data(uint8_t code)
{
	return code == LFP_DATA || code == LFP_DATAGRAM;
}

/* Name of a message, "?" for an unknown code. */
const char *lfp_message_name(uint8_t code);

/* Bodies of the messages as data, for the trace and for documents. */
struct lfp_message_field {
	const char *kind;
	const char *name;
	const char *text;
	const char *bad; /* the decoder's words for a bad value */
	int64_t min;
	uint64_t max;
	size_t offset; /* in the C struct */
	uint8_t type;  /* internal to frame.c */
};

struct lfp_message {
	const char *name;
	uint8_t code;
	uint8_t from;  /* enum lfp_side */
	uint8_t needs; /* enum lfp_needs */
	const char *text;
	const struct lfp_message_field *fields;
	size_t nr_fields;
};

/* The messages by rising position in messages.h; NULL after the last. */
const struct lfp_message *lfp_message_at(size_t index);
const struct lfp_message *lfp_message_by_code(uint8_t code);

/**
 * lfp_packet_decode() - check the header of a packet
 * @buf:	the whole packet as the transport delivered it
 * @len:	its length, bytes
 * @out:	the header
 * @why:	set to a constant text if it is bad
 *
 * Return: 0 or -EPROTO.
 */
int lfp_packet_decode(const uint8_t *buf, size_t len, struct lfp_packet *out, const char **why);

/* Write a packet header (16 bytes) at @buf. */
void lfp_packet_encode(const struct lfp_packet *packet, uint8_t *buf);

/* The header of a frame (24 bytes at @buf), unchecked. Sets all fields of @out before the body and
 * leaves the body alone. Returns the length of the frame according to the header. */
uint32_t lfp_frame_head(const uint8_t *buf, struct lfp_frame *out);

/**
 * lfp_frame_decode() - take one frame off a packet and check every field of it
 * @buf:	first byte of the frame
 * @len:	bytes from there to the end of the packet
 * @from:	the side that sent it
 * @out:	the frame; text and bytes point into @buf
 * @why:	set to a constant text if it is bad
 *
 * Return: length of the frame in bytes, or -EPROTO.
 */
int lfp_frame_decode(const uint8_t *buf, size_t len, enum lfp_side from, struct lfp_frame *out,
		     const char **why);

/**
 * lfp_frame_encode() - write one frame
 * @frame:	its fields are checked as in the decoder
 * @buf:	where to
 * @room:	bytes there
 *
 * Return: length of the frame in bytes, -EMSGSIZE if there is no room, -EINVAL if a field is bad.
 */
int lfp_frame_encode(const struct lfp_frame *frame, uint8_t *buf, size_t room);

/* The header of a DATA frame (LFP_DATA_OVERHEAD bytes) before @len bytes of payload already at
 * @buf + LFP_DATA_OVERHEAD. @sock: with its epoch (lfp_sock_join()); @flags: LFP_FRAME_MORE,
 * LFP_FRAME_URGENT */
void lfp_data_header(uint8_t *buf, uint64_t sock, uint64_t position, size_t len, uint8_t flags);

/* One address on the wire (28 bytes). Decoding returns 0 or -EPROTO. */
void lfp_addr_put(const struct lfp_addr *addr, uint8_t *buf);
int lfp_addr_get(const uint8_t *buf, struct lfp_addr *addr);

#endif
