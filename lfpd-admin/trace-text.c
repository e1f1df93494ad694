/* SPDX-License-Identifier: Apache-2.0 */
/* trace-text.c - records of a trace as lines for people */
#include "lfpd-admin/trace.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

/*
 * Theory of operation
 *
 * A frame may be cut or wrong. So this file prints the fields one by one, in the order of
 * lfp/messages.h, as far as there are bytes. The decoder would refuse such a frame as a whole.
 */

struct rest {
	const uint8_t *at;
	size_t len;
};

static uint64_t take_number(struct rest *rest, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | rest->at[i];
	rest->at += size;
	rest->len -= size;
	return value;
}

static void put_bytes(const uint8_t *bytes, size_t len, FILE *out)
{
	bool printable = true;

	for (size_t i = 0; i < len; i++)
		printable &= bytes[i] >= ' ' && bytes[i] <= '~';
	if (printable) {
		fprintf(out, "\"%.*s\"", (int)len, (const char *)bytes);
		return;
	}
	for (size_t i = 0; i < len; i++)
		fprintf(out, "%02x", bytes[i]);
}

static void put_addr(const uint8_t *wire, FILE *out)
{
	struct lfp_addr addr;
	char text[INET6_ADDRSTRLEN];

	if (lfp_addr_get(wire, &addr))
		fputs("bad", out);
	else if (addr.family == LFP_AF_UNSPEC)
		fputs("none", out);
	else if (addr.family == LFP_AF_INET)
		fprintf(out, "%s:%u", inet_ntop(AF_INET, addr.ip, text, sizeof(text)), addr.port);
	else
		fprintf(out, "[%s]:%u", inet_ntop(AF_INET6, addr.ip, text, sizeof(text)),
			addr.port);
}

static size_t fixed_size(const char *kind)
{
	static const struct {
		const char *kind;
		size_t size;
	} sizes[] = {{"u8", 1},
		     {"u16", 2},
		     {"u32", 4},
		     {"u64", 8},
		     {"i32", 4},
		     {"name8", 8},
		     {"addr", LFP_ADDR_SIZE},
		     {"text", 2}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (!strcmp(sizes[i].kind, kind))
			return sizes[i].size;
	return 0;
}

/* Prints a field. Returns false at the end of the bytes. */
static bool put_field(const struct lfp_message_field *field, struct rest *rest, FILE *out)
{
	size_t size = fixed_size(field->kind);
	uint64_t value;

	if (!strcmp(field->kind, "bytes"))
		return false;
	if (rest->len < size)
		return false;
	fprintf(out, " %s=", field->name);
	if (!strcmp(field->kind, "name8") || !strcmp(field->kind, "addr")) {
		if (*field->kind == 'a')
			put_addr(rest->at, out);
		else
			put_bytes(rest->at, size, out);
		rest->at += size;
		rest->len -= size;
		return true;
	}
	value = take_number(rest, size);
	if (!strcmp(field->kind, "i32")) {
		fprintf(out, "%" PRId32, (int32_t)(uint32_t)value);
	} else if (!strcmp(field->kind, "text")) {
		size_t len = value < rest->len ? (size_t)value : rest->len;

		put_bytes(rest->at, len, out);
		rest->at += len;
		rest->len -= len;
		return len == value;
	} else if (!strcmp(field->name, "id")) {
		fprintf(out, "%02" PRIX64, value); /* of a task, as in tables */
	} else {
		fprintf(out, "%" PRIu64, value);
	}
	return true;
}

static void put_dump(const struct rest *rest, FILE *out)
{
	for (size_t at = 0; at < rest->len; at += 16) {
		size_t nr = rest->len - at < 16 ? rest->len - at : 16;

		fprintf(out, "    %04zx ", at);
		for (size_t i = 0; i < 16; i++)
			fprintf(out, i < nr ? " %02x" : "   ", i < nr ? rest->at[at + i] : 0u);
		fputs("  ", out);
		for (size_t i = 0; i < nr; i++) {
			uint8_t c = rest->at[at + i];

			putc(c >= ' ' && c <= '~' ? c : '.', out);
		}
		putc('\n', out);
	}
}

static void put_frame(const struct lfp_trace_record *record, FILE *out)
{
	struct rest rest = {record->data + LFP_PACKET_HEADER, record->kept};
	const struct lfp_message *message;
	uint8_t code, flags;
	uint32_t request, task;
	uint64_t sock;
	uint16_t status;

	(void)take_number(&rest, 4);
	code = (uint8_t)take_number(&rest, 1);
	flags = (uint8_t)take_number(&rest, 1);
	status = (uint16_t)take_number(&rest, 2);
	request = (uint32_t)take_number(&rest, 4);
	task = (uint32_t)take_number(&rest, 4);
	sock = take_number(&rest, 8);
	message = lfp_message_by_code(code);
	if (message)
		fprintf(out, " %s", message->name);
	else
		fprintf(out, " unknown message 0x%02x", code);
	if (flags)
		fprintf(out, "%s%s", flags & LFP_FRAME_MORE ? " MORE" : "",
			flags & LFP_FRAME_URGENT ? " URGENT" : "");
	if (record->joined)
		fputs(" joined", out);
	if (status)
		fprintf(out, " status=%u", status);
	if (request)
		fprintf(out, " request=%" PRIu32, request);
	if (task)
		fprintf(out, " task-number=%" PRIu32, task);
	if (sock)
		fprintf(out, " socket=0x%" PRIx64, sock & ~LFP_ID_EPOCH);
	if (sock & LFP_ID_EPOCH)
		fprintf(out, " epoch=%" PRIu64, (sock & LFP_ID_EPOCH) >> LFP_EPOCH_SHIFT);
	for (size_t i = 0; message && i < message->nr_fields; i++)
		if (!put_field(&message->fields[i], &rest, out))
			break;
	fprintf(out, " (%" PRIu32 " bytes%s)\n", record->frame_len,
		record->kept < record->frame_len ? ", cut" : "");
	put_dump(&rest, out);
}

void trace_text(const struct lfp_trace_record *record, FILE *out)
{
	time_t seconds = (time_t)(record->time / 1000000000u);
	struct rest header = {record->data + 8, 8};
	char text[32] = "?";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	fprintf(out, "%s.%09uZ %s #%u", text, (unsigned int)(record->time % 1000000000u),
		record->note   ? "lfpd notes"
		: record->sent ? "lfpd>z/VSE"
			       : "z/VSE>lfpd",
		(unsigned int)take_number(&header, 4));
	if (!record->frame_len)
		fprintf(out, " no frame, taken=%u\n", (unsigned int)take_number(&header, 4));
	else if (record->kept < LFP_FRAME_HEADER)
		fputs(" less than a frame\n", out);
	else
		put_frame(record, out);
}
