/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - a trace of a path: which frames are wanted, and the ring file that keeps them */
#include "lfp/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lfp/bigend.h"

#define EMPTY 0 /* the bit of packets without a frame; no message has this code */

void lfp_trace_filter_init(struct lfp_trace_filter *filter)
{
	memset(filter, 0, sizeof(*filter));
	filter->any_task = filter->any_socket = filter->any_kind = true;
}

static void want(struct lfp_trace_filter *filter, uint8_t code)
{
	filter->kinds[code / 8] |= (uint8_t)(1u << code % 8);
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncasecmp(text, word, len);
}

/* A message, a request with its answer, or a group of them; false if there is no such kind. */
static bool want_kind(struct lfp_trace_filter *filter, const char *text, size_t len)
{
	bool data = is_word(text, len, "payload"), control = is_word(text, len, "control");
	const struct lfp_message *message;
	bool found = data || control;

	if (is_word(text, len, "empty")) {
		want(filter, EMPTY);
		return true;
	}
	for (size_t i = 0; (message = lfp_message_at(i)); i++) {
		bool named = is_word(text, len, message->name);

		if (named && !(message->code & 0x80) && lfp_message_by_code(message->code | 0x80))
			want(filter, message->code | 0x80);
		if (named || (lfp_is_data(message->code) ? data : control))
			want(filter, message->code);
		found |= named;
	}
	return found;
}

static int set_kinds(struct lfp_trace_filter *filter, const char *value, char why[static 96])
{
	for (const char *at = value;; at++) {
		size_t len = strcspn(at, ",");

		if (!want_kind(filter, at, len)) {
			snprintf(why, 96, "unknown message %.*s", (int)(len < 40 ? len : 40), at);
			return -EINVAL;
		}
		at += len;
		if (!*at)
			break;
	}
	filter->any_kind = false;
	return 0;
}

/* Digits of @base only, as strtoull() alone would not have it. */
static int parse(const char *text, int base, uint64_t max, uint64_t *value)
{
	const char *digits = base == 16 ? "0123456789ABCDEFabcdef" : "0123456789";

	if (!*text || strlen(text) != strspn(text, digits))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, NULL, base);
	return errno || *value > max ? -EINVAL : 0;
}

int lfp_trace_filter_set(struct lfp_trace_filter *filter, const char *key, const char *value,
			 char why[static 96])
{
	uint64_t number;

	if (!strcmp(key, "kind"))
		return set_kinds(filter, value, why);
	if (!strcmp(key, "task")) {
		snprintf(why, 96, "a task is one to four hexadecimal digits");
		if (parse(value, 16, UINT16_MAX, &number))
			return -EINVAL;
		filter->task = (uint16_t)number;
		filter->any_task = false;
		return 0;
	}
	if (!strcmp(key, "pid")) {
		snprintf(why, 96, "a pid is a number from 1 to %" PRIu32, UINT32_MAX);
		if (parse(value, 10, UINT32_MAX, &number) || !number)
			return -EINVAL;
		filter->pid = (uint32_t)number;
		return 0;
	}
	if (!strcmp(key, "program")) {
		size_t len = strlen(value);

		/* A blank ends a condition. */
		if (!len || len >= sizeof(filter->program) || strchr(value, ' ')) {
			snprintf(why, 96, "a program is 1 to %u characters without a blank",
				 LFP_TRACE_PROGRAM - 1);
			return -EINVAL;
		}
		strcpy(filter->program, value);
		return 0;
	}
	if (!strcmp(key, "socket")) {
		bool hex = !strncmp(value, "0x", 2);

		snprintf(why, 96, "a socket is a number from 1, or 0x and hexadecimal digits");
		if (parse(value + (hex ? 2 : 0), hex ? 16 : 10, UINT64_MAX, &number) || !number)
			return -EINVAL;
		filter->socket = number;
		filter->any_socket = false;
		return 0;
	}
	if (!strcmp(key, "payload")) {
		snprintf(why, 96, "payload is a number of bytes from 0 to %u",
			 LFP_TRACE_PAYLOAD_MAX);
		if (parse(value, 10, LFP_TRACE_PAYLOAD_MAX, &number))
			return -EINVAL;
		filter->payload = (uint32_t)number;
		return 0;
	}
	snprintf(why, 96, "unknown condition %.40s", key);
	return -EINVAL;
}

void lfp_trace_filter_print(const struct lfp_trace_filter *filter, FILE *out)
{
	const char *between = "";

	if (!filter->any_task) {
		fprintf(out, "task=%02" PRIX16, filter->task);
		between = " ";
	}
	if (filter->pid) {
		fprintf(out, "%spid=%" PRIu32, between, filter->pid);
		between = " ";
	}
	if (*filter->program) {
		fprintf(out, "%sprogram=%s", between, filter->program);
		between = " ";
	}
	if (!filter->any_socket) {
		fprintf(out, "%ssocket=0x%" PRIx64, between, filter->socket);
		between = " ";
	}
	if (!filter->any_kind) {
		const struct lfp_message *message;
		const char *comma = "";

		fprintf(out, "%skind=", between);
		if (lfp_trace_wants_kind(filter, EMPTY)) {
			fputs("empty", out);
			comma = ",";
		}
		for (size_t i = 0; (message = lfp_message_at(i)); i++) {
			if (!lfp_trace_wants_kind(filter, message->code))
				continue;
			fprintf(out, "%s%s", comma, message->name);
			comma = ",";
		}
		between = " ";
	}
	if (filter->payload)
		fprintf(out, "%spayload=%" PRIu32, between, filter->payload);
}

uint32_t lfp_trace_head(uint8_t code)
{
	switch (code) {
	case LFP_DATA:
		return LFP_DATA_OVERHEAD;
	case LFP_DATAGRAM:
		/* position, total, offset, addr, has, ttl, tos, ifindex, local, spec, drops,
		 * segment */
		return LFP_FRAME_HEADER + 8 + 4 + 4 + LFP_ADDR_SIZE + 2 + 1 + 1 + 4 +
		       LFP_ADDR_SIZE + 4 + 4 + 2;
	default:
		return LFP_TRACE_RECORD_MAX;
	}
}

static const char signature[8] = {'L', 'F', 'P', 'T', 'R', 'A', 'C', 'E'};

#define VERSION 1u

void lfp_trace_head_encode(const struct lfp_trace_head *head, uint8_t *buf)
{
	memcpy(buf, signature, sizeof(signature));
	be32_put(buf + 8, VERSION);
	be32_put(buf + 12, head->blocks);
	be64_put(buf + 16, head->begun);
	memset(buf + 24, 0, 8);
	memcpy(buf + 24, head->instance, strnlen(head->instance, 8));
}

int lfp_trace_head_decode(const uint8_t *buf, size_t len, struct lfp_trace_head *head)
{
	if (len < LFP_TRACE_BLOCK_HEAD || memcmp(buf, signature, sizeof(signature)) != 0 ||
	    be32_get(buf + 8) != VERSION)
		return -EPROTO;
	head->blocks = be32_get(buf + 12);
	head->begun = be64_get(buf + 16);
	memcpy(head->instance, buf + 24, 8);
	head->instance[8] = '\0';
	for (const char *p = head->instance; *p; p++)
		if (*p <= ' ' || *p > '~')
			return -EPROTO;
	if (head->blocks < LFP_TRACE_BLOCKS_MIN || head->blocks > LFP_TRACE_BLOCKS_MAX)
		return -EPROTO;
	return 0;
}

void lfp_trace_block_encode(const struct lfp_trace_block *block, uint8_t *buf)
{
	be32_put(buf, LFP_TRACE_MAGIC);
	be32_put(buf + 4, block->used);
	be64_put(buf + 8, block->number);
	be64_put(buf + 16, block->lost);
	be64_put(buf + 24, block->before);
}

int lfp_trace_block_decode(const uint8_t *buf, struct lfp_trace_block *block)
{
	uint32_t magic = be32_get(buf);

	block->used = be32_get(buf + 4);
	block->number = be64_get(buf + 8);
	block->lost = be64_get(buf + 16);
	block->before = be64_get(buf + 24);
	if (!block->number)
		return -ENOENT;
	if (magic != LFP_TRACE_MAGIC || block->used < LFP_TRACE_BLOCK_HEAD ||
	    block->used > LFP_TRACE_BLOCK)
		return -EPROTO;
	return 0;
}

void lfp_trace_record_encode(const struct lfp_trace_record *record, uint8_t *buf)
{
	be32_put(buf, LFP_TRACE_RECORD_HEAD + record->kept);
	be32_put(buf + 4, record->frame_len);
	be64_put(buf + 8, record->time);
	memset(buf + 16, 0, 8);
	buf[16] = record->sent;
	buf[17] = record->note;
	buf[18] = record->joined;
}

int lfp_trace_record_decode(const uint8_t *buf, size_t len, struct lfp_trace_record *record)
{
	uint32_t length;

	if (!len)
		return 0;
	if (len < LFP_TRACE_RECORD_HEAD)
		return -EPROTO;
	length = be32_get(buf);
	if (length < LFP_TRACE_RECORD_HEAD || length > LFP_TRACE_RECORD_MAX ||
	    lfp_trace_filled(length) > len || buf[16] > 1 || buf[17] > 1)
		return -EPROTO;
	record->frame_len = be32_get(buf + 4);
	record->time = be64_get(buf + 8);
	record->sent = buf[16];
	record->note = buf[17];
	record->joined = buf[18] == 1;
	record->kept = length - LFP_TRACE_RECORD_HEAD;
	record->data = buf + 24;
	if (record->kept > record->frame_len || record->frame_len > LFP_TRACE_FRAME_MAX)
		return -EPROTO;
	return (int)lfp_trace_filled(length);
}
