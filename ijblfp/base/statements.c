/* SPDX-License-Identifier: Apache-2.0 */
/* statements.c - the statements that START reads */
#include "ijblfp/base/statements.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "lfp/ctl.h"
#include "lfp/log.h"
#include "transport/transport.h"

#define LINE_MAX_LEN 255
#define LINES_MAX    10000
#define FIELDS_MAX   48
#define NR(table)    (sizeof(table) / sizeof((table)[0]))
#define KB           1024U
#define MB           (1024U * KB)

#define FIELD(key, kind, member, min, max, initial, mandatory, doc)                                \
	{                                                                                          \
		key, LFP_FIELD_##kind, offsetof(struct ijblfp_statements, member), min, max,       \
			initial, mandatory, doc, 0, NULL, NULL                                     \
	}

static const struct lfp_field before_choice[] = {
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
	      "percentage of the window consumed before the sender is told"),
};

/* Printed between the choice of the transport and the transports' own keys. */
static const struct lfp_field after_choice[] = {
	FIELD("HoldTime", NUMBER, hold_time, 0, 3600, "30", false,
	      "seconds that sockets are held while lfpd restarts (0: they are reset)"),
	{"NearNetwork", LFP_FIELD_CHOICE, offsetof(struct ijblfp_statements, near_network), 0, 0,
	 "private", false,
	 "network namespace of the sockets that programs get: an empty one, or the instance's own",
	 LFP_FIELD_OURS, "private host", NULL},
	FIELD("NearCredit", NUMBER, near_credit, 0, LFP_CREDIT_MAX, "8", false,
	      "sockets of a process that it may make before it asks (0: none)"),
};

/* All statements, in the order in which they are printed. */
static const struct lfp_field *statement_fields(size_t *nr)
{
	static struct lfp_field fields[FIELDS_MAX];
	static size_t n;
	const size_t at = offsetof(struct ijblfp_statements, transport);

	if (!n) {
		memcpy(fields, before_choice, sizeof(before_choice));
		n = NR(before_choice);
		fields[n++] = transport_choice_field(TRANSPORT_VSE, at);
		memcpy(fields + n, after_choice, sizeof(after_choice));
		n += NR(after_choice);
		n += transport_fields(TRANSPORT_VSE, at, fields + n, FIELDS_MAX - n);
		assert(n <= FIELDS_MAX);
	}
	*nr = n;
	return fields;
}

struct reader {
	const char *name;
	struct lfp_reader_errors *errs;
	const struct lfp_field *fields;
	size_t nr;
	int lines[FIELDS_MAX]; /* line of the keyword; 0: not given */
	bool ended;            /* the line with slash and asterisk was read */
};

static int __attribute__((format(printf, 4, 5)))
fail(struct reader *rd, int line, const char *key, const char *fmt, ...)
{
	struct lfp_reader_error err;
	va_list ap;

	va_start(ap, fmt);
	(void)lfp_reader_fail(&err, rd->name, line, key, fmt, ap);
	va_end(ap);
	lfp_reader_errors_add(rd->errs, &err);
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
	field = lfp_fields_find(rd->fields, rd->nr, key);
	if (!field) {
		const char *meant = lfp_fields_nearest(rd->fields, rd->nr, key);

		return fail(rd, line, key, "is not a keyword of START%s%s%s",
			    meant ? " (perhaps " : "", meant ? meant : "", meant ? ")" : "");
	}
	given = &rd->lines[field - rd->fields];
	if (*given)
		return fail(rd, line, field->key, "is already in line %d", *given);
	if (lfp_field_set(field, st, value, reason, sizeof(reason)) < 0)
		return fail(rd, line, field->key, "%s", reason);
	*given = line;
	return 0;
}

/* Parses one line, without its end. Changes @text. */
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
	int line, len, rc = 0;

	/* A line too long is read no further: it is no file of statements. */
	for (line = 1; !rd->ended; line++) {
		errno = 0;
		len = get_line(in, text);
		if (len == -1)
			break;
		if (len == -2)
			return fail(rd, line, "", "the line is longer than %d bytes", LINE_MAX_LEN);
		if (line > LINES_MAX)
			return fail(rd, line, "", "there are more than %d lines", LINES_MAX);
		if (take_line(rd, st, line, text, (size_t)len))
			rc = -EINVAL;
	}
	if (ferror(in)) {
		rc = errno ? -errno : -EIO;
		fail(rd, 0, "", "cannot be read: %s", strerror(-rc));
		return rc;
	}
	return rc;
}

static int line_of(const struct reader *rd, const char *keyword)
{
	return rd->lines[lfp_fields_find(rd->fields, rd->nr, keyword) - rd->fields];
}

/* Returns the line of MaxBufferSpace, or @other if its default is the value that is too small. */
static int line_of_max(const struct reader *rd, const char *other)
{
	int line = line_of(rd, "MaxBufferSpace");

	return line ? line : line_of(rd, other);
}

static int check_transport(struct reader *rd, const struct ijblfp_statements *st)
{
	struct transport_fault fault;
	const char *key;

	if (!transport_settings_check(&st->transport, TRANSPORT_VSE, st->mtu, &fault))
		return 0;
	key = fault.key ? fault.key : "MTU";
	return fail(rd, line_of(rd, key), key, "%s", fault.text);
}

static int check_whole(struct reader *rd, const struct ijblfp_statements *st)
{
	for (size_t i = 0; i < rd->nr; i++) {
		if (rd->fields[i].mandatory && !rd->lines[i])
			return fail(rd, 0, rd->fields[i].key, "is mandatory and missing");
	}
	if (st->max_buffer_space < st->initial_buffer_space)
		return fail(rd, line_of_max(rd, "InitialBufferSpace"), "MaxBufferSpace",
			    "%u is less than InitialBufferSpace, %u", st->max_buffer_space,
			    st->initial_buffer_space);
	if (st->max_buffer_space < st->mtu)
		return fail(rd, line_of_max(rd, "MTU"), "MaxBufferSpace",
			    "%u is too small for a packet of MTU %u", st->max_buffer_space,
			    st->mtu);
	return check_transport(rd, st);
}

int ijblfp_statements_read_all(struct ijblfp_statements *st, FILE *in, const char *name,
			       struct lfp_reader_errors *errs)
{
	struct reader rd = {.name = name, .errs = errs};
	uint32_t msglimit;
	int rc;

	errs->nr = 0;
	rd.fields = statement_fields(&rd.nr);
	lfp_fields_init(rd.fields, rd.nr, st, sizeof(*st));
	rc = read_lines(&rd, st, in);
	msglimit = transport_chosen(&st->transport)->msglimit;
	if (msglimit && !line_of(&rd, "IucvMsgLimit"))
		st->iucv_msg_limit = msglimit;
	return rc < 0 ? rc : check_whole(&rd, st);
}

int ijblfp_statements_read(struct ijblfp_statements *st, FILE *in, const char *name,
			   struct lfp_reader_error *err)
{
	struct lfp_reader_errors errs;
	int rc = ijblfp_statements_read_all(st, in, name, &errs);

	memset(err, 0, sizeof(*err));
	if (rc)
		*err = errs.list[0];
	return rc;
}

void ijblfp_statements_report(const struct lfp_reader_errors *errs)
{
	for (size_t i = 0; i < lfp_reader_errors_listed(errs); i++)
		lfp_msg("VLFB003E", "Error in the statements: %s.", errs->list[i].text);
	if (errs->nr > LFP_READER_ERRORS)
		lfp_msg("VLFB003E", "Error in the statements: %u more are not shown.",
			errs->nr - LFP_READER_ERRORS);
}

void ijblfp_statements_print(const struct ijblfp_statements *st, FILE *out)
{
	const struct lfp_field *fields;
	size_t nr;

	fields = statement_fields(&nr);
	for (size_t i = 0; i < nr; i++) {
		if (lfp_field_absent(&fields[i], st))
			continue;
		fprintf(out, "%s = ", fields[i].key);
		lfp_field_print(&fields[i], st, out);
		putc('\n', out);
	}
}
