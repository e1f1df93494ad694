/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - reads z/OS's definitions of HiperSockets */
#include "devemu/hipersockets/profile.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "devemu/hipersockets/address.h"
#include "devemu/hipersockets/statement.h"

static const char *const statements[] = {"DEVice", "LINK",        "START",     "HOME",
					 "ROUTE",  "BEGINRoutes", "ENDRoutes", NULL};

static struct tcpip_profile *profile_of(const struct statement_reader *reader)
{
	return reader->data;
}

static struct profile_device *find_device(struct tcpip_profile *profile, const char *name)
{
	for (unsigned int i = 0; i < profile->devices; i++)
		if (!strcmp(profile->device[i].name, name))
			return &profile->device[i];
	return NULL;
}

const struct profile_link *tcpip_profile_link(const struct tcpip_profile *profile, const char *name)
{
	for (unsigned int i = 0; i < profile->links; i++)
		if (!strcasecmp(profile->link[i].name, name))
			return &profile->link[i];
	return NULL;
}

const struct profile_home *tcpip_profile_home(const struct tcpip_profile *profile,
					      const struct profile_link *link)
{
	for (unsigned int i = 0; i < profile->homes; i++)
		if (!strcmp(profile->home[i].link, link->name))
			return &profile->home[i];
	return NULL;
}

uint32_t profile_link_buffers(const struct profile_link *link, uint32_t frame)
{
	if (frame == 65536 && !strcmp(link->storage, "AVG"))
		return 96;
	if (frame == 65536 && !strcmp(link->storage, "MIN"))
		return 64;
	return 126;
}

static int too_many(const struct statement_reader *reader, const struct word_place *at,
		    const char *what, int most)
{
	return words_fail(&reader->words, at, "more than %d %s", most, what);
}

static int device_option(struct statement_reader *reader, struct profile_device *device)
{
	static const struct {
		const char *keyword;
		int autorestart;
		char router;
	} options[] = {
		{"AUTORestart", 1, 0},  {"NOAUTORestart", 0, 0}, {"NONRouter", -1, 'N'},
		{"PRIRouter", -1, 'P'}, {"SECRouter", -1, 'S'},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const int rc = statement_keyword(reader, options[i].keyword);

		if (rc < 0)
			return rc;
		if (rc == 0)
			continue;
		if (options[i].router)
			device->router = options[i].router;
		else
			device->autorestart = options[i].autorestart;
		return 0;
	}
	return statement_fail(reader, "a parameter of DEVICE with MPCIPA");
}

static const struct word_place *place_of_device(struct tcpip_profile *profile, const char *name)
{
	const struct profile_device *device = find_device(profile, name);

	return device ? &device->at : NULL;
}

static const struct word_place *place_of_link(struct tcpip_profile *profile, const char *name)
{
	const struct profile_link *link = tcpip_profile_link(profile, name);

	return link ? &link->at : NULL;
}

/* Takes a name that is not defined yet, and a type. @what is "device" or "link", @find returns the
 * place of an earlier definition. */
static int take_definition(struct statement_reader *reader, const char *what,
			   char name[PROFILE_NAME], struct word_place *at, struct word *type,
			   const struct word_place *(*find)(struct tcpip_profile *profile,
							    const char *name))
{
	const struct word_place *earlier;
	char wanted[32];
	int rc;

	snprintf(wanted, sizeof(wanted), "the name of a %s", what);
	rc = statement_name(reader, wanted, name, at);
	if (rc < 0)
		return rc;
	earlier = find(profile_of(reader), name);
	if (earlier)
		return words_fail(&reader->words, at, "%s %s is defined at line %d", what, name,
				  earlier->line);
	snprintf(wanted, sizeof(wanted), "the type of a %s", what);
	return statement_word(reader, wanted, type);
}

/* Takes the name of a device that is defined. */
static int take_device(struct statement_reader *reader, struct profile_device **device,
		       struct word_place *at)
{
	char name[PROFILE_NAME];
	int rc = statement_name(reader, "the name of a device", name, at);

	if (rc < 0)
		return rc;
	*device = find_device(profile_of(reader), name);
	if (!*device)
		return words_fail(&reader->words, at, "device %s has no DEVICE statement", name);
	return 0;
}

static int device_statement(struct statement_reader *reader)
{
	struct profile_device device = {.router = 'N'};
	struct word type;
	unsigned int number;
	int rc = take_definition(reader, "device", device.name, &device.at, &type, place_of_device);

	if (rc < 0)
		return rc;
	if (word_is(type.text, "VIRTual")) {
		rc = statement_number(reader, "a device number", 0, 65535, &number);
	} else if (word_is(type.text, "MPCIPA")) {
		device.mpcipa = true;
		while (rc == 0 && !statement_ended(reader))
			rc = device_option(reader, &device);
	} else {
		return words_fail(&reader->words, &type.at, "'%s' is neither MPCIPA nor VIRTUAL",
				  type.text);
	}
	if (rc < 0)
		return rc;
	if (profile_of(reader)->devices == PROFILE_DEVICES)
		return too_many(reader, &device.at, "devices", PROFILE_DEVICES);
	profile_of(reader)->device[profile_of(reader)->devices++] = device;
	return 0;
}

static int link_storage(struct statement_reader *reader, struct profile_link *link)
{
	static const char *const sizes[] = {"GLOBAL", "MAX", "AVG", "MIN"};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const int rc = statement_keyword(reader, sizes[i]);

		if (rc < 0)
			return rc;
		if (rc > 0) {
			strcpy(link->storage, sizes[i]);
			return 0;
		}
	}
	return statement_fail(reader, "GLOBAL, MAX, AVG or MIN");
}

static int link_option(struct statement_reader *reader, struct profile_link *link)
{
	int rc = statement_keyword(reader, "IPBCAST");

	if (rc > 0)
		link->broadcast = true;
	if (rc == 0 && (rc = statement_keyword(reader, "MONSYSPLEX")) > 0)
		link->monsysplex = true;
	if (rc == 0 && (rc = statement_keyword(reader, "NOMONSYSPLEX")) > 0)
		link->monsysplex = false;
	if (rc == 0 && (rc = statement_keyword(reader, "READSTORAGE")) > 0)
		return link_storage(reader, link);
	if (rc == 0 && (rc = statement_keyword(reader, "SECCLASS")) > 0)
		return statement_number(reader, "a security class", 1, 255, &link->security_class);
	if (rc == 0)
		return statement_fail(reader, "a parameter of LINK");
	return rc < 0 ? rc : 0;
}

/* IUTIQDxx; what is before it is the same in lower case. */
static bool is_hipersockets_device(const char *name)
{
	return strlen(name) == 8 && !strncmp(name, "IUTIQD", 6) &&
	       isxdigit((unsigned char)name[6]) && isxdigit((unsigned char)name[7]);
}

static int link_device(struct statement_reader *reader, struct profile_link *link)
{
	struct profile_device *device;
	struct word_place at;
	int rc = take_device(reader, &device, &at);

	if (rc < 0)
		return rc;
	if (device->mpcipa != (link->type != LINK_VIRTUAL))
		return words_fail(&reader->words, &at, "device %s has another type", device->name);
	if (link->type == LINK_IPAQIDIO && !is_hipersockets_device(device->name))
		return words_fail(&reader->words, &at,
				  "the device of an IPAQIDIO link has the name IUTIQDxx, not %s",
				  device->name);
	for (unsigned int i = 0; i < profile_of(reader)->links; i++)
		if (&profile_of(reader)->device[profile_of(reader)->link[i].device] == device)
			return words_fail(&reader->words, &at, "device %s already has link %s",
					  device->name, profile_of(reader)->link[i].name);
	link->device = (unsigned int)(device - profile_of(reader)->device);
	return 0;
}

static int link_statement(struct statement_reader *reader)
{
	struct profile_link link = {.storage = "GLOBAL", .security_class = 255};
	struct word type;
	unsigned int number;
	int rc = take_definition(reader, "link", link.name, &link.at, &type, place_of_link);

	if (rc < 0)
		return rc;
	if (word_is(type.text, "IPAQIDIO"))
		link.type = LINK_IPAQIDIO;
	else if (word_is(type.text, "IPAQENET"))
		link.type = LINK_IPAQENET;
	else if (word_is(type.text, "VIRTual"))
		link.type = LINK_VIRTUAL;
	else
		return words_fail(&reader->words, &type.at,
				  "'%s' is not IPAQIDIO, IPAQENET or VIRTUAL", type.text);
	if (link.type == LINK_VIRTUAL)
		rc = statement_number(reader, "a link number", 0, 65535, &number);
	if (rc == 0)
		rc = link_device(reader, &link);
	while (rc == 0 && link.type != LINK_VIRTUAL && !statement_ended(reader))
		rc = link_option(reader, &link);
	if (rc < 0)
		return rc;
	if (profile_of(reader)->links == PROFILE_LINKS)
		return too_many(reader, &link.at, "links", PROFILE_LINKS);
	profile_of(reader)->link[profile_of(reader)->links++] = link;
	return 0;
}

static int start_statement(struct statement_reader *reader)
{
	struct profile_device *device;
	struct word_place at;
	int rc = take_device(reader, &device, &at);

	if (rc == 0)
		device->started = true;
	return rc;
}

static int home_entry(struct statement_reader *reader)
{
	struct profile_home home = {.comment = reader->comments == 1 ? reader->comment : 0};
	int rc = statement_address(reader, "an address of HOME", &home.address, &home.at);

	if (rc == 0)
		rc = statement_name(reader, "the name of a link", home.link, NULL);
	if (rc < 0)
		return rc;
	for (unsigned int i = 0; i < profile_of(reader)->homes; i++)
		if (profile_of(reader)->home[i].address == home.address)
			return words_fail(&reader->words, &home.at,
					  "HOME has this address at line %d",
					  profile_of(reader)->home[i].at.line);
	if (profile_of(reader)->homes == PROFILE_HOMES)
		return too_many(reader, &home.at, "addresses", PROFILE_HOMES);
	profile_of(reader)->home[profile_of(reader)->homes++] = home;
	return 0;
}

static int home_statement(struct statement_reader *reader)
{
	int rc = statement_ended(reader) ? statement_fail(reader, "an address of HOME") : 0;

	while (rc == 0 && !statement_ended(reader))
		rc = home_entry(reader);
	return rc;
}

static int route_mtu(struct statement_reader *reader, struct profile_route *route)
{
	int rc = statement_keyword(reader, "MTU");

	if (rc == 0)
		return statement_fail(reader, "MTU");
	if (rc > 0)
		rc = statement_keyword(reader, "DEFAULTSIZE");
	if (rc == 0)
		return statement_number(reader, "a number of bytes", 576, 65535, &route->mtu);
	return rc < 0 ? rc : 0;
}

static int route_destination(struct statement_reader *reader, struct profile_route *route)
{
	struct word mask;
	int rc = statement_keyword(reader, "DEFAULT");

	if (rc)
		return rc < 0 ? rc : 0;
	rc = statement_address(reader, "a destination", &route->destination, &route->at);
	if (rc == 0)
		rc = statement_word(reader, "a subnet mask", &mask);
	if (rc < 0)
		return rc;
	if (word_is(mask.text, "HOST"))
		route->mask = UINT32_MAX;
	else if (mask_read(mask.text, &route->mask) < 0)
		return words_fail(&reader->words, &mask.at,
				  "'%s' is neither a subnet mask nor HOST", mask.text);
	if (route->destination & ~route->mask)
		return words_fail(&reader->words, &route->at,
				  "the destination has bits outside of "
				  "its mask");
	return 0;
}

static int route_statement(struct statement_reader *reader, const struct word_place *at)
{
	struct profile_route route = {.at = *at};
	char name[PROFILE_NAME];
	const struct profile_link *link;
	int rc = route_destination(reader, &route);

	if (rc == 0) {
		rc = statement_keyword(reader, "=");
		rc = rc == 0  ? statement_address(reader, "a first hop or =", &route.hop, NULL)
		     : rc > 0 ? 0
			      : rc;
	}
	if (rc == 0)
		rc = statement_name(reader, "the name of a link", name, &route.at);
	if (rc < 0)
		return rc;
	link = tcpip_profile_link(profile_of(reader), name);
	if (!link)
		return words_fail(&reader->words, &route.at, "link %s has no LINK statement", name);
	route.link = (unsigned int)(link - profile_of(reader)->link);
	route.at = *at;
	rc = route_mtu(reader, &route);
	if (rc < 0)
		return rc;
	if (!statement_ended(reader))
		return statement_fail(reader, "a parameter of ROUTE that is known here");
	if (profile_of(reader)->routes == PROFILE_ROUTES)
		return too_many(reader, at, "routes", PROFILE_ROUTES);
	profile_of(reader)->route[profile_of(reader)->routes++] = route;
	return 0;
}

/* Reads a statement whose first word comes next. */
static int statement(struct statement_reader *reader, bool *routes)
{
	static int (*const plain[])(struct statement_reader * reader) = {
		device_statement, link_statement, start_statement, home_statement};
	const struct word first = reader->word;
	int rc;

	if (!statement_ended(reader))
		return statement_fail(
			reader, "one of DEVICE, LINK, START, HOME, BEGINROUTES, ROUTE, ENDROUTES");
	rc = statement_advance(reader);
	if (rc < 0)
		return rc;
	if (word_is(first.text, "BEGINRoutes")) {
		if (profile_of(reader)->begin_routes.line)
			return words_fail(&reader->words, &first.at, "BEGINROUTES comes twice");
		profile_of(reader)->begin_routes = first.at;
		*routes = true;
		return 0;
	}
	if (word_is(first.text, "ROUTE") || word_is(first.text, "ENDRoutes")) {
		if (!*routes)
			return words_fail(&reader->words, &first.at, "%s without BEGINROUTES",
					  first.text);
		if (word_is(first.text, "ROUTE"))
			return route_statement(reader, &first.at);
		profile_of(reader)->end_routes = true;
		*routes = false;
		return 0;
	}
	if (*routes)
		return words_fail(&reader->words, &first.at, "%s within BEGINROUTES", first.text);
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (word_is(first.text, statements[i]))
			return plain[i](reader);
	return 0;
}

int tcpip_profile_read(struct tcpip_profile *profile, const char *name, FILE *file,
		       struct lfp_reader_error *err)
{
	struct statement_reader reader = {.keywords = statements, .data = profile};
	bool routes = false;
	int rc;

	*profile = (struct tcpip_profile){0};
	words_begin(&reader.words, name, file, ';', false, err);
	rc = statement_advance(&reader);
	while (rc == 0 && reader.kind != WORD_END)
		rc = statement(&reader, &routes);
	for (unsigned int i = 0; rc == 0 && i < profile->homes; i++)
		profile->home[i].defined = tcpip_profile_link(profile, profile->home[i].link);
	return rc;
}
