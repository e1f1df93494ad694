/* SPDX-License-Identifier: Apache-2.0 */
/* pair.c - the two ends of a HiperSockets network */
#include "devemu/hipersockets/pair.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "devemu/hipersockets/address.h"
#include "devemu/qdio/qdio.h"

static int refuse(char why[PAIR_WHY], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char why[PAIR_WHY], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, PAIR_WHY, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static int find_link(struct hsi_pair *pair, char why[PAIR_WHY])
{
	const struct tcpip_profile *profile = pair->profile;
	const struct profile_device *device;

	for (unsigned int i = 0; i < profile->links; i++) {
		if (profile->link[i].type != LINK_IPAQIDIO)
			continue;
		if (pair->link)
			return refuse(why, "links %s and %s are both of type IPAQIDIO",
				      pair->link->name, profile->link[i].name);
		pair->link = &profile->link[i];
	}
	if (!pair->link)
		return refuse(why, "no LINK of type IPAQIDIO is defined");
	device = &profile->device[pair->link->device];
	if (!device->started)
		return refuse(why, "device %s has no START statement", device->name);
	pair->home = tcpip_profile_home(profile, pair->link);
	if (!pair->home)
		return refuse(why, "link %s has no address in HOME", pair->link->name);
	return 0;
}

static bool is_hsi(const char *name)
{
	return !strncmp(name, "hsi", 3) && isdigit((unsigned char)name[3]);
}

static int find_interface(struct hsi_pair *pair, char why[PAIR_WHY])
{
	for (unsigned int i = 0; i < pair->side->interfaces; i++) {
		const struct linux_interface *interface = &pair->side->interface[i];

		if (!is_hsi(interface->name))
			continue;
		if (pair->interface)
			return refuse(why, "interfaces %s and %s are both of HiperSockets",
				      pair->interface->name, interface->name);
		pair->interface = interface;
	}
	if (!pair->interface)
		return refuse(why, "Linux has no interface hsi0, hsi1, ...");
	if (!pair->interface->address.at.line)
		return refuse(why, "interface %s has no address", pair->interface->name);
	if (!pair->interface->mask.at.line)
		return refuse(why, "interface %s has no netmask", pair->interface->name);
	if (pair->interface->mtu.value > pair->mtu)
		return refuse(why,
			      "the MTU of interface %s is %u, and frames of %u bytes have %u "
			      "at most",
			      pair->interface->name, pair->interface->mtu.value, pair->frame,
			      pair->mtu);
	return 0;
}

/* The most specific route of the link to Linux's address, or NULL. */
static const struct profile_route *route_to_linux(const struct hsi_pair *pair)
{
	const struct profile_route *found = NULL;

	for (unsigned int i = 0; i < pair->profile->routes; i++) {
		const struct profile_route *route = &pair->profile->route[i];

		if (&pair->profile->link[route->link] == pair->link &&
		    (pair->interface->address.value & route->mask) == route->destination &&
		    (!found || route->mask > found->mask))
			found = route;
	}
	return found;
}

static bool reaches_zos(const struct hsi_pair *pair)
{
	const struct linux_interface *interface = pair->interface;

	if (!((interface->address.value ^ pair->home->address) & interface->mask.value))
		return true;
	for (unsigned int i = 0; i < pair->side->routes; i++) {
		const struct linux_route *route = &pair->side->route[i];

		if (!strcmp(route->interface, interface->name) &&
		    (pair->home->address & route->mask) == route->destination)
			return true;
	}
	return false;
}

int pair_find(struct hsi_pair *pair, const struct tcpip_profile *profile,
	      const struct linux_side *side, uint32_t frame, char why[PAIR_WHY])
{
	char address[ADDRESS_TEXT];
	int rc;

	*pair = (struct hsi_pair){
		.profile = profile, .side = side, .frame = frame, .mtu = qdio_mtu(frame)};
	rc = find_link(pair, why);
	if (rc == 0)
		rc = find_interface(pair, why);
	if (rc < 0)
		return rc;
	pair->buffers = profile_link_buffers(pair->link, frame);
	if (pair->home->address == pair->interface->address.value)
		return refuse(why, "link %s and interface %s have the same address, %s",
			      pair->link->name, pair->interface->name,
			      address_text(pair->home->address, address));
	if (!route_to_linux(pair))
		return refuse(why, "no ROUTE over link %s leads to %s, the address of %s",
			      pair->link->name,
			      address_text(pair->interface->address.value, address),
			      pair->interface->name);
	if (!reaches_zos(pair))
		return refuse(why, "neither the netmask of %s nor a route leads to %s of link %s",
			      pair->interface->name, address_text(pair->home->address, address),
			      pair->link->name);
	for (unsigned int i = 0; i < profile->routes; i++)
		if (&profile->link[profile->route[i].link] == pair->link &&
		    profile->route[i].mtu > pair->mtu)
			return refuse(why,
				      "%s:%d:%d: the MTU of this ROUTE is %u, and frames of %u "
				      "bytes have %u at most",
				      profile->route[i].at.file, profile->route[i].at.line,
				      profile->route[i].at.column, profile->route[i].mtu, frame,
				      pair->mtu);
	return 0;
}

struct teller {
	void (*tell)(void *context, const char *text);
	void *context;
};

static void warn(const struct teller *teller, const struct word_place *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void warn(const struct teller *teller, const struct word_place *at, const char *fmt, ...)
{
	char text[PAIR_WHY];
	va_list ap;
	int used = snprintf(text, sizeof(text), "%.100s:%d:%d: ", at->file, at->line, at->column);

	va_start(ap, fmt);
	vsnprintf(text + used, sizeof(text) - (size_t)used, fmt, ap);
	va_end(ap);
	teller->tell(teller->context, text);
}

static void warn_homes(const struct hsi_pair *pair, const struct teller *teller)
{
	char a[ADDRESS_TEXT], b[ADDRESS_TEXT];

	for (unsigned int i = 0; i < pair->profile->homes; i++) {
		const struct profile_home *home = &pair->profile->home[i];

		address_text(home->address, a);
		if (home->comment && home->comment != home->address)
			warn(teller, &home->at,
			     "HOME gives %s to link %s, and the comment before it says %s", a,
			     home->link, address_text(home->comment, b));
		for (unsigned int n = 0; n < pair->side->interfaces; n++) {
			const struct linux_interface *interface = &pair->side->interface[n];

			if (interface->address.at.line && interface->address.value == home->address)
				warn(teller, &home->at,
				     "HOME gives %s to link %s, and Linux has it on interface %s "
				     "(%.100s:%d:%d)",
				     a, home->link, interface->name, interface->address.at.file,
				     interface->address.at.line, interface->address.at.column);
		}
		if (!home->defined)
			warn(teller, &home->at, "link %s of address %s has no LINK statement",
			     home->link, a);
	}
}

static bool is_home(const struct hsi_pair *pair, const struct linux_route *route)
{
	for (unsigned int i = 0; i < pair->profile->homes; i++)
		if ((pair->profile->home[i].address & route->mask) == route->destination)
			return true;
	return false;
}

static void warn_routes(const struct hsi_pair *pair, const struct teller *teller)
{
	const struct profile_route *route = route_to_linux(pair);
	const struct linux_interface *interface = pair->interface;
	char a[ADDRESS_TEXT], b[ADDRESS_TEXT];

	if (pair->profile->begin_routes.line && !pair->profile->end_routes)
		warn(teller, &pair->profile->begin_routes, "BEGINROUTES has no ENDROUTES");
	if (route->mask != interface->mask.value)
		warn(teller, &route->at,
		     "ROUTE has the mask %s, and interface %s the mask %s (%.100s:%d:%d)",
		     address_text(route->mask, a), interface->name,
		     address_text(interface->mask.value, b), interface->mask.at.file,
		     interface->mask.at.line, interface->mask.at.column);
	if (route->mtu && interface->mtu.at.line && route->mtu != interface->mtu.value)
		warn(teller, &route->at,
		     "ROUTE has an MTU of %u, and interface %s one of %u (%.100s:%d:%d)",
		     route->mtu, interface->name, interface->mtu.value, interface->mtu.at.file,
		     interface->mtu.at.line, interface->mtu.at.column);
	for (unsigned int i = 0; i < pair->side->routes; i++)
		if (!strcmp(pair->side->route[i].interface, interface->name) &&
		    !is_home(pair, &pair->side->route[i]))
			warn(teller, &pair->side->route[i].at,
			     "the route over %s to %s leads to no address of HOME", interface->name,
			     address_text(pair->side->route[i].destination, a));
}

static void warn_interface(const struct hsi_pair *pair, const struct teller *teller)
{
	const struct linux_interface *interface = pair->interface;
	const uint32_t network = interface->address.value & interface->mask.value;
	const uint32_t broadcast = network | ~interface->mask.value;
	char a[ADDRESS_TEXT], b[ADDRESS_TEXT];

	if (interface->network.at.line && interface->network.value != network)
		warn(teller, &interface->network.at,
		     "the network is %s, and address and netmask make %s",
		     address_text(interface->network.value, a), address_text(network, b));
	if (interface->broadcast.at.line && interface->broadcast.value != broadcast)
		warn(teller, &interface->broadcast.at,
		     "the broadcast address is %s, and address and netmask make %s",
		     address_text(interface->broadcast.value, a), address_text(broadcast, b));
}

void pair_warn(const struct hsi_pair *pair, void (*tell)(void *context, const char *text),
	       void *context)
{
	const struct teller teller = {tell, context};

	warn_homes(pair, &teller);
	warn_routes(pair, &teller);
	warn_interface(pair, &teller);
}
