/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a trace of a path: which frames are wanted, and the ring file that keeps them */
#ifndef LFP_TRACE_H
#define LFP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lfp/frame.h"

#define LFP_TRACE_PAYLOAD_MAX 65536u
#define LFP_TRACE_PROGRAM     65u        /* bytes of a name, with the NUL */
#define LFP_TRACE_FRAME_MAX   (1u << 25) /* the largest window, and more than its head */

struct lfp_trace_filter {
	bool any_task, any_socket, any_kind;
	uint16_t task;                   /* the id that operators see, "2E" */
	uint32_t pid;                    /* 0: any */
	char program[LFP_TRACE_PROGRAM]; /* the name that operators see; "": any */
	uint64_t socket;
	uint8_t kinds[32]; /* a bit a code; bit 0: packets without a frame */
	uint32_t payload;  /* bytes of DATA and DATAGRAM that are kept of each frame */
};

/* Sets the filter to all frames, headers only. */
void lfp_trace_filter_init(struct lfp_trace_filter *filter);

/* Adds a condition: task=2E, pid=4711, program=curl, socket=17 or 0x8000000000000001,
 * kind=CONNECT,DATA, payload=100. A kind is the name of a message, and includes its answer.
 * "payload" is DATA and DATAGRAM, "control" all others, "empty" packets without a frame. Returns 0,
 * or -EINVAL with a half-sentence in @why.
 */
int lfp_trace_filter_set(struct lfp_trace_filter *filter, const char *key, const char *value,
			 char why[static 96]);

/* Conditions as text, such as "task=2E payload=0"; "" traces all frames, headers only. */
void lfp_trace_filter_print(const struct lfp_trace_filter *filter, FILE *out);

/* Returns true if only frames of some tasks are wanted. */
static inline bool lfp_trace_names_task(const struct lfp_trace_filter *filter)
{
	return !filter->any_task || filter->pid || *filter->program;
}

static inline bool lfp_trace_wants_kind(const struct lfp_trace_filter *filter, uint8_t code)
{
	return filter->any_kind || (filter->kinds[code / 8] >> (code % 8) & 1);
}

/* Bytes of a frame of this code before its payload: all of it, but for DATA and DATAGRAM. */
uint32_t lfp_trace_head(uint8_t code);

/* The ring file.
 *
 * All integers are big-endian. A head of LFP_TRACE_BLOCK bytes:
 *    0  "LFPTRACE"
 *    8  u32  version, 1
 *   12  u32  number of blocks
 *   16  u64  when it was begun, ns since 1970
 *   24  name of the instance, 8 bytes, filled up with NUL
 * Then blocks of LFP_TRACE_BLOCK bytes, each with a head of 32 bytes:
 *    0  u32  LFP_TRACE_MAGIC
 *    4  u32  bytes used, with this head
 *    8  u64  number of the block, from 1; 0 while it is begun. Block n is at n modulo the number
 *   16  u64  records lost before the end of this block, since the beginning
 *   24  u64  records before this block, since the beginning
 * and records, which do not cross blocks, each filled up to a multiple of 8 bytes:
 *    0  u32  length of the record before it is filled up
 *    4  u32  length of the whole frame; 0: a packet without frames
 *    8  u64  time, ns since 1970
 *   16  u8   1: lfpd has sent it, 0: lfpd has received it
 *   17  u8   1: a note, a frame that lfpd has made for the trace and not sent
 *   18  u8   1: DATA of a connection whose other end is a socket of this lfpd, too
 *   19  5 bytes 0
 *   24  header of the packet, 16 bytes
 *   40  the frame, or the first bytes of it
 */
#define LFP_TRACE_BLOCK       65536u
#define LFP_TRACE_BLOCK_HEAD  32u
#define LFP_TRACE_RECORD_HEAD 40u
#define LFP_TRACE_RECORD_MAX  (LFP_TRACE_BLOCK - LFP_TRACE_BLOCK_HEAD)
#define LFP_TRACE_BLOCKS_MIN  3u
#define LFP_TRACE_BLOCKS_MAX  16384u /* 1 GiB */
#define LFP_TRACE_MAGIC       0x4C465442u

static inline uint32_t lfp_trace_filled(uint32_t length)
{
	return (length + 7u) & ~7u;
}

struct lfp_trace_head {
	uint32_t blocks;
	uint64_t begun; /* ns */
	char instance[9];
};

struct lfp_trace_block {
	uint32_t used;
	uint64_t number;
	uint64_t lost;
	uint64_t before;
};

struct lfp_trace_record {
	uint64_t time; /* ns since 1970 */
	bool sent;
	bool note;           /* was not on the path */
	bool joined;         /* its connection is joined */
	uint32_t frame_len;  /* of the whole frame; 0: no frame */
	uint32_t kept;       /* bytes of it in @data, after the packet's header */
	const uint8_t *data; /* LFP_PACKET_HEADER + kept bytes */
};

/* Write a head of LFP_TRACE_BLOCK_HEAD bytes. */
void lfp_trace_head_encode(const struct lfp_trace_head *head, uint8_t *buf);
void lfp_trace_block_encode(const struct lfp_trace_block *block, uint8_t *buf);

/* Write the head of a record (24 bytes, the packet's header follows). */
void lfp_trace_record_encode(const struct lfp_trace_record *record, uint8_t *buf);

/* The counterparts. 0 or -EPROTO. lfp_trace_block_decode() gives -ENOENT for a block that is not
 * written yet. */
int lfp_trace_head_decode(const uint8_t *buf, size_t len, struct lfp_trace_head *head);
int lfp_trace_block_decode(const uint8_t *buf, struct lfp_trace_block *block);

/**
 * lfp_trace_record_decode() - take one record off a block
 * @buf:	where it begins
 * @len:	bytes from there to the end of what is used of the block
 *
 * Return: bytes to the next record, 0 at the end, or -EPROTO.
 */
int lfp_trace_record_decode(const uint8_t *buf, size_t len, struct lfp_trace_record *record);

#endif
