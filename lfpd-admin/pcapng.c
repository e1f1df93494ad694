/* SPDX-License-Identifier: Apache-2.0 */
/* pcapng.c - a trace as a capture file that Wireshark opens */
#include "lfpd-admin/pcapng.h"

#include <string.h>

#define SECTION    0x0a0d0d0au
#define INTERFACE  1u
#define STATISTICS 5u
#define PACKET     6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du
#define LINKTYPE_RAW     101u
#define LINKTYPE_USER0   147u
#define NS_DIGITS        9 /* if_tsresol: 10^-9 s */

/* Options, by their blocks. */
enum {
	END_OF_OPTIONS = 0,
	COMMENT = 1,
	SHB_USERAPPL = 4,
	IF_NAME = 2,
	IF_TSRESOL = 9,
	EPB_FLAGS = 2,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
};

#define INBOUND  1u
#define OUTBOUND 2u

static void put16(uint16_t value, FILE *out)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void put32(uint32_t value, FILE *out)
{
	fwrite(&value, sizeof(value), 1, out);
}

static uint32_t filled(size_t len)
{
	return ((uint32_t)len + 3u) & ~3u;
}

static void put_filled(const void *bytes, size_t len, FILE *out)
{
	static const char zeros[4];

	if (len)
		fwrite(bytes, 1, len, out);
	fwrite(zeros, 1, filled(len) - len, out);
}

static void put_option(uint16_t code, const void *value, size_t len, FILE *out)
{
	put16(code, out);
	put16((uint16_t)len, out);
	put_filled(value, len, out);
}

static uint32_t option_size(size_t len)
{
	return 4 + filled(len);
}

/* A time of 64 bits, the higher half first. */
static void put_time(uint64_t time, FILE *out)
{
	put32((uint32_t)(time >> 32), out);
	put32((uint32_t)time, out);
}

void pcapng_begin(const char *instance, bool ip, FILE *out)
{
	static const char program[] = "lfpd-admin " VSELFPD_VERSION;
	const uint8_t resolution = NS_DIGITS;
	char name[32];
	uint32_t length;

	length = 28 + option_size(sizeof(program) - 1) + 4;
	put32(SECTION, out);
	put32(length, out);
	put32(BYTE_ORDER_MAGIC, out);
	put16(1, out);
	put16(0, out);
	put32(UINT32_MAX, out); /* length of the section: not given */
	put32(UINT32_MAX, out);
	put_option(SHB_USERAPPL, program, sizeof(program) - 1, out);
	put_option(END_OF_OPTIONS, NULL, 0, out);
	put32(length, out);

	snprintf(name, sizeof(name), "lfpd %s", instance);
	length = 20 + option_size(strlen(name)) + option_size(1) + 4;
	put32(INTERFACE, out);
	put32(length, out);
	put16(ip ? LINKTYPE_RAW : LINKTYPE_USER0, out);
	put16(0, out);
	put32(0, out); /* no limit of captured bytes */
	put_option(IF_NAME, name, strlen(name), out);
	put_option(IF_TSRESOL, &resolution, 1, out);
	put_option(END_OF_OPTIONS, NULL, 0, out);
	put32(length, out);
}

void pcapng_record(const struct lfp_trace_record *record, FILE *out)
{
	uint32_t captured = LFP_PACKET_HEADER + record->kept;
	uint32_t flags = record->sent ? OUTBOUND : INBOUND;
	uint32_t length = 32 + filled(captured) + option_size(4) + 4;

	put32(PACKET, out);
	put32(length, out);
	put32(0, out); /* the interface */
	put_time(record->time, out);
	put32(captured, out);
	put32(LFP_PACKET_HEADER + record->frame_len, out);
	put_filled(record->data, captured, out);
	put_option(EPB_FLAGS, &flags, sizeof(flags), out);
	put_option(END_OF_OPTIONS, NULL, 0, out);
	put32(length, out);
}

void pcapng_packet(uint64_t time, const uint8_t *head, uint32_t head_len, const uint8_t *payload,
		   uint32_t kept, uint32_t len, bool inbound, const char *comment, FILE *out)
{
	uint32_t flags = inbound ? INBOUND : OUTBOUND;
	uint32_t length = 32 + filled(head_len + kept) + option_size(4) + 4;

	if (comment)
		length += option_size(strlen(comment));
	put32(PACKET, out);
	put32(length, out);
	put32(0, out); /* the interface */
	put_time(time, out);
	put32(head_len + kept, out);
	put32(head_len + len, out);
	fwrite(head, 1, head_len, out);
	if (kept)
		fwrite(payload, 1, kept, out);
	fwrite("\0\0\0", 1, filled(head_len + kept) - (head_len + kept), out);
	if (comment)
		put_option(COMMENT, comment, strlen(comment), out);
	put_option(EPB_FLAGS, &flags, sizeof(flags), out);
	put_option(END_OF_OPTIONS, NULL, 0, out);
	put32(length, out);
}

void pcapng_end(uint64_t records, uint64_t lost, FILE *out)
{
	uint32_t length = 24 + 2 * option_size(8) + 4;
	uint64_t all = records + lost;

	put32(STATISTICS, out);
	put32(length, out);
	put32(0, out);
	put_time(0, out);
	put_option(ISB_IFRECV, &all, sizeof(all), out);
	put_option(ISB_IFDROP, &lost, sizeof(lost), out);
	put_option(END_OF_OPTIONS, NULL, 0, out);
	put32(length, out);
}
