/* SPDX-License-Identifier: Apache-2.0 */
/* server-host.c - the name of the server in the first request of an HTTP/1 client */
#include <string.h>
#include <strings.h>

#include "lfpd/policy/server-name.h"

/* RFC 9110 and RFC 9112. What they let a server repair or guess is refused here, as another server
 * may guess in another way. */
#define METHOD_MOST 20u

static enum server_name_state none(struct server_name *out, const char *why)
{
	out->why = why;
	return SERVER_NAME_NONE;
}

struct text {
	const char *at;
	size_t len;
};

static bool is_token(struct text text)
{
	static const char most[] = "!#$%&'*+-.^_`|~0123456789"
				   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < text.len; i++)
		if (!text.at[i] || !strchr(most, text.at[i]))
			return false;
	return text.len;
}

/* Takes the text before @end, and @end itself. Returns false if there is none. */
static bool take_until(struct text *from, char end, struct text *part)
{
	const char *found = from->len ? memchr(from->at, end, from->len) : NULL;

	if (!found)
		return false;
	*part = (struct text){from->at, (size_t)(found - from->at)};
	from->at += part->len + 1;
	from->len -= part->len + 1;
	return true;
}

static bool is_digits(struct text text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
	return text.len <= 5;
}

/* Reads "NAME" or "NAME:PORT". */
static bool read_authority(struct text text, char name[static RULES_NAME_MAX])
{
	struct text host = text, port = text;

	if (take_until(&port, ':', &host) && !is_digits(port))
		return false;
	return rules_name(name, host.at, host.len);
}

/* Reads the target of a request. Sets @name to the server that it names, "" if it names none. */
static bool read_target(struct text target, char name[static RULES_NAME_MAX])
{
	struct text scheme, authority;

	*name = '\0';
	for (size_t i = 0; i < target.len; i++)
		if (target.at[i] <= ' ' || target.at[i] == 0x7f)
			return false;
	if (target.len && (*target.at == '/' || (target.len == 1 && *target.at == '*')))
		return true;
	if (!take_until(&target, ':', &scheme) || target.len < 2 || memcmp(target.at, "//", 2) != 0)
		return false;
	authority = (struct text){target.at + 2, target.len - 2};
	for (size_t i = 0; i < authority.len; i++)
		if (strchr("/?#", authority.at[i])) {
			authority.len = i;
			break;
		}
	return is_token(scheme) && read_authority(authority, name);
}

/* Checks the part of the first line that has come: other protocols need not wait for its end. */
static bool may_be_request(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len && bytes[i] != ' '; i++)
		if (bytes[i] < 'A' || bytes[i] > 'Z' || i == METHOD_MOST)
			return false;
	return !len || bytes[0] != ' ';
}

static bool read_request(struct text line, char name[static RULES_NAME_MAX])
{
	struct text method, target;

	return take_until(&line, ' ', &method) && take_until(&line, ' ', &target) &&
	       /* A tunnel leads elsewhere. */
	       !(method.len == 7 && !memcmp(method.at, "CONNECT", 7)) &&
	       read_target(target, name) && line.len == 8 && !memcmp(line.at, "HTTP/1.", 7) &&
	       (line.at[7] == '0' || line.at[7] == '1');
}

static void trim(struct text *text)
{
	while (text->len && (*text->at == ' ' || *text->at == '\t')) {
		text->at++;
		text->len--;
	}
	while (text->len && (text->at[text->len - 1] == ' ' || text->at[text->len - 1] == '\t'))
		text->len--;
}

/* Reads a header. Returns false if it is not valid, or a second or wrong Host. */
static bool read_header(struct text line, struct server_name *out)
{
	struct text name;

	if (!take_until(&line, ':', &name) || !is_token(name))
		return false;
	if (name.len != 4 || strncasecmp(name.at, "Host", 4) != 0)
		return true;
	trim(&line);
	return !*out->name && read_authority(line, out->name);
}

/* Takes a line and its end, which is CR LF alone. Returns false if it has not come yet. Sets
 * @is_wrong if another character stands for an end, or is a NUL. */
static bool take_line(struct text *from, struct text *line, bool *is_wrong)
{
	if (!take_until(from, '\n', line))
		return false;
	*is_wrong = !line->len || line->at[line->len - 1] != '\r';
	if (*is_wrong)
		return true;
	line->len--;
	*is_wrong = memchr(line->at, '\r', line->len) || memchr(line->at, '\0', line->len);
	return true;
}

enum server_name_state server_name_http(const uint8_t *bytes, size_t len, struct server_name *out)
{
	struct text rest = {(const char *)bytes, len}, line;
	char target[RULES_NAME_MAX];
	bool is_wrong;

	*out = (struct server_name){.is_encrypted = false};
	if (!may_be_request(bytes, len))
		return none(out, "bytes that are not HTTP/1");
	if (!take_line(&rest, &line, &is_wrong))
		return SERVER_NAME_MORE;
	if (is_wrong || !read_request(line, target))
		return none(out, "a request that is not valid");
	while (take_line(&rest, &line, &is_wrong)) {
		if (is_wrong)
			return none(out, "a header that is not valid");
		if (!line.len) {
			if (!*out->name)
				return none(out, "a request without the header Host");
			if (*target && strcmp(target, out->name) != 0)
				return none(out, "a request whose target is another host");
			return SERVER_NAME_FOUND;
		}
		if (!read_header(line, out))
			return none(out, "a header that is not valid");
	}
	return SERVER_NAME_MORE;
}
