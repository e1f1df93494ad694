/* SPDX-License-Identifier: Apache-2.0 */
/* http.c - requests for metrics: as much of HTTP/1.1 as scrapers need, and no more */
#include "lfpd/watch/http.h"

#include <string.h>
#include <strings.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A part of the text, not NUL-terminated. */
struct part {
	const char *at;
	size_t len;
};

static bool is(struct part part, const char *word)
{
	return part.len == strlen(word) && !memcmp(part.at, word, part.len);
}

static bool is_in_any_case(struct part part, const char *word)
{
	return part.len == strlen(word) && !strncasecmp(part.at, word, part.len);
}

/* Takes the text before @c, and @c, off the front; all of it if there is no @c. */
static struct part take_until(struct part *rest, char c)
{
	const char *end = rest->len ? memchr(rest->at, c, rest->len) : NULL;
	struct part taken = {rest->at, end ? (size_t)(end - rest->at) : rest->len};
	size_t gone = taken.len + (end ? 1 : 0);

	rest->at += gone;
	rest->len -= gone;
	return taken;
}

static struct part trim(struct part part)
{
	while (part.len && (*part.at == ' ' || *part.at == '\t'))
		part.at++, part.len--;
	while (part.len && (part.at[part.len - 1] == ' ' || part.at[part.len - 1] == '\t'))
		part.len--;
	return part;
}

bool http_complete(const char *text, size_t len)
{
	return memmem(text, len, "\r\n\r\n", 4);
}

/* A line without its CRLF; false without one, or if it has a character that no line may have.
 */
static bool take_line(struct part *rest, struct part *line)
{
	const char *end = memmem(rest->at, rest->len, "\r\n", 2);

	if (!end)
		return false;
	*line = (struct part){rest->at, (size_t)(end - rest->at)};
	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->at[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	rest->at = end + 2;
	rest->len -= line->len + 2;
	return true;
}

static bool is_token(struct part part)
{
	static const char letters[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (size_t i = 0; i < part.len; i++)
		if (!part.at[i] || !strchr(letters, part.at[i]))
			return false;
	return part.len;
}

/* A weight in thousandths: "0.75"; -1 if it is none. */
static int parse_weight(struct part text)
{
	int value, scale = 100;

	if (!text.len || (*text.at != '0' && *text.at != '1'))
		return -1;
	value = (*text.at - '0') * 1000;
	if (text.len > 1 && (text.at[1] != '.' || text.len > 5))
		return -1;
	for (size_t i = 2; i < text.len; i++, scale /= 10) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return -1;
		value += (text.at[i] - '0') * scale;
	}
	return value <= 1000 ? value : -1;
}

struct weights {
	int openmetrics, text; /* in thousandths */
};

/* One element: "TYPE; version=1.0.0; q=0.5". Unknown elements are skipped. */
static void weigh(struct part element, struct weights *weights)
{
	struct part type = trim(take_until(&element, ';'));
	bool right_version = true;
	int weight = 1000;

	while (element.len) {
		struct part value = trim(take_until(&element, ';'));
		struct part name = trim(take_until(&value, '='));

		value = trim(value);
		if (is_in_any_case(name, "q"))
			weight = parse_weight(value);
		else if (is_in_any_case(name, "version"))
			right_version = is(value, "1.0.0") || is(value, "\"1.0.0\"");
	}
	if (weight < 0)
		return;
	if (is_in_any_case(type, "application/openmetrics-text")) {
		if (right_version && weight > weights->openmetrics)
			weights->openmetrics = weight;
	} else if (is_in_any_case(type, "text/plain") || is_in_any_case(type, "text/*") ||
		   is(type, "*/*")) {
		if (weight > weights->text)
			weights->text = weight;
	}
}

static int parse_first_line(struct part line, struct http_request *request, bool *is_11)
{
	struct part method = take_until(&line, ' '), target = take_until(&line, ' ');
	struct part path = take_until(&target, '?');

	if (!is_token(method) || !path.len)
		return 400;
	*is_11 = is(line, "HTTP/1.1");
	if (!*is_11 && !is(line, "HTTP/1.0"))
		return line.len > 5 && !memcmp(line.at, "HTTP/", 5) ? 505 : 400;
	request->head = is(method, "HEAD");
	if (!request->head && !is(method, "GET"))
		return 405;
	if (*path.at != '/' || path.len >= sizeof(request->path))
		return 404;
	memcpy(request->path, path.at, path.len);
	request->path[path.len] = '\0';
	return 200;
}

struct fields {
	unsigned int hosts;
	bool has_body;
	struct weights weights;
};

static bool take_field(struct part line, struct fields *fields)
{
	const char *colon = memchr(line.at, ':', line.len);
	struct part name = take_until(&line, ':'), value = trim(line);

	if (!colon || !is_token(name))
		return false;
	if (is_in_any_case(name, "Host"))
		fields->hosts++;
	else if (is_in_any_case(name, "Transfer-Encoding") ||
		 (is_in_any_case(name, "Content-Length") && !is(value, "0")))
		fields->has_body = true;
	else if (is_in_any_case(name, "Accept"))
		while (value.len)
			weigh(take_until(&value, ','), &fields->weights);
	return true;
}

int http_parse(const char *text, size_t len, struct http_request *request)
{
	struct part rest = {text, len}, line;
	struct fields fields = {.hosts = 0};
	bool is_11 = false;
	int status;

	memset(request, 0, sizeof(*request));
	if (!http_complete(text, len))
		return 431;
	if (!take_line(&rest, &line))
		return 400;
	status = parse_first_line(line, request, &is_11);
	if (status == 400 || status == 505)
		return status;
	for (;;) {
		if (!take_line(&rest, &line))
			return 400;
		if (!line.len)
			break;
		if (!take_field(line, &fields))
			return 400;
	}
	if (is_11 ? fields.hosts != 1 : fields.hosts > 1)
		return 400;
	if (status == 200 && fields.has_body)
		return 413;
	request->openmetrics =
		fields.weights.openmetrics && fields.weights.openmetrics >= fields.weights.text;
	return status;
}

const char *http_reason(int status)
{
	static const struct {
		int status;
		const char *reason;
	} reasons[] = {
		{200, "OK"},
		{400, "Bad Request"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{413, "Content Too Large"},
		{431, "Request Header Fields Too Large"},
		{505, "HTTP Version Not Supported"},
	};

	for (size_t i = 0; i < COUNT(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Internal Server Error";
}
