/* SPDX-License-Identifier: Apache-2.0 */
/* rules-parse.c - reads the file of rules */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/number.h"
#include "lfpd/policy/idna.h"
#include "lfpd/policy/rule-set.h"
#include "lfpd/policy/rules.h"

#define WORDS_MAX  16
#define PORTS_MAX  64
#define LINE_BYTES 1024u
#define V4_BITS    96u /* before a mapped address of IPv4 */
#define ACTS       (RULES_CONNECT | RULES_LISTEN | RULES_LOOKUP)
#define PROTOCOLS  (RULES_TCP | RULES_UDP)

struct parser {
	struct rules *rules;
	const char *path;
	unsigned int line;
	struct lfp_reader_error *err;
	char *words[WORDS_MAX + 1];
	int nr_words, at;
	bool is_over;              /* "default" was read */
	struct upstream *upstream; /* of this line, or NULL */
};

/* A rule while its line is read. */
struct draft {
	struct rule rule;
	struct port_range ports[PORTS_MAX];
	char program[PATH_MAX];
};

static int __attribute__((format(printf, 2, 3)))
fail(const struct parser *parser, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(parser->err, parser->path, (int)parser->line, "", fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static const char *peek(const struct parser *parser)
{
	return parser->at < parser->nr_words ? parser->words[parser->at] : NULL;
}

static bool take(struct parser *parser, const char *word)
{
	const char *next = peek(parser);

	if (!next || strcmp(next, word))
		return false;
	parser->at++;
	return true;
}

static int read_range(const struct parser *parser, char *text, struct port_range *range)
{
	char *dash = strchr(text, '-');
	unsigned long first, last;

	if (dash)
		*dash++ = '\0';
	if (lfp_number(text, 1, 65535, &first) || lfp_number(dash ? dash : text, 1, 65535, &last))
		return fail(parser, "a port is a number from 1 to 65535, not \"%s%s%s\"", text,
			    dash ? "-" : "", dash ? dash : "");
	if (first > last)
		return fail(parser, "the range of ports %lu-%lu is empty", first, last);
	*range = (struct port_range){(uint16_t)first, (uint16_t)last};
	return 0;
}

static int read_ports(const struct parser *parser, char *text, struct draft *draft)
{
	char *next;

	if (!strcmp(text, "*"))
		return 0;
	for (; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		if (draft->rule.nr_ports == PORTS_MAX)
			return fail(parser, "more than %d ports or ranges", PORTS_MAX);
		if (read_range(parser, text, &draft->ports[draft->rule.nr_ports]))
			return -EINVAL;
		draft->rule.nr_ports++;
	}
	return 0;
}

/* Splits "PEER:PORTS", "[IPV6]:PORTS" or ":PORTS". Sets @ports to NULL if there are none. */
static int part(const struct parser *parser, char *text, char **peer, char **ports)
{
	char *colon = strchr(text, ':');

	*peer = text;
	*ports = NULL;
	if (*text == '[') {
		char *end = strchr(text, ']');

		if (!end || (end[1] && end[1] != ':'))
			return fail(parser, "\"%s\" is not [ADDRESS] or [ADDRESS]:PORTS", text);
		*peer = text + 1;
		*ports = end[1] ? end + 2 : NULL;
		*end = '\0';
	} else if (colon && !strchr(colon + 1, ':')) {
		*ports = colon + 1;
		*colon = '\0';
	}
	if (*ports && !**ports)
		return fail(parser, "no port after the colon of \"%s:\"", *peer);
	return 0;
}

/* Reads "ADDRESS" or "ADDRESS/BITS". Returns false if @text has no address. Sets @is_wrong if only
 * BITS is wrong. */
static bool read_prefix(char *text, struct in6_addr *addr, unsigned int *bits, bool *is_wrong)
{
	char *slash = strchr(text, '/');
	unsigned long length;
	struct in_addr v4;
	unsigned int extra = 0, most = 128;
	bool found;

	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, text, &v4) == 1) {
		*addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
		memcpy(addr->s6_addr + 12, &v4, sizeof(v4));
		extra = V4_BITS;
		most = 32;
		found = true;
	} else {
		found = inet_pton(AF_INET6, text, addr) == 1;
	}
	length = most;
	*is_wrong = slash && found && lfp_number(slash + 1, 0, most, &length);
	if (slash)
		*slash = '/';
	*bits = extra + (unsigned int)length;
	return found;
}

static int add_prefix(struct rules *rules, const struct in6_addr *addr, unsigned int bits,
		      struct rule *rule)
{
	int rc = rule_prefixes_add(&rules->prefixes, addr, bits, rule);

	if (!rc && !rule->allow && rule->acts & RULES_LISTEN)
		rc = rule_list_add(bits >= V4_BITS && IN6_IS_ADDR_V4MAPPED(addr) ? &rules->shut4
										 : &rules->shut6,
				   rule);
	return rc;
}

static int add_localhost(struct rules *rules, struct rule *rule)
{
	struct in6_addr v4 = {.s6_addr = {[10] = 0xff, [11] = 0xff, [12] = 127}};
	int rc = add_prefix(rules, &v4, V4_BITS + 8, rule);

	if (!rc)
		rc = add_prefix(rules, &in6addr_loopback, 128, rule);
	return rc ? rc : rule_names_add(&rules->names, RULE_NAME, "localhost", rule);
}

static int no_memory(const struct parser *parser, int rc)
{
	if (rc == -ENOMEM)
		fail(parser, "not enough memory");
	return rc;
}

/* Puts the rule into the lists of its peer. */
static int add_to_peer(const struct parser *parser, char *peer, struct rule *rule)
{
	struct rules *rules = parser->rules;
	char name[RULES_NAME_MAX];
	struct in6_addr addr;
	unsigned int bits;
	bool below = !strncmp(peer, "*.", 2), is_wrong;
	const char *why;

	if (!*peer || !strcmp(peer, "any"))
		return no_memory(parser, rule_list_add(&rules->any, rule));
	if (!strcmp(peer, "localhost"))
		return no_memory(parser, add_localhost(rules, rule));
	if (read_prefix(peer, &addr, &bits, &is_wrong)) {
		if (is_wrong)
			return fail(parser, "the prefix length of %s is wrong", peer);
		if (rule->acts == RULES_LOOKUP)
			return fail(parser, "lookup takes a name, and %s is an address", peer);
		rule->acts &= (uint8_t)~RULES_LOOKUP;
		return no_memory(parser, add_prefix(rules, &addr, bits, rule));
	}
	why = idna_name(name, peer + (below ? 2 : 0));
	if (why)
		return fail(parser, "\"%s\" is neither an address, nor a prefix, nor a name: %s",
			    peer, why);
	if (rule->acts & RULES_LISTEN)
		return fail(parser, "listen takes an address of this host, and %s is a name", peer);
	return no_memory(parser,
			 rule_names_add(&rules->names, below ? RULE_BELOW : RULE_NAME, name, rule));
}

/* Reads what follows "sni" or "host". */
static int read_naming(struct parser *parser, enum rules_naming naming, const char *peer,
		       struct draft *draft)
{
	const char *word = naming == RULES_BY_TLS ? "sni" : "host";
	struct in6_addr addr;
	unsigned int bits;
	bool is_wrong;

	draft->rule.naming = naming;
	draft->rule.ech = naming == RULES_BY_TLS && take(parser, "ech");
	if (!draft->rule.allow || !(draft->rule.acts & RULES_CONNECT))
		return fail(parser, "\"%s\" belongs to allow connect", word);
	if (!(draft->rule.protocols & RULES_TCP))
		return fail(parser, "\"%s\" belongs to tcp", word);
	if (!*peer || !strcmp(peer, "any") || !strcmp(peer, "localhost") ||
	    read_prefix((char *)(uintptr_t)peer, &addr, &bits, &is_wrong))
		return fail(parser, "\"%s\" belongs to a rule about a name", word);
	draft->rule.protocols = RULES_TCP;
	return 0;
}

static int read_user(struct parser *parser, struct draft *draft)
{
	const char *name = peek(parser);
	const struct passwd *user;
	unsigned long uid;

	if (!name)
		return fail(parser, "no name or number after \"user\"");
	parser->at++;
	draft->rule.has_user = true;
	if (!lfp_number(name, 0, UINT32_MAX - 1, &uid)) {
		draft->rule.uid = (uint32_t)uid;
		return 0;
	}
	user = getpwnam(name);
	if (!user)
		return fail(parser, "this host has no user \"%s\"", name);
	draft->rule.uid = user->pw_uid;
	return 0;
}

/* Reads "user", "group", "program" and "task", in any order. */
static int read_who(struct parser *parser, struct draft *draft)
{
	char why[SUBJECT_WHY];
	int rc = 1;

	while (rc > 0 && peek(parser)) {
		if (!draft->rule.has_user && take(parser, "user")) {
			rc = read_user(parser, draft) ? -EINVAL : 1;
			continue;
		}
		rc = subject_read(&draft->rule.subject, peek(parser),
				  parser->at + 1 < parser->nr_words ? parser->words[parser->at + 1]
								    : NULL,
				  draft->program, why);
		if (rc < 0)
			return fail(parser, "%s", why);
		parser->at += rc ? 2 : 0;
	}
	return rc < 0 ? rc : 0;
}

static int keep(const struct parser *parser, const struct draft *draft, struct rule **out)
{
	struct rules *rules = parser->rules;
	size_t ports = draft->rule.nr_ports * sizeof(struct port_range);
	size_t program = draft->rule.subject.program ? strlen(draft->program) + 1 : 0;
	struct rule *rule = malloc(sizeof(*rule) + ports + program);

	if (rule && rules->nr == rules->room) {
		size_t more = rules->room ? 2 * rules->room : 16;
		struct rule **larger = realloc(rules->all, more * sizeof(struct rule *));

		if (!larger) {
			free(rule);
			rule = NULL;
		} else {
			rules->all = larger;
			rules->room = more;
		}
	}
	if (!rule)
		return no_memory(parser, -ENOMEM);
	*rule = draft->rule;
	rule->ports = memcpy(rule + 1, draft->ports, ports);
	rules->names_program |= program;
	if (program)
		rule->subject.program = memcpy((char *)(rule + 1) + ports, draft->program, program);
	rules->all[rules->nr++] = rule;
	*out = rule;
	return 0;
}

static int read_act(struct parser *parser, struct draft *draft)
{
	if (take(parser, "connect"))
		draft->rule.acts = RULES_CONNECT;
	else if (take(parser, "listen"))
		draft->rule.acts = RULES_LISTEN;
	else if (take(parser, "lookup"))
		draft->rule.acts = RULES_LOOKUP;
	else
		return fail(parser, "expected connect, listen or lookup, not \"%s\"",
			    peek(parser) ? peek(parser) : "");
	/* A program must look the name up before it can connect. */
	if (draft->rule.allow && draft->rule.acts == RULES_CONNECT)
		draft->rule.acts |= RULES_LOOKUP;
	draft->rule.protocols = PROTOCOLS;
	if (draft->rule.acts == RULES_LOOKUP)
		return 0;
	if (take(parser, "tcp"))
		draft->rule.protocols = RULES_TCP;
	else if (take(parser, "udp"))
		draft->rule.protocols = RULES_UDP;
	return 0;
}

/* Reads the name after "ask-upstream". */
static int find_upstream(struct parser *parser)
{
	const char *name = peek(parser);

	if (!name)
		return fail(parser, "no name after \"ask-upstream\"");
	parser->at++;
	parser->upstream = rules_find_upstream(parser->rules, name);
	return parser->upstream
		       ? 0
		       : fail(parser, "no line \"upstream %s\" stands before this one", name);
}

/* An upstream carries connections of TCP, and nothing else. */
static int check_upstream(const struct parser *parser, struct draft *draft)
{
	if (!parser->upstream)
		return 0;
	if (!(draft->rule.acts & RULES_CONNECT) || draft->rule.protocols == RULES_UDP)
		return fail(parser, "\"ask-upstream\" takes connect tcp");
	draft->rule.protocols = RULES_TCP;
	draft->rule.upstream = parser->upstream;
	return 0;
}

#define DIGEST_BEGIN 0xcbf29ce484222325u

/* FNV-1a, which goes on from @digest. */
static uint64_t digest_of(uint64_t digest, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3u;
	return digest;
}

static int read_upstream(struct parser *parser)
{
	struct rules *rules = parser->rules;
	struct upstream *upstream;
	char why[512];
	int rc = upstream_read(&upstream, parser->words + parser->at, parser->nr_words - parser->at,
			       why, sizeof(why));

	if (rc)
		return rc == -ENOMEM ? no_memory(parser, rc) : fail(parser, "%s", why);
	/* A new password makes the rules other ones. */
	rules->digest = digest_of(rules->digest, upstream->user, sizeof(upstream->user));
	rules->digest = digest_of(rules->digest, upstream->password, sizeof(upstream->password));
	rc = rules_add_upstream(rules, upstream);
	if (!rc)
		return 0;
	if (rc == -EEXIST)
		rc = fail(parser, "there is an upstream %s already", upstream->name);
	upstream_drop(upstream);
	return no_memory(parser, rc);
}

static int read_rule(struct parser *parser, bool allow)
{
	struct draft draft;
	char *peer, *ports;
	struct rule *rule;

	draft.rule = (struct rule){.line = parser->line, .allow = allow};
	if (read_act(parser, &draft) || check_upstream(parser, &draft))
		return -EINVAL;
	if (!peek(parser))
		return fail(parser, "the peer is missing");
	if (part(parser, parser->words[parser->at++], &peer, &ports))
		return -EINVAL;
	if (ports && draft.rule.acts == RULES_LOOKUP)
		return fail(parser, "lookup takes no port");
	if (ports && read_ports(parser, ports, &draft))
		return -EINVAL;
	if (read_who(parser, &draft))
		return -EINVAL;
	if (take(parser, "sni")) {
		if (read_naming(parser, RULES_BY_TLS, peer, &draft))
			return -EINVAL;
	} else if (take(parser, "host") && read_naming(parser, RULES_BY_HTTP, peer, &draft)) {
		return -EINVAL;
	}
	if (peek(parser))
		return fail(parser, "\"%s\" is not expected here", peek(parser));
	if (keep(parser, &draft, &rule))
		return -ENOMEM;
	return add_to_peer(parser, peer, rule);
}

static int read_default(struct parser *parser)
{
	bool ask = take(parser, "ask-upstream"), allow = ask || take(parser, "allow");

	if (ask && find_upstream(parser))
		return -EINVAL;
	if ((!allow && !take(parser, "deny")) || peek(parser))
		return fail(parser, "\"default\" takes allow, deny or ask-upstream NAME, and "
				    "nothing else");
	parser->rules->default_allow = allow;
	parser->rules->default_upstream = parser->upstream;
	parser->rules->default_line = parser->line;
	parser->is_over = true;
	return 0;
}

static int read_line(struct parser *parser, char *text)
{
	char *save = NULL, *comment = strchr(text, '#');

	if (comment)
		*comment = '\0';
	parser->nr_words = parser->at = 0;
	parser->upstream = NULL;
	for (char *word = strtok_r(text, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		if (parser->nr_words == WORDS_MAX)
			return fail(parser, "\"%s\" is not expected here", word);
		parser->words[parser->nr_words++] = word;
	}
	if (!parser->nr_words)
		return 0;
	if (parser->is_over)
		return fail(parser, "nothing may follow the line \"default\"");
	if (take(parser, "allow"))
		return read_rule(parser, true);
	if (take(parser, "deny"))
		return read_rule(parser, false);
	if (take(parser, "ask-upstream"))
		return find_upstream(parser) ? -EINVAL : read_rule(parser, true);
	if (take(parser, "upstream"))
		return read_upstream(parser);
	if (take(parser, "default"))
		return read_default(parser);
	return fail(parser,
		    "a line begins with allow, deny, ask-upstream, upstream or default, not \"%s\"",
		    peek(parser));
}

static int read_lines(struct parser *parser, const char *text, size_t len)
{
	char line[LINE_BYTES];
	int rc = 0;

	while (!rc && len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (++parser->line > RULES_LINES_MAX)
			return fail(parser, "more than %u lines", RULES_LINES_MAX);
		if (n >= sizeof(line))
			return fail(parser, "a line of more than %u bytes", LINE_BYTES - 1);
		if (memchr(text, '\0', n))
			return fail(parser, "a NUL byte");
		memcpy(line, text, n);
		line[n] = '\0';
		rc = read_line(parser, line);
		n += end ? 1 : 0;
		text += n;
		len -= n;
	}
	if (!rc && !parser->is_over)
		return fail(
			parser,
			"the last line must be \"default allow\", \"default deny\" or \"default ask-upstream NAME\"");
	return rc;
}

int rules_parse(struct rules **out, const char *path, const char *text, size_t len,
		struct lfp_reader_error *err)
{
	struct parser parser = {.path = path, .err = err};
	int rc;

	parser.rules = calloc(1, sizeof(*parser.rules));
	if (!parser.rules)
		return no_memory(&parser, -ENOMEM);
	parser.rules->digest = digest_of(DIGEST_BEGIN, text, len);
	rc = read_lines(&parser, text, len);
	if (!rc)
		rc = no_memory(&parser, rule_set_seal(parser.rules));
	if (rc) {
		rules_free(parser.rules);
		return rc;
	}
	*out = parser.rules;
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
	struct parser about = {.path = path, .err = err};
	char *text;
	ssize_t len = read_file(path, &text);
	int rc = (int)len;

	if (len >= 0)
		rc = rules_parse(rules, path, text, (size_t)len, err);
	else
		fail(&about, "%s",
		     len == -ENOTSUP ? "it is not a regular file" : strerror((int)-len));
	free(text);
	return rc;
}
