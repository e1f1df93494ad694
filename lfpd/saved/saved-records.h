/* SPDX-License-Identifier: Apache-2.0 */
/* saved-records.h - what a suspended lfpd leaves for its successor: the layout */
#ifndef LFPD_SAVED_SAVED_RECORDS_H
#define LFPD_SAVED_SAVED_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lfp/datagram.h"
#include "lfp/frame.h"

/*
 * Theory of operation
 *
 * Saved state is a head of 16 bytes (SAVED_MAGIC, version u32, four zero bytes) and records up to
 * and with `end`; nothing follows. A record is its kind u16, two zero bytes, its length with these
 * 8 bytes u32, and its fields in the order below. All integers are big-endian. Only SAVED_VERSION
 * is read. A change to a line below must increase it. Sessions saved in another version are reset,
 * as if nothing had been saved.
 *
 * Order: session; tasks; sockets, each followed by what belongs to it (bytes; frames and one
 * arriving and one leaving of a datagram socket); frames with the questions of name resolution;
 * end. The reader checks that, every field, and what ties fields together: the bytes of a
 * stream are exactly those that were received and not consumed.
 *
 * The host's socket of a record is the one with this SO_COOKIE, which the kernel gives to no other
 * socket until the host is started again: in whatever order descriptors come, and whatever else is
 * among them, none is taken for another.
 *
 *   F(R, kind, name, min, max)
 *
 *   u8 u16 u32 u64 i32  min..max (both included) is checked
 *   name8               as in lfp/messages.h
 *   addr                28 bytes, struct lfp_addr
 *   meta                74 bytes, struct lfp_meta, as in DATAGRAM
 *   bytes               the rest of the record, min..max bytes
 */
#define SAVED_MAGIC   "lfpdsave"
#define SAVED_VERSION 7u
#define SAVED_HEAD    16u

#define SAVED_RECORDS(R)                                                                           \
	R(session, 1)                                                                              \
	R(task, 2) R(socket, 3) R(bytes, 4) R(frame, 5) R(arriving, 6) R(leaving, 7) R(end, 8)

/* The largest socket id of one side, without the bit that names the side. */
#define SAVED_ID_MAX ((INT64_C(1) << LFP_EPOCH_SHIFT) - 1)

#define SAVED_FIELDS_session(F, R)                                                                 \
	F(R, u64, id, 0, UINT64_MAX) /* 0: there was none, only orphans */                         \
	F(R, name8, vmid, 0, 0)                                                                    \
	F(R, name8, appname, 0, 0)                                                                 \
	F(R, u32, mtu, LFP_MTU_MIN, LFP_MTU_MAX)                                                   \
	F(R, u32, msglimit, 1, 65535)                                                              \
	F(R, u32, window, 4096, 16777216) /* of the z/VSE side */                                  \
	F(R, u16, threshold, 1, 100)      /* of the z/VSE side, percent */                         \
	F(R, u64, last_id, 0, SAVED_ID_MAX)                                                        \
	F(R, u64, next_accept, 1, SAVED_ID_MAX)

#define SAVED_FIELDS_task(F, R)                                                                    \
	F(R, u32, number, 1, UINT32_MAX) /* on the path */                                         \
	F(R, u16, id, 0, UINT16_MAX)                                                               \
	F(R, name8, partition, 0, 0)                                                               \
	F(R, u32, pid, 0, UINT32_MAX)                                                              \
	F(R, u32, uid, 0, UINT32_MAX)                                                              \
	F(R, bytes, program, 0, 64)

#define SAVED_FIELDS_socket(F, R)                                                                  \
	F(R, u64, id, 1, UINT64_MAX)                                                               \
	F(R, u64, cookie, 1, UINT64_MAX)                                                           \
	F(R, u16, epoch, 0, LFP_EPOCHS - 1)                                                        \
	F(R, u8, state, SAVED_NEW, SAVED_DEAD)                                                     \
	F(R, u16, family, LFP_AF_INET, LFP_AF_INET6)                                               \
	F(R, u32, task, 0, UINT32_MAX)  /* 0: of none, or of one that has ended */                 \
	F(R, u32, uid, 0, UINT32_MAX)   /* that it counts for; its task may have ended */          \
	F(R, u32, maker, 0, UINT32_MAX) /* the user that has made it, for the rules */             \
	F(R, u64, rules, 0, UINT64_MAX) /* rules_digest(); 0: none, mostly */                      \
	F(R, u32, limit, 0, UINT32_MAX) /* the line whose limit it has; 0: it has none */          \
	F(R, u32, flags, 0, SAVED_FLAGS)                                                           \
	F(R, u8, local, 0, 3)    /* enum policy_local */                                           \
	F(R, addr, hostid, 0, 0) /* the policy it was made under; family 0: none */                \
	F(R, addr, hostid6, 0, 0)                                                                  \
	F(R, i32, linger_on, 0, 1)                                                                 \
	F(R, i32, linger, INT32_MIN, INT32_MAX)                                                    \
	F(R, i32, sndbuf, 0, INT32_MAX)                                                            \
	F(R, i32, rcvbuf, 0, INT32_MAX)                                                            \
	F(R, addr, published, 0, 0) /* address that the program has bound; family 0: the host's */ \
	F(R, addr, peer, 0, 0)      /* of the connect that is under way, or behind an upstream */  \
	F(R, u64, in_received, 0, UINT64_MAX)                                                      \
	F(R, u64, in_consumed, 0, UINT64_MAX)                                                      \
	F(R, u64, in_reported, 0, UINT64_MAX)                                                      \
	F(R, u32, in_window, 4096, 16777216)                                                       \
	F(R, u32, in_threshold, 1, 16777216) /* bytes */                                           \
	F(R, u64, out_sent, 0, UINT64_MAX)                                                         \
	F(R, u64, out_consumed, 0, UINT64_MAX)                                                     \
	F(R, u64, joined_out, 0, UINT64_MAX) /* bytes of the connection that have left TCP out */  \
	F(R, u64, joined_in, 0, UINT64_MAX)                                                        \
	F(R, u64, urgent_at, 0, UINT64_MAX)                                                        \
	F(R, u32, credit, 0, 65536)                                                                \
	F(R, u32, accepts, 0, 1 << 24)      /* asked for by ACCEPT and not yet made */             \
	F(R, u16, error, 0, LFP_STATUS_MAX) /* stream: why sending has failed; datagrams: SENT */  \
	F(R, bytes, upstream, 0, 31)        /* name of what carries the connection; empty: none */

#define SAVED_FIELDS_bytes(F, R) F(R, bytes, payload, 1, 65536)

/* A frame as it would be on the path. */
#define SAVED_FIELDS_frame(F, R)                                                                   \
	F(R, u8, role, SAVED_DATAGRAM, SAVED_QUESTION)                                             \
	F(R, bytes, frame, LFP_FRAME_HEADER, 131072)

/* The beginning of a datagram whose other parts are still to come. */
#define SAVED_FIELDS_arriving(F, R)                                                                \
	F(R, meta, meta, 0, 0)                                                                     \
	F(R, u64, position, 0, UINT64_MAX)                                                         \
	F(R, u32, total, 1, 65535)                                                                 \
	F(R, u32, got, 0, 65534)                                                                   \
	F(R, u8, kept, 0, 1) /* 0: there was no memory for it */                                   \
	F(R, bytes, payload, 0, 65534)

/* A datagram of which parts have left. */
#define SAVED_FIELDS_leaving(F, R)                                                                 \
	F(R, meta, meta, 0, 0)                                                                     \
	F(R, u64, position, 0, UINT64_MAX)                                                         \
	F(R, u32, sent, 0, 65535)                                                                  \
	F(R, u8, begun, 0, 1)                                                                      \
	F(R, bytes, payload, 0, 65535)

#define SAVED_FIELDS_end(F, R) F(R, u64, records, 2, UINT64_MAX) /* with this one */

/* Values of `state` of a socket. Not enum socket_state, whose numbers may change. */
enum saved_state {
	SAVED_NEW = 1,
	SAVED_CONNECTING,
	SAVED_ESTABLISHED,
	SAVED_LISTENING,
	SAVED_UDP, /* sockets of datagrams are always this */
	SAVED_LOST,
	SAVED_ORPHAN,
	SAVED_DEAD,
};

enum saved_flag {
	SAVED_BOUND = 0x0001,
	SAVED_ABORT = 0x0002,  /* SO_LINGER {1, 0} */
	SAVED_MORE = 0x0004,   /* the last DATA's write goes on */
	SAVED_URGENT = 0x0008, /* the byte at urgent_at, which is among those saved */
	SAVED_END_QUEUED = 0x0010,
	SAVED_END_SENT = 0x0020,
	SAVED_READ_SHUT = 0x0040,
	SAVED_EOF = 0x0080,
	SAVED_LISTENED = 0x0100,
	SAVED_CONNECTED = 0x0200,  /* datagrams */
	SAVED_RESTRICTED = 0x0400, /* the policy it was made under */
	SAVED_LOOPBACK = 0x0800,
	SAVED_ACCEPTED = 0x1000, /* a connection of a listener */
	SAVED_GATED = 0x2000,    /* nothing goes out before the server's name */
	SAVED_BY_HTTP = 0x4000,  /* with SAVED_GATED: HTTP brings it, else TLS */
	SAVED_JOINED = 0x8000,   /* the connection was joined (lfpd/sock/joined.h) */
	SAVED_FLAGS = 0xffff,
};

enum saved_role {
	SAVED_DATAGRAM =
		1,      /* DATAGRAM of z/VSE that the host has not taken; of the socket before */
	SAVED_ERROR,    /* ERRQUEUE_REPLY, an entry of the socket's error queue */
	SAVED_QUESTION, /* a request for a name whose answer is owed */
};

#define SAVED_TYPE_u8(name)                         uint8_t name
#define SAVED_TYPE_u16(name)                        uint16_t name
#define SAVED_TYPE_u32(name)                        uint32_t name
#define SAVED_TYPE_u64(name)                        uint64_t name
#define SAVED_TYPE_i32(name)                        int32_t name
#define SAVED_TYPE_name8(name)                      char name[9]
#define SAVED_TYPE_addr(name)                       struct lfp_addr name
#define SAVED_TYPE_meta(name)                       struct lfp_meta name
#define SAVED_TYPE_bytes(name)                      struct lfp_bytes name
#define SAVED_MEMBER_(record, kind, name, min, max) SAVED_TYPE_##kind(name);

#define SAVED_STRUCT_(record, number)                                                              \
	struct saved_##record {                                                                    \
		SAVED_FIELDS_##record(SAVED_MEMBER_, record)                                       \
	};
SAVED_RECORDS(SAVED_STRUCT_)
#undef SAVED_STRUCT_
#undef SAVED_MEMBER_

#define SAVED_ENUM_(record, number) SAVED_RECORD_##record = (number),
enum saved_kind { SAVED_RECORDS(SAVED_ENUM_) };
#undef SAVED_ENUM_

#define SAVED_UNION_(record, number) struct saved_##record record;
struct saved_record {
	enum saved_kind kind;
	union {
		SAVED_RECORDS(SAVED_UNION_)
	};
};
#undef SAVED_UNION_

/* A reader's position, and the socket whose records it reads. */
struct saved_reader {
	const uint8_t *at;
	size_t left;
	uint64_t records;
	enum saved_kind last; /* 0 before the first */
	bool in_sockets, in_questions;
	struct saved_socket sock;
	uint64_t owed; /* bytes of the stream that are still to come */
	bool arriving, leaving;
};

#endif
