/* SPDX-License-Identifier: Apache-2.0 */
/* upstream.c - reads a line "upstream" of POLICY_FILE, and the credentials that it names */
#include "lfpd/policy/upstream.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/number.h"

#define TIMEOUT_DEFAULT 30u
#define TIMEOUT_MAX     600u

static int __attribute__((format(printf, 3, 4))) fail(char *why, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* Returns true for 1 to @max letters, digits, '-', '_' and '.'. */
static bool is_plain(const char *text, size_t max)
{
	size_t len = strlen(text);

	for (const char *c = text; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && *c != '-' && *c != '_' && *c != '.'))
			return false;
	return len && len <= max;
}

bool upstream_is_name(const char *text)
{
	return is_plain(text, UPSTREAM_NAME_MAX - 1);
}

static const struct {
	const char *scheme;
	enum upstream_kind kind;
	bool sends_names;
	uint16_t port;
} schemes[] = {
	{"socks5://", UPSTREAM_SOCKS5, false, 1080},
	{"socks5h://", UPSTREAM_SOCKS5, true, 1080},
	{"http://", UPSTREAM_HTTP, true, 80},
};

/* Reads "HOST[:PORT]" or "[IPV6][:PORT]", with at most a '/' after it. */
static bool read_host(struct upstream *upstream, const char *text)
{
	char host[UPSTREAM_HOST_MAX + 16];
	char *port = NULL, *end = host;
	struct upstream_addrs *addrs = &upstream->addrs;
	unsigned long number;
	size_t len;

	if (strlen(text) >= sizeof(host))
		return false;
	strcpy(host, text);
	if (*host && host[strlen(host) - 1] == '/')
		host[strlen(host) - 1] = '\0';
	if (*host == '[') {
		end = strchr(host, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		port = end[1] ? end + 2 : NULL;
		*end = '\0';
		if (inet_pton(AF_INET6, host + 1, &addrs->v6.sin6_addr) != 1)
			return false;
		addrs->v6.sin6_family = AF_INET6;
		strcpy(upstream->host, host + 1);
	} else {
		port = strchr(host, ':');
		if (port)
			*port++ = '\0';
		if (inet_pton(AF_INET, host, &addrs->v4.sin_addr) == 1)
			addrs->v4.sin_family = AF_INET;
		else if (!is_plain(host, UPSTREAM_HOST_MAX - 1))
			return false;
		len = strlen(host);
		if (len >= sizeof(upstream->host))
			return false;
		memcpy(upstream->host, host, len + 1);
	}
	if (addrs->v4.sin_family || addrs->v6.sin6_family)
		addrs->until = UINT64_MAX;
	if (!port)
		return true;
	if (lfp_number(port, 1, 65535, &number))
		return false;
	upstream->port = (uint16_t)number;
	return true;
}

static int read_url(struct upstream *upstream, const char *url, char *why, size_t size)
{
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t len = strlen(schemes[i].scheme);

		if (strncmp(url, schemes[i].scheme, len) != 0)
			continue;
		upstream->kind = schemes[i].kind;
		upstream->sends_names = schemes[i].sends_names;
		upstream->port = schemes[i].port;
		/* The text would be in messages and in lists of processes. */
		if (strchr(url, '@'))
			return fail(why, size,
				    "the address of an upstream has no user and no password: write "
				    "them into a file and name it after \"credentials\"");
		if (!read_host(upstream, url + len))
			break;
		return 0;
	}
	return fail(why, size,
		    "\"%.200s\" is not socks5://HOST[:PORT], socks5h://HOST[:PORT] or "
		    "http://HOST[:PORT]",
		    url);
}

/* Reads "USER:PASSWORD", one line. Returns NULL, or what is wrong. */
static const char *parse_credentials(struct upstream *upstream, char *text)
{
	char *colon, *end = strchr(text, '\n');

	if (end && end[1])
		return "it has more than one line";
	if (end)
		*end = '\0';
	colon = strchr(text, ':');
	if (!colon || colon == text)
		return "its line is not USER:PASSWORD";
	*colon++ = '\0';
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "the user has a control character";
	for (const char *c = colon; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return "the password has a control character";
	if (strlen(text) >= UPSTREAM_SECRET_MAX || strlen(colon) >= UPSTREAM_SECRET_MAX)
		return "the user or the password has more than 255 bytes";
	if (!*colon)
		return "the password is empty";
	strcpy(upstream->user, text);
	strcpy(upstream->password, colon);
	return NULL;
}

static int read_credentials(struct upstream *upstream, const char *path, char *why, size_t size)
{
	/* Without O_NONBLOCK open() of a FIFO would wait for a writer (fifo(7)). */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char text[2 * UPSTREAM_SECRET_MAX + 4];
	const char *wrong = NULL;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return fail(why, size, "cannot read the credentials in %.200s: %s", path,
			    strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		wrong = "it is not a regular file";
	else if (st.st_mode & S_IROTH)
		wrong = "all users can read it";
	else if ((n = read(fd, text, sizeof(text))) < 0)
		wrong = strerror(errno);
	else if (n == sizeof(text))
		wrong = "it is too long";
	else if (memchr(text, '\0', (size_t)n))
		wrong = "it has a NUL byte";
	close(fd);
	if (!wrong) {
		text[n] = '\0';
		wrong = parse_credentials(upstream, text);
	}
	explicit_bzero(text, sizeof(text));
	return wrong ? fail(why, size, "cannot use the credentials in %.200s: %s", path, wrong) : 0;
}

static int read_words(struct upstream *upstream, char *const *words, int nr, char *why, size_t size)
{
	unsigned long seconds;
	int rc;

	if (nr < 2)
		return fail(why, size, "\"upstream\" takes a name and an address");
	if (!upstream_is_name(words[0]))
		return fail(why, size,
			    "the name of an upstream has 1 to %u letters, digits, '-', '_' and "
			    "'.', unlike \"%.200s\"",
			    UPSTREAM_NAME_MAX - 1, words[0]);
	strcpy(upstream->name, words[0]);
	rc = read_url(upstream, words[1], why, size);
	for (int i = 2; !rc && i < nr; i += 2) {
		if (i + 1 == nr)
			return fail(why, size, "\"%.200s\" is not expected here", words[i]);
		if (!strcmp(words[i], "credentials") && !*upstream->user)
			rc = read_credentials(upstream, words[i + 1], why, size);
		else if (strcmp(words[i], "timeout") != 0)
			return fail(why, size, "\"%.200s\" is not expected here", words[i]);
		else if (lfp_number(words[i + 1], 1, TIMEOUT_MAX, &seconds))
			return fail(why, size, "a timeout is 1 to %u seconds, not \"%.200s\"",
				    TIMEOUT_MAX, words[i + 1]);
		else
			upstream->timeout = (unsigned int)seconds;
	}
	return rc;
}

int upstream_read(struct upstream **out, char *const *words, int nr, char *why, size_t size)
{
	struct upstream *upstream = calloc(1, sizeof(*upstream));
	int rc;

	if (!upstream)
		return -ENOMEM;
	upstream->refs = 1;
	upstream->timeout = TIMEOUT_DEFAULT;
	lfp_list_init(&upstream->addrs.waiting);
	rc = read_words(upstream, words, nr, why, size);
	if (rc) {
		upstream_drop(upstream);
		return rc;
	}
	*out = upstream;
	return 0;
}

struct upstream *upstream_named(const char *name)
{
	struct upstream *upstream = calloc(1, sizeof(*upstream));

	if (!upstream)
		return NULL;
	upstream->refs = 1;
	lfp_list_init(&upstream->addrs.waiting);
	snprintf(upstream->name, sizeof(upstream->name), "%s", name);
	return upstream;
}

struct upstream *upstream_take(struct upstream *upstream)
{
	upstream->refs++;
	return upstream;
}

void upstream_drop(struct upstream *upstream)
{
	if (!upstream || --upstream->refs)
		return;
	explicit_bzero(upstream->password, sizeof(upstream->password));
	free(upstream);
}

bool upstream_same(const struct upstream *a, const struct upstream *b)
{
	return a && b ? !strcmp(a->name, b->name) : a == b;
}

bool upstream_equal(const struct upstream *a, const struct upstream *b)
{
	return a == b ||
	       (upstream_same(a, b) && a->kind == b->kind && a->sends_names == b->sends_names &&
		!strcmp(a->host, b->host) && a->port == b->port && !strcmp(a->user, b->user) &&
		!strcmp(a->password, b->password));
}
