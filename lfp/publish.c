/* SPDX-License-Identifier: Apache-2.0 */
/* publish.c - PUBLISH: ports of programs that appear elsewhere on the host */
#include "lfp/publish.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lfp/number.h"

#define WORD_MAX 128

static int refuse(char *reason, size_t size, const char *word, const char *why)
{
	snprintf(reason, size, "%.60s %s", word, why);
	return -EINVAL;
}

/* Reads "PORT" or "PORT-PORT". Returns 0 or -EINVAL. */
static int take_ports(const char *text, uint16_t *first, uint16_t *count)
{
	char copy[16];
	unsigned long from, to;
	char *dash;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	dash = strchr(copy, '-');
	if (dash)
		*dash = '\0';
	if (lfp_number(copy, 1, UINT16_MAX, &from))
		return -EINVAL;
	to = from;
	if (dash && lfp_number(dash + 1, from, UINT16_MAX, &to))
		return -EINVAL;
	*first = (uint16_t)from;
	*count = (uint16_t)(to - from + 1);
	return 0;
}

/* Reads "192.0.2.1" or "[2001:db8::1]". Returns 0 or -EINVAL. */
static int take_addr(char *text, struct in6_addr *addr)
{
	struct in_addr v4;
	size_t len = strlen(text);

	if (inet_pton(AF_INET, text, &v4) == 1) {
		*addr = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
		memcpy(addr->s6_addr + 12, &v4, sizeof(v4));
		return 0;
	}
	if (*text != '[' || text[len - 1] != ']')
		return -EINVAL;
	text[len - 1] = '\0';
	return inet_pton(AF_INET6, text + 1, addr) == 1 ? 0 : -EINVAL;
}

static bool overlap(const struct lfp_publish *a, const struct lfp_publish *b)
{
	return (a->protocols & b->protocols) && a->own < b->own + b->count &&
	       b->own < a->own + a->count;
}

static int take_word(struct lfp_publish *one, const char *whole, char *reason, size_t size)
{
	char word[WORD_MAX], *slash, *colon;
	uint16_t count;

	*one = (struct lfp_publish){.protocols = LFP_PUBLISH_TCP | LFP_PUBLISH_UDP};
	strcpy(word, whole);
	slash = strchr(word, '/');
	if (slash) {
		*slash++ = '\0';
		one->protocols = !strcmp(slash, "tcp")   ? LFP_PUBLISH_TCP
				 : !strcmp(slash, "udp") ? LFP_PUBLISH_UDP
							 : 0;
		if (!one->protocols)
			return refuse(reason, size, whole, "has a protocol other than tcp and udp");
	}
	colon = strrchr(word, ':');
	if (!colon || take_ports(colon + 1, &one->own, &one->count))
		return refuse(reason, size, whole, "is not [ADDR:]PORT:PORT");
	*colon = '\0';
	colon = strrchr(word, ':');
	if (take_ports(colon ? colon + 1 : word, &one->host, &count))
		return refuse(reason, size, whole, "is not [ADDR:]PORT:PORT");
	if (count != one->count)
		return refuse(reason, size, whole, "has two ranges of different lengths");
	if (!colon)
		return 0;
	*colon = '\0';
	one->has_addr = true;
	if (take_addr(word, &one->addr))
		return refuse(reason, size, whole, "does not begin with an address");
	return 0;
}

int lfp_publish_parse(struct lfp_publish_list *list, const char *text, char *reason, size_t size)
{
	char word[WORD_MAX];
	int rc;

	list->nr = 0;
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		size_t len = strcspn(text, " \t");
		struct lfp_publish *one = &list->of[list->nr];

		if (len >= sizeof(word))
			return refuse(reason, size, text, "is too long");
		if (list->nr == LFP_PUBLISH_MAX)
			return refuse(reason, size, text, "is one too many");
		memcpy(word, text, len);
		word[len] = '\0';
		text += len;
		rc = take_word(one, word, reason, size);
		if (rc)
			return rc;
		for (size_t i = 0; i < list->nr; i++)
			if (overlap(&list->of[i], one))
				return refuse(reason, size, word, "publishes a port once more");
		list->nr++;
	}
	return 0;
}

const struct lfp_publish *lfp_publish_find(const struct lfp_publish_list *list, uint16_t own,
					   enum lfp_publish_protocol protocol)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct lfp_publish *one = &list->of[i];

		if ((one->protocols & protocol) && own >= one->own && own - one->own < one->count)
			return one;
	}
	return NULL;
}
