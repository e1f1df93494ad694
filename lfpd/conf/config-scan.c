/* SPDX-License-Identifier: Apache-2.0 */
/* config-scan.c - takes the values out of a configuration file, with their lines */
#include "lfpd/conf/config-inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX 65536

static int fail_errno(struct config_reader *rd, int error, const char *what)
{
	config_fail(rd, 0, "", "%s: %s", what, strerror(error));
	return -error;
}

/* A value in quotes keeps what is between them; others may hold neither quotes nor a comment's
 * start. */
static int unquote(struct config_reader *rd, int line, const char *key, char **value)
{
	char *text = *value;
	size_t len = strlen(text);
	char quote = *text;
	char *bad;

	if (quote == '"' || quote == '\'') {
		if (len < 2 || text[len - 1] != quote)
			return config_fail(rd, line, key, "the value must end with its quote");
		text[len - 1] = '\0';
		*value = ++text;
		if (strpbrk(text, "\"'"))
			return config_fail(rd, line, key, "a value in quotes may not hold quotes");
		return 0;
	}
	bad = strpbrk(text, "#;\"'");
	if (bad && (*bad == '#' || *bad == ';'))
		return config_fail(
			rd, line, key,
			"a value with '%c' needs quotes; a comment needs a line of its own", *bad);
	if (bad)
		return config_fail(rd, line, key, "a quote may only enclose the whole value");
	return 0;
}

static int scan_assignment(struct config_reader *rd, int line, char *text)
{
	char *equals = strchr(text, '=');
	const struct lfp_field *field;
	struct scanned *seen;
	char *key, *value;
	int rc;

	if (!equals)
		return config_fail(rd, line, "", "'=' is missing");
	*equals = '\0';
	key = lfp_reader_trim(text);
	value = lfp_reader_trim(equals + 1);
	if (!*key)
		return config_fail(rd, line, "", "there is no key before '='");
	field = lfp_fields_find(rd->fields, rd->nr, key);
	if (!field) {
		const char *meant = lfp_fields_nearest(rd->fields, rd->nr, key);

		return config_fail(rd, line, key, "is not a key of this file%s%s%s",
				   meant ? " (perhaps " : "", meant ? meant : "", meant ? ")" : "");
	}
	seen = &rd->seen[field - rd->fields];
	if (seen->line)
		return config_fail(rd, line, field->key, "is already in line %d", seen->line);
	rc = unquote(rd, line, field->key, &value);
	if (rc < 0)
		return rc;
	if (!*value)
		return config_fail(rd, line, field->key, "has no value");
	seen->line = line;
	strcpy(seen->value, value);
	return 0;
}

/* One line, without its end. @text may be changed. */
static int scan_line(struct config_reader *rd, int line, char *text, size_t len)
{
	if (len > LINE_MAX_LEN)
		return config_fail(rd, line, "", "the line is longer than %d bytes", LINE_MAX_LEN);
	if (line == 1 && len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return config_fail(rd, line, "", "the file starts with a byte-order mark");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return config_fail(rd, line, "", "control character 0x%02x in column %zu",
					   c, i + 1);
	}
	text = lfp_reader_trim(text);
	len = strlen(text);
	/* In a comment too: iniparser would take the next line for a part of it. */
	if (len && text[len - 1] == '\\')
		return config_fail(rd, line, "",
				   "a backslash ends the line, but no line can be continued");
	if (!len || *text == '#')
		return 0;
	if (*text == ';')
		return config_fail(rd, line, "", "a comment starts with '#', not with ';'");
	if (*text == '[')
		return config_fail(rd, line, "", "there are no sections in this file");
	return scan_assignment(rd, line, text);
}

/* The file as text with a NUL at its end; the caller frees it. */
static int load_file(struct config_reader *rd, char **text, size_t *len)
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
		rc = config_fail(rd, 0, "", "is not a regular file");
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
		rc = config_fail(rd, 0, "", "is larger than %d bytes", FILE_MAX);
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

int config_scan(struct config_reader *rd)
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
