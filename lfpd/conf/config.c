/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - the configuration file of an lfpd instance */

/*
 * Theory of operation
 *
 * scan_file() takes the values out of the file. iniparser's result is only compared with them. Its
 * dictionary has no line numbers, which messages need, and it is a lenient reader: of a key given
 * twice the last one wins, a '#' or ';' inside a value cuts it, a backslash at the end of a line
 * joins the next one (and the last line vanishes), a section hides the keys after it, a byte-order
 * mark becomes part of the first key. The scan refuses any line that iniparser would change. The
 * comparison ensures that: an accepted file means the same to each program that reads it by
 * iniparser. All syntax errors and wrong values are told; checks of the whole follow only if there
 * are none. The table (config-table.c) has the permitted values.
 */
#include "lfpd/conf/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iniparser.h>

#include "lfp/codepage.h"
#include "lfp/share.h"
#include "lfp/window.h"
#include "transport/transport.h"

#define FILE_MAX     65536
#define LINE_MAX_LEN 1000 /* iniparser's own limit is 1022 */

/* The scan's findings about one key. */
struct scanned {
	int line; /* 0: not in the file */
	char value[LINE_MAX_LEN + 1];
};

struct reader {
	const char *path;
	struct lfp_reader_errors *errs;
	const struct lfp_field *fields;
	size_t nr;
	struct scanned seen[LFPD_KEYS_MAX];
};

static int __attribute__((format(printf, 4, 5)))
fail(struct reader *rd, int line, const char *key, const char *fmt, ...)
{
	struct lfp_reader_error err;
	va_list ap;

	va_start(ap, fmt);
	(void)lfp_reader_fail(&err, rd->path, line, key, fmt, ap);
	va_end(ap);
	lfp_reader_errors_add(rd->errs, &err);
	return -EINVAL;
}

static int fail_errno(struct reader *rd, int error, const char *what)
{
	fail(rd, 0, "", "%s: %s", what, strerror(error));
	return -error;
}

/* A value in quotes keeps what is between them; others may hold neither quotes nor a comment's
 * start. */
static int unquote(struct reader *rd, int line, const char *key, char **value)
{
	char *text = *value;
	size_t len = strlen(text);
	char quote = *text;
	char *bad;

	if (quote == '"' || quote == '\'') {
		if (len < 2 || text[len - 1] != quote)
			return fail(rd, line, key, "the value must end with its quote");
		text[len - 1] = '\0';
		*value = ++text;
		if (strpbrk(text, "\"'"))
			return fail(rd, line, key, "a value in quotes may not hold quotes");
		return 0;
	}
	bad = strpbrk(text, "#;\"'");
	if (bad && (*bad == '#' || *bad == ';'))
		return fail(rd, line, key,
			    "a value with '%c' needs quotes; a comment needs a line of its own",
			    *bad);
	if (bad)
		return fail(rd, line, key, "a quote may only enclose the whole value");
	return 0;
}

static int scan_assignment(struct reader *rd, int line, char *text)
{
	char *equals = strchr(text, '=');
	const struct lfp_field *field;
	struct scanned *seen;
	char *key, *value;
	int rc;

	if (!equals)
		return fail(rd, line, "", "'=' is missing");
	*equals = '\0';
	key = lfp_reader_trim(text);
	value = lfp_reader_trim(equals + 1);
	if (!*key)
		return fail(rd, line, "", "there is no key before '='");
	field = lfp_fields_find(rd->fields, rd->nr, key);
	if (!field) {
		const char *meant = lfp_fields_nearest(rd->fields, rd->nr, key);

		return fail(rd, line, key, "is not a key of this file%s%s%s",
			    meant ? " (perhaps " : "", meant ? meant : "", meant ? ")" : "");
	}
	seen = &rd->seen[field - rd->fields];
	if (seen->line)
		return fail(rd, line, field->key, "is already in line %d", seen->line);
	rc = unquote(rd, line, field->key, &value);
	if (rc < 0)
		return rc;
	if (!*value)
		return fail(rd, line, field->key, "has no value");
	seen->line = line;
	strcpy(seen->value, value);
	return 0;
}

/* One line, without its end. @text may be changed. */
static int scan_line(struct reader *rd, int line, char *text, size_t len)
{
	if (len > LINE_MAX_LEN)
		return fail(rd, line, "", "the line is longer than %d bytes", LINE_MAX_LEN);
	if (line == 1 && len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return fail(rd, line, "", "the file starts with a byte-order mark");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return fail(rd, line, "", "control character 0x%02x in column %zu", c,
				    i + 1);
	}
	text = lfp_reader_trim(text);
	len = strlen(text);
	/* In a comment too: iniparser would take the next line for a part of it. */
	if (len && text[len - 1] == '\\')
		return fail(rd, line, "",
			    "a backslash ends the line, but no line can be continued");
	if (!len || *text == '#')
		return 0;
	if (*text == ';')
		return fail(rd, line, "", "a comment starts with '#', not with ';'");
	if (*text == '[')
		return fail(rd, line, "", "there are no sections in this file");
	return scan_assignment(rd, line, text);
}

/* The file as text with a NUL at its end; the caller frees it. */
static int load_file(struct reader *rd, char **text, size_t *len)
{
	struct stat st;
	ssize_t rc = 0;
	char *buf;
	int fd;

	/* O_NONBLOCK: a FIFO must not make us wait before we refuse it. */
	fd = open(rd->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fail_errno(rd, errno, "cannot be opened");
	buf = malloc(FILE_MAX + 2);
	if (!buf) {
		rc = fail_errno(rd, ENOMEM, "cannot be read");
		goto out_close;
	}
	if (fstat(fd, &st) < 0) {
		rc = fail_errno(rd, errno, "cannot be read");
		goto out_free;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = fail(rd, 0, "", "is not a regular file");
		goto out_free;
	}
	*len = 0;
	do {
		rc = read(fd, buf + *len, FILE_MAX + 1 - *len);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0) {
			rc = fail_errno(rd, errno, "cannot be read");
			goto out_free;
		}
		*len += (size_t)rc;
	} while (rc && *len <= FILE_MAX);
	if (*len > FILE_MAX) {
		rc = fail(rd, 0, "", "is larger than %d bytes", FILE_MAX);
		goto out_free;
	}
	buf[*len] = '\0';
	*text = buf;
	close(fd);
	return 0;

out_free:
	free(buf);
out_close:
	close(fd);
	return (int)rc;
}

static int scan_file(struct reader *rd)
{
	char *text = NULL;
	char *end, *p;
	size_t len = 0;
	int line = 0;
	int rc;

	rc = load_file(rd, &text, &len);
	if (rc < 0)
		return rc;
	for (p = text; p < text + len; p = end + 1) {
		size_t line_len;

		end = memchr(p, '\n', (size_t)(text + len - p));
		if (!end)
			end = text + len;
		line_len = (size_t)(end - p);
		/* Lines may end with CR LF. */
		if (line_len && end < text + len && end[-1] == '\r')
			line_len--;
		p[line_len] = '\0';
		if (scan_line(rd, ++line, p, line_len))
			rc = -EINVAL;
	}
	free(text);
	return rc;
}

static int ignore_error(const char *fmt, ...)
{
	(void)fmt;
	return 0;
}

static int take_value(struct reader *rd, struct lfpd_config *config, size_t i)
{
	char reason[128];

	if (!lfp_field_set(&rd->fields[i], config, rd->seen[i].value, reason, sizeof(reason)))
		return 0;
	return fail(rd, rd->seen[i].line, rd->fields[i].key, "%s", reason);
}

/* Whether iniparser finds the value of the scan. */
static bool is_same(const struct reader *rd, const dictionary *dict, size_t i)
{
	const struct scanned *seen = &rd->seen[i];
	const char *value;
	char name[64];

	/* A key outside of sections is ":key" in its dictionary. */
	snprintf(name, sizeof(name), ":%s", rd->fields[i].key);
	value = iniparser_getstring(dict, name, NULL);
	return value && seen->line ? !strcmp(value, seen->value) : !value && !seen->line;
}

static int compare_values(struct reader *rd)
{
	dictionary *dict;
	int rc = 0;

	iniparser_set_error_callback(ignore_error);
	dict = iniparser_load(rd->path);
	iniparser_set_error_callback(NULL);
	if (!dict)
		return fail(rd, 0, "", "iniparser cannot read the file");
	for (size_t i = 0; !rc && i < rd->nr; i++) {
		if (!is_same(rd, dict, i))
			rc = fail(rd, rd->seen[i].line, rd->fields[i].key,
				  "the file has changed while it was read");
	}
	iniparser_freedict(dict);
	return rc;
}

static int take_values(struct reader *rd, struct lfpd_config *config)
{
	int rc = 0;

	for (size_t i = 0; i < rd->nr; i++) {
		if (rd->seen[i].line && take_value(rd, config, i))
			rc = -EINVAL;
	}
	return rc;
}

static int line_of(const struct reader *rd, const char *key)
{
	return rd->seen[lfp_fields_find(rd->fields, rd->nr, key) - rd->fields].line;
}

static int check_transport(struct reader *rd, const struct lfpd_config *config)
{
	struct transport_fault fault;
	const char *key;

	if (!transport_settings_check(&config->transport, TRANSPORT_LFPD, config->mtu_size, &fault))
		return 0;
	key = fault.key ? fault.key : "MTU_SIZE";
	return fail(rd, line_of(rd, key), key, "%s", fault.text);
}

/* Refuses a user's limit above the instance's limit, which could have no effect. */
static int check_share(struct reader *rd, const char *key, unsigned int most, const char *whole_key,
		       unsigned int whole)
{
	if (most <= whole)
		return 0;
	return fail(rd, line_of(rd, key), key, "%u is more than %s, which is %u", most, whole_key,
		    whole);
}

static int check_shares(struct reader *rd, const struct lfpd_config *config)
{
	int rc = check_share(rd, "MAX_SOCKETS_USER", config->max_sockets_user, "MAX_SOCKETS",
			     config->max_sockets);

	if (rc)
		return rc;
	return check_share(rd, "MAX_TASKS_USER", config->max_tasks_user, "MAX_VSE_TASKS",
			   config->max_vse_tasks);
}

/* A code page from the file was looked for when it was read. */
static int check_codepage(struct reader *rd, const struct lfpd_config *config)
{
	struct lfp_codepage *codepage = lfp_codepage_open(config->vse_codepage);

	if (!codepage)
		return fail(rd, 0, "VSE_CODEPAGE",
			    "iconv does not know %s, the default; install more code pages of "
			    "the C library, or choose another one",
			    config->vse_codepage);
	lfp_codepage_close(codepage);
	return 0;
}

static int check_whole(struct reader *rd, const struct lfpd_config *config)
{
	for (size_t i = 0; i < rd->nr; i++) {
		if (rd->fields[i].mandatory && lfp_field_absent(&rd->fields[i], config))
			return fail(rd, 0, rd->fields[i].key, "is mandatory and missing");
	}
	if (config->restrict_to_hostid && !config->has_vse_hostid)
		return fail(rd, 0, "VSE_HOSTID", "is mandatory with RESTRICT_TO_HOSTID");
	if (*config->host_interface && config->allow_loopback)
		return fail(rd, line_of(rd, "ALLOW_LOOPBACK"), "ALLOW_LOOPBACK",
			    "sockets confined to HOST_INTERFACE cannot reach loopback addresses");
	if (check_codepage(rd, config) || check_transport(rd, config))
		return -EINVAL;
	return check_shares(rd, config);
}

static int check_name(struct reader *rd, const struct lfpd_config *config, const char *name)
{
	int line = rd->seen[0].line; /* IUCV_SRC_APPNAME is the first key of the table */
	const char *base;
	char expected[32];

	if (name) {
		if (*name && strcmp(name, config->iucv_src_appname))
			return fail(rd, line, "IUCV_SRC_APPNAME",
				    "%s does not match the instance %s", config->iucv_src_appname,
				    name);
		return 0;
	}
	base = strrchr(rd->path, '/');
	base = base ? base + 1 : rd->path;
	snprintf(expected, sizeof(expected), "lfpd-%s.conf", config->iucv_src_appname);
	if (strcmp(base, expected))
		return fail(rd, line, "IUCV_SRC_APPNAME", "%s needs the file name %s",
			    config->iucv_src_appname, expected);
	return 0;
}

static int read_config(struct reader *rd, struct lfpd_config *config, const char *name)
{
	int rc = scan_file(rd), values;
	uint32_t msglimit;

	if (rc < 0 && rc != -EINVAL)
		return rc;
	values = take_values(rd, config);
	if (rc || values)
		return -EINVAL;
	rc = compare_values(rd);
	if (rc)
		return rc;
	msglimit = transport_chosen(&config->transport)->msglimit;
	if (msglimit && !line_of(rd, "IUCV_MSGLIMIT"))
		config->iucv_msglimit = msglimit;
	config->has_vse_hostid = config->vse_hostid.s_addr != INADDR_ANY;
	rc = check_whole(rd, config);
	return rc ? rc : check_name(rd, config, name);
}

int lfpd_config_read_all(struct lfpd_config *config, const char *path, const char *name,
			 struct lfp_reader_errors *errs)
{
	struct reader *rd = calloc(1, sizeof(*rd));
	const struct lfp_field *fields;
	size_t nr;
	int rc;

	errs->nr = 0;
	fields = lfpd_config_fields(&nr);
	lfp_fields_init(fields, nr, config, sizeof(*config));
	if (!rd) {
		errs->nr = 1;
		memset(&errs->list[0], 0, sizeof(errs->list[0]));
		snprintf(errs->list[0].text, sizeof(errs->list[0].text),
			 "%.255s: no memory to read it", path);
		return -ENOMEM;
	}
	rd->path = path;
	rd->errs = errs;
	rd->fields = fields;
	rd->nr = nr;
	rc = read_config(rd, config, name);
	free(rd);
	return rc;
}

int lfpd_config_read(struct lfpd_config *config, const char *path, const char *name,
		     struct lfp_reader_error *err)
{
	struct lfp_reader_errors errs;
	int rc = lfpd_config_read_all(config, path, name, &errs);

	memset(err, 0, sizeof(*err));
	if (rc)
		*err = errs.list[0];
	return rc;
}

void lfpd_config_print(const struct lfpd_config *config, FILE *out)
{
	const struct lfp_field *fields;
	size_t nr;

	fields = lfpd_config_fields(&nr);
	for (size_t i = 0; i < nr; i++) {
		bool quoted = fields[i].kind == LFP_FIELD_NAME || fields[i].kind == LFP_FIELD_VMID;

		if (lfp_field_absent(&fields[i], config)) {
			fprintf(out, "# %s is not set\n", fields[i].key);
			continue;
		}
		/* A name may hold '#', which starts a comment outside of quotes. */
		quoted = quoted && strchr((const char *)config + fields[i].offset, '#');
		fprintf(out, "%s = %s", fields[i].key, quoted ? "\"" : "");
		lfp_field_print(&fields[i], config, out);
		fputs(quoted ? "\"\n" : "\n", out);
	}
	fprintf(out, "# in force: a window of %u bytes, with a threshold of %u\n",
		lfpd_window_bytes(config), lfpd_window_threshold_bytes(config));
	fprintf(out, "# in force: each user except root has at most %u sockets and %u tasks\n",
		lfpd_sockets_user(config), lfpd_tasks_user(config));
}

unsigned int lfpd_window_bytes(const struct lfpd_config *config)
{
	return lfp_window_round(config->window_size);
}

unsigned int lfpd_window_threshold_bytes(const struct lfpd_config *config)
{
	return lfp_window_threshold(lfpd_window_bytes(config), config->window_threshold);
}

const char *lfpd_config_hosted(const struct lfpd_config *config)
{
	const struct transport *transport = transport_chosen(&config->transport);

	return transport->hosted ? transport->hosted(&config->transport) : NULL;
}

unsigned int lfpd_sockets_user(const struct lfpd_config *config)
{
	return config->max_sockets_user ? config->max_sockets_user
					: lfp_share_of(config->max_sockets);
}

unsigned int lfpd_tasks_user(const struct lfpd_config *config)
{
	return config->max_tasks_user ? config->max_tasks_user
				      : lfp_share_of(config->max_vse_tasks);
}
