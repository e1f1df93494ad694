/* SPDX-License-Identifier: Apache-2.0 */
/* rules-parse.c - reads the file of rules */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfpd/policy/rule-line.h"
#include "lfpd/policy/rule-words.h"
#include "lfpd/policy/rules.h"

#define LINE_BYTES 1024u

struct parser {
	struct rule_words words;
	bool is_over; /* "default" was read */
};

#define DIGEST_BEGIN 0xcbf29ce484222325u

/* FNV-1a, which goes on from @digest. */
static uint64_t digest_of(uint64_t digest, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3u;
	return digest;
}

static int read_upstream(struct rule_words *words)
{
	struct rules *rules = words->rules;
	struct upstream *upstream;
	char why[512];
	int rc = upstream_read(&upstream, words->list + words->at, words->nr - words->at, why,
			       sizeof(why));

	if (rc)
		return rc == -ENOMEM ? rule_words_memory(words, rc)
				     : rule_words_fail(words, "%s", why);
	/* A new password makes the rules other ones. */
	rules->digest = digest_of(rules->digest, upstream->user, sizeof(upstream->user));
	rules->digest = digest_of(rules->digest, upstream->password, sizeof(upstream->password));
	rc = rules_add_upstream(rules, upstream);
	if (!rc)
		return 0;
	if (rc == -EEXIST)
		rc = rule_words_fail(words, "there is an upstream %s already", upstream->name);
	upstream_drop(upstream);
	return rule_words_memory(words, rc);
}

static int read_default(struct parser *parser)
{
	struct rule_words *words = &parser->words;
	bool ask = rule_words_take(words, "ask-upstream");
	bool allow = ask || rule_words_take(words, "allow");
	struct upstream *upstream = ask ? rule_words_upstream(words) : NULL;

	if (ask && !upstream)
		return -EINVAL;
	if ((!allow && !rule_words_take(words, "deny")) || rule_words_peek(words))
		return rule_words_fail(words,
				       "\"default\" takes allow, deny or ask-upstream NAME, and "
				       "nothing else");
	words->rules->default_allow = allow;
	words->rules->default_upstream = upstream;
	words->rules->default_line = words->line;
	parser->is_over = true;
	return 0;
}

static int read_line(struct parser *parser, char *text)
{
	struct rule_words *words = &parser->words;
	char *comment = strchr(text, '#');
	struct upstream *upstream;

	if (comment)
		*comment = '\0';
	if (rule_words_split(words, text))
		return -EINVAL;
	if (!words->nr)
		return 0;
	if (parser->is_over)
		return rule_words_fail(words, "nothing may follow the line \"default\"");
	if (rule_words_take(words, "allow"))
		return rule_line_read(words, true, NULL);
	if (rule_words_take(words, "deny"))
		return rule_line_read(words, false, NULL);
	if (rule_words_take(words, "ask-upstream")) {
		upstream = rule_words_upstream(words);
		return upstream ? rule_line_read(words, true, upstream) : -EINVAL;
	}
	if (rule_words_take(words, "upstream"))
		return read_upstream(words);
	if (rule_words_take(words, "default"))
		return read_default(parser);
	return rule_words_fail(
		words,
		"a line begins with allow, deny, ask-upstream, upstream or default, not \"%s\"",
		rule_words_peek(words));
}

static int read_lines(struct parser *parser, const char *text, size_t len)
{
	char line[LINE_BYTES];
	int rc = 0;

	while (!rc && len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (++parser->words.line > RULES_LINES_MAX)
			return rule_words_fail(&parser->words, "more than %u lines",
					       RULES_LINES_MAX);
		if (n >= sizeof(line))
			return rule_words_fail(&parser->words, "a line of more than %u bytes",
					       LINE_BYTES - 1);
		if (memchr(text, '\0', n))
			return rule_words_fail(&parser->words, "a NUL byte");
		memcpy(line, text, n);
		line[n] = '\0';
		rc = read_line(parser, line);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	if (!rc && !parser->is_over)
		return rule_words_fail(
			&parser->words,
			"the last line must be \"default allow\", \"default deny\" or \"default ask-upstream NAME\"");
	return rc;
}

int rules_parse(struct rules **out, const char *path, const char *text, size_t len,
		struct lfp_reader_error *err)
{
	struct parser parser = {.words = {.path = path, .err = err}};
	int rc;

	parser.words.rules = calloc(1, sizeof(*parser.words.rules));
	if (!parser.words.rules)
		return rule_words_memory(&parser.words, -ENOMEM);
	parser.words.rules->digest = digest_of(DIGEST_BEGIN, text, len);
	rc = read_lines(&parser, text, len);
	if (!rc)
		rc = rule_words_memory(&parser.words, rule_set_seal(parser.words.rules));
	if (rc) {
		rules_free(parser.words.rules);
		return rc;
	}
	*out = parser.words.rules;
	return 0;
}

/* Reads a whole regular file. Returns its length or a negative errno. */
static ssize_t read_file(const char *path, char **text)
{
	/* Without O_NONBLOCK open() of a FIFO would wait for a writer (fifo(7)). */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1, len = 0;

	*text = NULL;
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		len = -errno;
	else if (!S_ISREG(st.st_mode))
		len = -ENOTSUP;
	else if (st.st_size > RULES_BYTES_MAX)
		len = -EFBIG;
	else if (!(*text = malloc((size_t)st.st_size + 1)))
		len = -ENOMEM;
	while (len >= 0 && len < st.st_size && n) {
		n = read(fd, *text + len, (size_t)(st.st_size - len));
		if (n < 0 && errno != EINTR)
			len = -errno;
		else if (n > 0)
			len += n;
	}
	close(fd);
	return len;
}

int rules_read(struct rules **rules, const char *path, struct lfp_reader_error *err)
{
	struct rule_words about = {.path = path, .err = err};
	char *text;
	ssize_t len = read_file(path, &text);
	int rc = (int)len;

	if (len >= 0)
		rc = rules_parse(rules, path, text, (size_t)len, err);
	else
		rule_words_fail(&about, "%s",
				len == -ENOTSUP ? "it is not a regular file" : strerror((int)-len));
	free(text);
	return rc;
}
