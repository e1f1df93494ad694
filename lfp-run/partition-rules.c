/* SPDX-License-Identifier: Apache-2.0 */
/* partition-rules.c - the rules and published ports of a private instance, from options of lfp-run
 */
#include "lfp-run/partition-inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lfp/publish.h"

#define PUBLISH_TEXT 256 /* bytes of an entry of PUBLISH */

/* The name of the upstream in the rules. */
#define PROXY "proxy"

/* Reads [ADDR:]PORT[:PORT] of an option "publish". One port is the same on both sides. Writes it to
 * @whole as PUBLISH has it. Returns 0 or -EINVAL. */
static int take_publish(const char *text, struct lfp_publish_list *list,
			char whole[static PUBLISH_TEXT])
{
	size_t len = strcspn(text, "/");
	const char *colon = memrchr(text, ':', len), *port = colon ? colon + 1 : text;
	char reason[128];

	if (strpbrk(text, " \t\r\n\"") || strlen(text) >= PUBLISH_TEXT / 2)
		return -EINVAL;
	strcpy(whole, text);
	if (lfp_publish_parse(list, whole, reason, sizeof(reason))) {
		snprintf(whole, PUBLISH_TEXT, "%.*s:%.*s%s", (int)len, text,
			 (int)(text + len - port), port, text + len);
		if (lfp_publish_parse(list, whole, reason, sizeof(reason)))
			return -EINVAL;
	}
	return list->nr == 1 ? 0 : -EINVAL;
}

const char *partition_wrong_publish(const struct lfp_texts *publish)
{
	struct lfp_publish_list list;
	char whole[PUBLISH_TEXT];

	for (size_t i = 0; i < publish->nr; i++)
		if (take_publish(publish->of[i].text, &list, whole))
			return publish->of[i].text;
	return NULL;
}

int partition_add_publish(const struct partition *part)
{
	const struct lfp_texts *publish = &part->rules->publish;
	struct lfp_publish_list list;
	char whole[PUBLISH_TEXT];
	FILE *out;
	int rc = 0;

	if (!publish->nr)
		return 0;
	out = fopen(part->conf, "ae");
	if (!out)
		return -errno;
	fputs("PUBLISH = \"", out);
	for (size_t i = 0; i < publish->nr && !rc; i++) {
		rc = take_publish(publish->of[i].text, &list, whole);
		fprintf(out, "%s%s", i ? " " : "", whole);
	}
	fputs("\"\n", out);
	return fclose(out) && !rc ? -errno : rc;
}

/* Writes rules that allow listening where ports are published. */
static void allow_published(const struct lfp_texts *publish, FILE *out)
{
	char whole[PUBLISH_TEXT], addr[INET6_ADDRSTRLEN];
	struct lfp_publish_list list;
	const struct lfp_publish *one = list.of;

	for (size_t i = 0; i < publish->nr; i++) {
		if (take_publish(publish->of[i].text, &list, whole))
			continue;
		fprintf(out, "allow listen %s",
			one->protocols == LFP_PUBLISH_TCP   ? "tcp "
			: one->protocols == LFP_PUBLISH_UDP ? "udp "
							    : "");
		if (one->has_addr && IN6_IS_ADDR_V4MAPPED(&one->addr))
			fputs(inet_ntop(AF_INET, one->addr.s6_addr + 12, addr, sizeof(addr)), out);
		else if (one->has_addr)
			fprintf(out, "[%s]", inet_ntop(AF_INET6, &one->addr, addr, sizeof(addr)));
		fprintf(out, ":%u-%u\n", one->host, one->host + one->count - 1u);
	}
}

static void write_upstream(const struct partition_rules *rules, FILE *out)
{
	fprintf(out, "upstream " PROXY " %s", rules->upstream);
	if (rules->credentials)
		fprintf(out, " credentials %s", rules->credentials);
	putc('\n', out);
}

/* Writes the last line, and with an upstream those that stand before it. */
static void write_default(const struct partition_rules *rules, bool allows, FILE *out)
{
	if (allows)
		allow_published(&rules->publish, out);
	else if (rules->upstream)
		fputs("allow listen any\n", out);
	if (rules->upstream && !allows)
		fputs("default ask-upstream " PROXY "\n", out);
	else
		fprintf(out, "default %s\n", allows ? "deny" : "allow");
}

/* Returns true if the rule begins with this word. */
static bool begins_with(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text, word, len) && (!text[len] || text[len] == ' ' || text[len] == '\t');
}

/* Writes a file of rules from the options "allow", "deny" and "upstream". */
static int write_rules(const struct partition *part, const char *path)
{
	const struct lfp_texts *single = &part->rules->single;
	bool allows = false, by_proxy = part->rules->upstream;
	FILE *out = fopen(path, "we");
	int rc = 0;

	if (!out)
		return -errno;
	if (by_proxy)
		write_upstream(part->rules, out);
	for (size_t i = 0; i < single->nr; i++) {
		const char *text = single->of[i].text, *word = single->of[i].word;
		bool is_other, has_act;

		/* An option is one rule, so it has no second line and no comment. */
		if (strpbrk(text, "\r\n#"))
			rc = -EINVAL;
		text += strspn(text, " \t");
		is_other = begins_with(text, "listen") || begins_with(text, "lookup");
		has_act = is_other || begins_with(text, "connect");
		if (!strcmp(word, "allow")) {
			allows = true;
			if (by_proxy && !is_other)
				word = "ask-upstream " PROXY;
		}
		fprintf(out, "%s %s%s\n", word, has_act ? "" : "connect ", text);
	}
	write_default(part->rules, allows, out);
	if (ferror(out))
		rc = -EIO;
	if (fclose(out) && !rc)
		rc = -errno;
	return rc;
}

int partition_add_rules(const struct partition *part)
{
	const char *file, *quote;
	char path[LFP_PLACE_MAX + 32];
	FILE *out;
	int rc = 0;

	if (!part->rules ||
	    (!part->rules->file && !part->rules->single.nr && !part->rules->upstream))
		return 0;
	snprintf(path, sizeof(path), "%s/rules", part->dir);
	file = part->rules->file ? part->rules->file : path;
	quote = strchr(file, '"') ? "" : "\"";
	if (!part->rules->file)
		rc = write_rules(part, path);
	if (rc)
		return rc;
	out = fopen(part->conf, "ae");
	if (!out)
		return -errno;
	/* In quotes a value may have a semicolon, which begins a comment elsewhere. */
	fprintf(out, "POLICY_FILE = %s%s%s\n", quote, file, quote);
	return fclose(out) ? -errno : 0;
}
