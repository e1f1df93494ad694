/* SPDX-License-Identifier: Apache-2.0 */
/* statements.c - the statements that START reads */
#include "ijblfp/base/statements.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "lfp/ctl.h"
#include "transport/transport.h"

#define LINE_MAX_LEN 255
#define LINES_MAX    10000
#define NR_FIELDS    (sizeof(fields) / sizeof(fields[0]))
#define KB           1024U
#define MB           (1024U * KB)

#define FIELD(key, kind, member, min, max, initial, mandatory, doc)                                \
	{                                                                                          \
		key, LFP_FIELD_##kind, offsetof(struct ijblfp_statements, member), min, max,       \
			initial, mandatory, doc, 0, NULL, NULL                                     \
	}

static const struct lfp_field fields[] = {
	FIELD("ID", NN, id, 0, 0, NULL, true, "system id of this instance"),
	FIELD("MTU", NUMBER, mtu, 1024, 65536, "8192", false, "largest packet, in bytes"),
	FIELD("IucvMsgLimit", NUMBER, iucv_msg_limit, 1, 65535, "1024", false,
	      "packets with data that lfpd has not yet taken"),
	FIELD("InitialBufferSpace", SIZE, initial_buffer_space, 4 * KB, 1024 * MB, "512K", false,
	      "buffers allocated at start"),
	FIELD("MaxBufferSpace", SIZE, max_buffer_space, 4 * KB, 1024 * MB, "4M", false,
	      "most that buffers may take"),
	FIELD("IucvSrcAppName", NAME, iucv_src_appname, 0, 0, NULL, true,
	      "IUCV application name of this instance"),
	FIELD("IucvDestAppName", NAME, iucv_dest_appname, 0, 0, NULL, true,
	      "IUCV application name of lfpd, its NAME"),
	FIELD("IucvDestVMId", VMID, iucv_dest_vmid, 0, 0, NULL, true,
	      "z/VM user id of the system where lfpd runs"),
	FIELD("WindowSize", NUMBER, window_size, 4096, 16 * MB, "65535", false,
	      "bytes of a socket on their way in one direction"),
	FIELD("WindowThreshold", NUMBER, window_threshold, 1, 100, "25", false,
	      "percent of the window consumed before the sender hears of it"),
	{"Transport", LFP_FIELD_CHOICE, offsetof(struct ijblfp_statements, transport), 0, 0, "unix",
	 false, "what carries the path", LFP_FIELD_OURS, "unix shm local hipersockets iucv", NULL},
	FIELD("HoldTime", NUMBER, hold_time, 0, 3600, "30", false,
	      "seconds that sockets are held while lfpd restarts, 0: they are reset"),
	{"NearNetwork", LFP_FIELD_CHOICE, offsetof(struct ijblfp_statements, near_network), 0, 0,
	 "private", false,
	 "network namespace of the sockets that programs get: an empty one, or the instance's own",
	 LFP_FIELD_OURS, "private host", NULL},
	FIELD("ShmRingSize", SIZE, shm_ring_size, 64 * KB, 16 * MB, "256K", false,
	      "with Transport = shm: bytes of the shared ring of each direction"),
	FIELD("ShmPoll", NUMBER, shm_poll, 0, 1000, "200", false,
	      "with Transport = shm: microseconds to look for packets before sleeping, at most"),
	FIELD("HsMTU", NUMBER, hs_mtu, 8192, 57344, "16384", false,
	      "with Transport = hipersockets: MTU of the device, in bytes"),
	FIELD("HsCQ", YESNO, hs_cq, 0, 0, "yes", false,
	      "with Transport = hipersockets: whether the device has a completion queue"),
	{"HsFaults", LFP_FIELD_CHOICE, offsetof(struct ijblfp_statements, hs_faults), 0, 0, "none",
	 false, "with Transport = hipersockets: what the emulated machine does wrong, for tests",
	 LFP_FIELD_OURS, "none hold late duplicate race busy code all", NULL},
	{"IucvHsuid", LFP_FIELD_VMID, offsetof(struct ijblfp_statements, iucv_hsuid), 0, 0, NULL,
	 false, "with Transport = iucv: hsuid of our HiperSockets device (not set: z/VM IUCV)",
	 LFP_FIELD_OURS, NULL, NULL},
};

struct reader {
	const char *name;
	struct lfp_reader_error *err;
	int lines[NR_FIELDS]; /* where a keyword was given; 0: it was not */
	bool ended;           /* slash and asterisk were read */
};

static int __attribute__((format(printf, 4, 5)))
fail(struct reader *rd, int line, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)lfp_reader_fail(rd->err, rd->name, line, key, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int take_statement(struct reader *rd, struct ijblfp_statements *st, int line, char *text)
{
	char *equals = strchr(text, '=');
	const struct lfp_field *field;
	char *key, *value;
	char reason[128];
	int *given;

	if (!equals)
		return fail(rd, line, "", "'=' is missing");
	*equals = '\0';
	key = lfp_reader_trim(text);
	value = lfp_reader_trim(equals + 1);
	if (!*key)
		return fail(rd, line, "", "there is no keyword before '='");
	field = lfp_fields_find(fields, NR_FIELDS, key);
	if (!field)
		return fail(rd, line, key, "is no keyword of START");
	given = &rd->lines[field - fields];
	if (*given)
		return fail(rd, line, field->key, "is already in line %d", *given);
	if (lfp_field_set(field, st, value, reason, sizeof(reason)) < 0)
		return fail(rd, line, field->key, "%s", reason);
	*given = line;
	return 0;
}

/* One line, without its end. @text may be changed. */
static int take_line(struct reader *rd, struct ijblfp_statements *st, int line, char *text,
		     size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return fail(rd, line, "", "control character 0x%02x in column %zu", c,
				    i + 1);
	}
	if (!strncmp(text, "/*", 2)) {
		rd->ended = true;
		return 0;
	}
	text = lfp_reader_trim(text);
	if (!*text || *text == '#' || *text == '*')
		return 0;
	return take_statement(rd, st, line, text);
}

/* Read one line. Returns its length without its end, -1 at the end of @in, -2 if it is too long. */
static int get_line(FILE *in, char text[static LINE_MAX_LEN + 2])
{
	int len = 0;
	int c;

	while ((c = getc(in)) != EOF && c != '\n') {
		if (len > LINE_MAX_LEN)
			return -2;
		/* A line may have one byte more: the CR of CR LF. */
		text[len++] = (char)c;
	}
	if (c == EOF && (!len || ferror(in)))
		return -1;
	if (len && c == '\n' && text[len - 1] == '\r')
		len--;
	if (len > LINE_MAX_LEN)
		return -2;
	text[len] = '\0';
	return len;
}

static int read_lines(struct reader *rd, struct ijblfp_statements *st, FILE *in)
{
	char text[LINE_MAX_LEN + 2];
	int line, len, rc;

	for (line = 1; !rd->ended; line++) {
		errno = 0;
		len = get_line(in, text);
		if (len == -1)
			break;
		if (len == -2)
			return fail(rd, line, "", "the line is longer than %d bytes", LINE_MAX_LEN);
		if (line > LINES_MAX)
			return fail(rd, line, "", "there are more than %d lines", LINES_MAX);
		rc = take_line(rd, st, line, text, (size_t)len);
		if (rc < 0)
			return rc;
	}
	if (ferror(in)) {
		rc = errno ? -errno : -EIO;
		fail(rd, 0, "", "cannot be read: %s", strerror(-rc));
		return rc;
	}
	return 0;
}

static int line_of(const struct reader *rd, const char *keyword)
{
	return rd->lines[lfp_fields_find(fields, NR_FIELDS, keyword) - fields];
}

/* Where MaxBufferSpace was given, or, if it is the default that is too small, @other. */
static int line_of_max(const struct reader *rd, const char *other)
{
	int line = line_of(rd, "MaxBufferSpace");

	return line ? line : line_of(rd, other);
}

/* What fits a device is its MTU less the headers of AF_IUCV. */
static int check_hs_mtu(struct reader *rd, const struct ijblfp_statements *st)
{
	uint32_t most = hs_packet_max(st->hs_mtu);

	if (!most)
		return fail(rd, line_of(rd, "HsMTU"), "HsMTU",
			    "%u is not 8192, 16384, 32768 or 57344", st->hs_mtu);
	if (st->mtu > most)
		return fail(rd, line_of(rd, "MTU"), "MTU",
			    "%u is more than the %u that HsMTU %u leaves", st->mtu, most,
			    st->hs_mtu);
	return 0;
}

static int check_whole(struct reader *rd, const struct ijblfp_statements *st)
{
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (fields[i].mandatory && !rd->lines[i])
			return fail(rd, 0, fields[i].key, "is mandatory and missing");
	}
	if (st->max_buffer_space < st->initial_buffer_space)
		return fail(rd, line_of_max(rd, "InitialBufferSpace"), "MaxBufferSpace",
			    "%u is less than InitialBufferSpace, %u", st->max_buffer_space,
			    st->initial_buffer_space);
	if (st->max_buffer_space < st->mtu)
		return fail(rd, line_of_max(rd, "MTU"), "MaxBufferSpace",
			    "%u has no space for a packet, of MTU %u", st->max_buffer_space,
			    st->mtu);
	if (transport_at(st->transport) == &transport_hipersockets)
		return check_hs_mtu(rd, st);
	return 0;
}

int ijblfp_statements_read(struct ijblfp_statements *st, FILE *in, const char *name,
			   struct lfp_reader_error *err)
{
	struct reader rd = {.name = name, .err = err};
	int rc;

	memset(err, 0, sizeof(*err));
	lfp_fields_init(fields, NR_FIELDS, st, sizeof(*st));
	rc = read_lines(&rd, st, in);
	/* A device has a limit of its own. */
	if (transport_at(st->transport) == &transport_hipersockets && !line_of(&rd, "IucvMsgLimit"))
		st->iucv_msg_limit = HS_MSGLIMIT;
	return rc < 0 ? rc : check_whole(&rd, st);
}

void ijblfp_statements_print(const struct ijblfp_statements *st, FILE *out)
{
	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (lfp_field_absent(&fields[i], st))
			continue;
		fprintf(out, "%s = ", fields[i].key);
		lfp_field_print(&fields[i], st, out);
		putc('\n', out);
	}
}
