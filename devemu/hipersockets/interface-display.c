/* SPDX-License-Identifier: Apache-2.0 */
/* interface-display.c - the output of "ifconfig NAME", as net-tools wrote it in 2008 */
#include <limits.h>
#include <string.h>

#include "devemu/hipersockets/interface-inner.h"
#include "lfp/number.h"

bool is_display(const struct interface_line *line)
{
	return line->words >= 3 && line->word[0].at.column == 1 &&
	       !strcmp(line->word[1].text, "Link") && !strncmp(line->word[2].text, "encap:", 6);
}

/* Words without a value: flags, and titles of what follows. */
static bool is_plain(const char *text)
{
	static const char *const known[] = {
		"Link",     "inet",        "inet6",   "UP",       "RUNNING",
		"NOARP",    "MULTICAST",   "RX",      "TX",       "BROADCAST",
		"LOOPBACK", "POINTOPOINT", "PROMISC", "ALLMULTI", "HWaddr",
		"DYNAMIC",  "NOTRAILERS",  "DEBUG",   "MASTER",   "SLAVE",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(text, known[i]))
			return true;
	return false;
}

static bool is_counter(const char *key)
{
	static const char *const known[] = {"packets", "errors",  "dropped",    "overruns",
					    "frame",   "carrier", "collisions", "bytes"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(key, known[i]))
			return true;
	return false;
}

static int set(struct words *words, struct linux_interface *interface, struct interface_line *line,
	       struct word *word)
{
	unsigned long counter;
	char *key = word->text, *value = strchr(key, ':');

	if (!value || value == key)
		return words_fail(words, &word->at, "'%s' is not known in a display of ifconfig",
				  key);
	*value++ = '\0';
	/* "addr:10.1.2.2", but "addr: fe80::..." */
	if (!strcmp(key, "addr") && !*value)
		return line_word(words, line, "an address", &word);
	if (!strcmp(key, "addr"))
		return interface_set_address(words, &word->at, &interface->address, "an address",
					     value);
	if (!strcmp(key, "Mask"))
		return interface_set_mask(words, &word->at, &interface->mask, value);
	if (!strcmp(key, "Bcast"))
		return interface_set_address(words, &word->at, &interface->broadcast,
					     "a broadcast address", value);
	if (!strcmp(key, "MTU"))
		return interface_set_number(words, &word->at, &interface->mtu, "an MTU", value, 576,
					    65535);
	if (!strcmp(key, "txqueuelen"))
		return interface_set_number(words, &word->at, &interface->queue,
					    "a length of the queue", value, 1, 100000);
	if (is_counter(key)) {
		if (lfp_number(value, 0, ULONG_MAX, &counter) < 0)
			return words_fail(words, &word->at, "'%s' is not a count of %s", value,
					  key);
		return 0;
	}
	if (!strcmp(key, "encap") || !strcmp(key, "Scope") || !strcmp(key, "Metric"))
		return 0;
	return words_fail(words, &word->at, "'%s:' is not known in a display of ifconfig", key);
}

int display_line(struct words *words, struct linux_interface *interface,
		 struct interface_line *line)
{
	int rc = 0;

	while (rc == 0 && line->next < line->words) {
		struct word *word = &line->word[line->next++];

		if (!strcmp(word->text, "HWaddr"))
			rc = line_word(words, line, "a hardware address", &word);
		else if (word->text[0] == '(')
			/* "(37035.3 Mb)" */
			rc = line_word(words, line, "a unit", &word);
		else if (!is_plain(word->text))
			rc = set(words, interface, line, word);
	}
	return rc;
}
