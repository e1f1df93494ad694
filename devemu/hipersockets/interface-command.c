/* SPDX-License-Identifier: Apache-2.0 */
/* interface-command.c - command lines with ifconfig and route */
#include <string.h>

#include "devemu/hipersockets/address.h"
#include "devemu/hipersockets/interface-inner.h"

static bool is_one_of(const char *text, const char *const *known)
{
	while (*known && strcmp(text, *known))
		known++;
	return *known;
}

static int ifconfig_option(struct words *words, struct linux_interface *interface,
			   struct interface_line *line)
{
	/* Every interface here has these, and is brought up in the end. */
	static const char *const flags[] = {"up", "arp", "-arp", "multicast", "-multicast", NULL};
	struct interface_value metric = {0};
	struct word *word = &line->word[line->next++], *value;
	uint32_t address;
	int rc;

	if (is_one_of(word->text, flags))
		return 0;
	if (address_read(word->text, &address) == 0)
		return interface_set(words, &word->at, &interface->address, "the address", address);
	rc = line_word(words, line, "a value", &value);
	if (rc < 0)
		return rc;
	if (!strcmp(word->text, "netmask"))
		return interface_set_mask(words, &value->at, &interface->mask, value->text);
	if (!strcmp(word->text, "broadcast"))
		return interface_set_address(words, &value->at, &interface->broadcast,
					     "a broadcast address", value->text);
	if (!strcmp(word->text, "mtu"))
		return interface_set_number(words, &value->at, &interface->mtu, "an MTU",
					    value->text, 576, 65535);
	if (!strcmp(word->text, "txqueuelen"))
		return interface_set_number(words, &value->at, &interface->queue,
					    "a length of the queue", value->text, 1, 100000);
	if (!strcmp(word->text, "metric"))
		return interface_set_number(words, &value->at, &metric, "a metric", value->text, 0,
					    65535);
	return words_fail(words, &word->at, "'%s' is no parameter of ifconfig that is known here",
			  word->text);
}

int ifconfig_command(struct words *words, struct linux_side *side, struct interface_line *line)
{
	struct linux_interface *interface;
	struct word *name;
	int rc = line_word(words, line, "the name of an interface", &name);

	if (rc == 0)
		rc = interface_find(words, side, name, &interface);
	while (rc == 0 && line->next < line->words)
		rc = ifconfig_option(words, interface, line);
	return rc;
}

static int take_address(struct words *words, struct interface_line *line, const char *wanted,
			uint32_t *address)
{
	struct word *word;
	int rc = line_word(words, line, wanted, &word);

	if (rc == 0 && address_read(word->text, address) < 0)
		return words_fail(words, &word->at, "'%s' is not %s", word->text, wanted);
	return rc;
}

static int route_destination(struct words *words, struct interface_line *line,
			     struct linux_route *route)
{
	struct interface_value mask = {0};
	struct word *word;
	int rc = line_word(words, line, "-host or -net", &word);

	if (rc < 0)
		return rc;
	route->mask = UINT32_MAX;
	if (!strcmp(word->text, "-host"))
		return take_address(words, line, "the address of a host", &route->destination);
	if (strcmp(word->text, "-net"))
		return words_fail(words, &word->at, "'%s' is neither -host nor -net", word->text);
	rc = take_address(words, line, "the address of a network", &route->destination);
	if (rc == 0)
		rc = line_word(words, line, "netmask", &word);
	if (rc == 0 && strcmp(word->text, "netmask"))
		return words_fail(words, &word->at, "'%s' is not netmask", word->text);
	if (rc == 0)
		rc = line_word(words, line, "a netmask", &word);
	if (rc == 0)
		rc = interface_set_mask(words, &word->at, &mask, word->text);
	if (rc == 0 && (route->destination & ~mask.value))
		return words_fail(words, &word->at, "the network has bits outside of its netmask");
	route->mask = mask.value;
	return rc;
}

int route_command(struct words *words, struct linux_side *side, struct interface_line *line)
{
	struct interface_value metric = {0};
	struct linux_route route = {.at = line->word[0].at};
	struct linux_interface *interface = NULL;
	struct word *word;
	int rc = line_word(words, line, "add", &word);

	if (rc == 0 && strcmp(word->text, "add"))
		return words_fail(words, &word->at, "'%s' is not add", word->text);
	if (rc == 0)
		rc = route_destination(words, line, &route);
	while (rc == 0 && line->next < line->words) {
		word = &line->word[line->next++];
		if (!strcmp(word->text, "metric")) {
			rc = line_word(words, line, "a metric", &word);
			if (rc == 0)
				rc = interface_set_number(words, &word->at, &metric, "a metric",
							  word->text, 0, 65535);
		} else if (!strcmp(word->text, "gw")) {
			rc = take_address(words, line, "the address of a gateway", &route.gateway);
		} else {
			if (!strcmp(word->text, "dev"))
				rc = line_word(words, line, "the name of an interface", &word);
			if (rc == 0 && interface)
				return words_fail(words, &word->at, "a second interface, '%s'",
						  word->text);
			if (rc == 0)
				rc = interface_find(words, side, word, &interface);
		}
	}
	if (rc < 0)
		return rc;
	if (!interface)
		return line_word(words, line, "the name of an interface", &word);
	if (side->routes == INTERFACE_ROUTES)
		return words_fail(words, &route.at, "more than %d routes", INTERFACE_ROUTES);
	route.metric = metric.value;
	strcpy(route.interface, interface->name);
	side->route[side->routes++] = route;
	return 0;
}
