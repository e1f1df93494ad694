/* SPDX-License-Identifier: Apache-2.0 */
/* interface-ifcfg.c - KEY=value lines of SuSE's ifcfg-NAME */
#include <string.h>

#include "devemu/hipersockets/interface-inner.h"

/* Takes the quotes off a value, in place. */
static char *unquoted(char *value)
{
	const size_t len = strlen(value);

	if (len < 2 || value[0] != value[len - 1] || !strchr("'\"", value[0]))
		return value;
	value[len - 1] = '\0';
	return value + 1;
}

static int is_one_of(struct words *words, const struct word *word, const char *key,
		     const char *value, const char *const *known)
{
	for (; *known; known++)
		if (!strcmp(value, *known))
			return 0;
	return words_fail(words, &word->at, "%s '%s' is not known here", key, value);
}

int ifcfg_line(struct words *words, struct linux_interface *interface, struct interface_line *line)
{
	static const char *const protocols[] = {"static", "none", NULL};
	static const char *const modes[] = {"onboot", "auto", "manual", "off", "hotplug", NULL};
	static const char *const texts[] = {"NAME", "UNIQUE", "_nm_name", NULL};
	struct word *word = &line->word[line->next++];
	char *key = word->text, *value = strchr(key, '=');

	if (!value || value == key)
		return words_fail(words, &word->at, "'%s' is not KEY=value", key);
	if (line->next < line->words)
		return words_fail(words, &line->word[line->next].at,
				  "'%s' comes after the value: a value with blanks needs quotes",
				  line->word[line->next].text);
	*value++ = '\0';
	value = unquoted(value);
	if (!strcmp(key, "IPADDR"))
		return interface_set_address(words, &word->at, &interface->address, "an address",
					     value);
	if (!strcmp(key, "NETMASK"))
		return interface_set_mask(words, &word->at, &interface->mask, value);
	if (!strcmp(key, "NETWORK"))
		return interface_set_address(words, &word->at, &interface->network, "a network",
					     value);
	if (!strcmp(key, "BROADCAST"))
		return interface_set_address(words, &word->at, &interface->broadcast,
					     "a broadcast address", value);
	if (!strcmp(key, "MTU"))
		return value[0] ? interface_set_number(words, &word->at, &interface->mtu, "an MTU",
						       value, 576, 65535)
				: 0;
	if (!strcmp(key, "BOOTPROTO"))
		return is_one_of(words, word, key, value, protocols);
	if (!strcmp(key, "STARTMODE"))
		return is_one_of(words, word, key, value, modes);
	return is_one_of(words, word, "key", key, texts);
}
